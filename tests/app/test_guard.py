"""Who may ask: this machine's browser by the printed address, and nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from secrets import compare_digest

import pytest

from covey.app import guard
from covey.app.opened import Opened
from tests.app.asking import TOKEN, Browser, Reply, served

EXAMPLE = Opened(None, "title = 'x'")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served(EXAMPLE) as found:
        yield found


@pytest.fixture
def stranger(port: int) -> Browser:
    """Somebody on this machine who has not seen the address."""
    return Browser(port)


@pytest.fixture
def user(port: int) -> Browser:
    """Somebody who has opened it."""
    return Browser(port).open()


def ask(browser: Browser, **headers: str) -> Reply:
    """A question that is refused before anybody computes: it is no JSON."""
    return browser.send("POST", "/api/ask", b"{", headers)


def test_the_token_in_a_header_opens_it(stranger: Browser) -> None:
    assert stranger.get("/api/start").status == 403
    assert stranger.open().get("/api/start").status == 200


def test_no_cookie_opens_anything(stranger: Browser) -> None:
    """Whatever listens on another port of this machine is sent them."""
    for name in (f"covey-{stranger.port}", "covey", guard.HEADER):
        cookie = {"cookie": f"{name}={TOKEN}"}
        assert stranger.get("/api/start", **cookie).status == 403
        asked = {"origin": stranger.here, "content-type": "application/json"} | cookie
        assert stranger.send("POST", "/api/save", b"{}", asked).status == 403
    assert "set-cookie" not in stranger.open().get("/").headers


def test_the_usual_port_is_left_out_of_names() -> None:
    scope = {"type": "http", "method": "GET", "path": "/api/start", "query_string": b""}

    def status(host: bytes, port: int) -> int:
        refusal = guard.Guard(None, TOKEN, port)._refusal(scope | {"headers": [(b"host", host)]})  # type: ignore[arg-type]
        assert refusal is not None  # there is no token
        return refusal.status_code

    assert (status(b"127.0.0.1", 80), status(b"127.0.0.1", 8733)) == (403, 421)


@pytest.mark.parametrize("path", ["/", f"/?token={TOKEN}", "/static/app.js", "/static/palette.css"])
def test_the_page_is_for_everybody_and_holds_nothing(stranger: Browser, path: str) -> None:
    found = stranger.get(path)
    assert found.status == 200
    assert TOKEN not in found.text


@pytest.mark.parametrize("path", ["/api/start", f"/api/start?token={TOKEN}", "/api/ask", "/api/"])
def test_nobody_else_is_answered(stranger: Browser, path: str) -> None:
    refused = stranger.get(path)
    assert refused.status == 403
    assert "address that covey app printed" in refused.text


def test_a_wrong_token_is_none(stranger: Browser) -> None:
    for token in ("wrong", "", TOKEN[:-1], f"{TOKEN}x", "\u00e9", f"{TOKEN}, {TOKEN}"):
        assert stranger.get("/api/start", **{guard.HEADER: token}).status == 403


def test_tokens_are_compared_in_constant_time(
    stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def watched(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return compare_digest(one, other)

    monkeypatch.setattr(guard, "compare_digest", watched)
    stranger.get("/api/start", **{guard.HEADER: "wrong"})
    stranger.get("/api/start")
    assert compared == [(b"wrong", TOKEN.encode()), (b"", TOKEN.encode())]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1",
                                  "127.0.0.1.evil:PORT", ""])  # fmt: skip
def test_a_name_that_was_bound_to_this_machine_is_not_ours(user: Browser, host: str) -> None:
    host = host.replace("PORT", str(user.port))
    assert user.get("/api/start", host=host).status == 421
    assert user.get("/", host=host).status == 421
    assert ask(user, host=host, origin=f"http://{host}").status == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:1",
                                    "https://127.0.0.1:PORT", "http://localhost:PORT"])  # fmt: skip
def test_what_another_site_sends_is_refused(user: Browser, origin: str) -> None:
    """Also a form of its, and a page of another server on this machine."""
    origin = origin.replace("PORT", str(user.port))
    for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
        assert ask(user, origin=origin, **{"content-type": kind}).status == 403
    assert user.get("/api/start", origin=origin).status == 403


def test_a_post_without_an_origin_is_refused(user: Browser) -> None:
    assert ask(user).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_of_the_site_counts(user: Browser, site: str) -> None:
    headers = {"origin": user.here, "sec-fetch-site": site}
    assert user.get("/api/start", **headers).status == 403
    assert ask(user, **headers).status == 403
    assert user.get("/", **{"sec-fetch-site": site}).status == 200  # a link to the page


def test_only_json_is_read(user: Browser) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert ask(user, origin=user.here, **{"content-type": kind}).status == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"[" * 200_000, b"\xff"])
def test_what_is_no_question_is_said_to_be_none(user: Browser, body: bytes) -> None:
    for path in ("/api/ask", "/api/save"):
        refused = user.post(path, body)
        assert refused.status == 400
        assert "not a question" in refused.json["message"]


def test_long_bodies_are_not_read(user: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covey.app.server.MAX_BODY", 1000)
    headers = {"origin": user.here, "content-type": "application/json"}
    pieces = (b" " * 100 for _ in range(11))
    assert user.post("/api/ask", b" " * 1001).status == 413
    assert user.send("POST", "/api/ask", pieces, headers).status == 413


@pytest.mark.parametrize(
    "name",
    ["../guard.py", "..%2fguard.py", "%2e%2e/guard.py", "%2e%2e%2fguard.py", "/etc/passwd",
     "%2fetc%2fpasswd", "..\\guard.py", "../../../../../../etc/passwd", "index.html%00.js", "",
     "../answers/answer.py", "page.js", "."],
)  # fmt: skip
def test_no_other_file_is_served(user: Browser, name: str) -> None:
    assert user.get(f"/static/{name}").status == 404


@pytest.mark.parametrize("name", ["index.html", "chart.js", "scale.js", "page.css", "palette.css"])
def test_those_of_the_page_are(user: Browser, name: str) -> None:
    found = user.get(f"/static/{name}")
    assert found.status == 200
    kinds = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
    assert found.headers["content-type"].startswith(kinds[name.rpartition(".")[2]])


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/nothing", {}),
        ("/api/start", {}),
        ("/", {"host": "x"}),
        ("/api/ask", {guard.HEADER: ""}),
    ],
)
def test_every_answer_says_what_a_page_may_do(
    user: Browser, path: str, headers: dict[str, str]
) -> None:
    found = user.get(path, **headers).headers
    rules = (rule.split(maxsplit=1) for rule in found["content-security-policy"].split(";"))
    policy: dict[str, str] = dict(rules)
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["form-action"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in found["content-security-policy"]
    assert found["x-content-type-options"] == "nosniff"
    assert found["cache-control"] == "no-store"
    assert found["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in found


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "GET"])
def test_other_ways_to_ask_are_refused(user: Browser, method: str) -> None:
    assert user.send(method, "/api/save", None, {"origin": user.here}).status == 405


@pytest.mark.parametrize("text", [None, 7, ["x"], {"a": 1}])
def test_what_is_no_text_is_not_saved(
    user: Browser, text: object, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = user.post("/api/save", {"text": text, "stamp": None})
    assert (refused.status, refused.json["message"][:5]) == (400, "text:")
    half = user.post("/api/save", {"text": "half of a character: \ud800", "stamp": None})
    assert half.status == 400
    assert "half of a character" in half.json["message"]
    assert capfd.readouterr().err == ""


def test_a_client_that_leaves_in_the_middle_is_nothing_to_speak_of(
    user: Browser, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", user.port)) as one:
            head = (
                f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{user.port}\r\nOrigin: {user.here}\r\n"
            )
            head += f"{guard.HEADER}: {TOKEN}\r\nContent-Length: 1000\r\n\r\n{{"
            one.sendall(head.encode())
    assert user.get("/api/start").status == 200
    assert capfd.readouterr().err == ""


def test_what_nobody_foresaw_is_a_line(
    user: Browser, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> bool:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(guard, "_own", broken)
    assert user.get("/api/start").status == 500
    told = capfd.readouterr().err
    assert "RuntimeError: first line" in told
    assert len(told.splitlines()) == 1
