// The token of the address that covey printed: it goes with every request, and the tab keeps it. It came
// behind #, where no server sees it. A tab without one asks the others that show this page.

const MARK = "#token=", KEY = "covey token", HEADER = "X-Covey-Token";
const SOON = 300; // milliseconds for another tab to answer
const others = new BroadcastChannel(KEY);
let token = taken() ?? sessionStorage.getItem(KEY);

others.addEventListener("message", ({ data }) => {
  if (data === "asks" && token) others.postMessage({ token });
});

// The address was opened once more, where the page is already; covey may have been started anew.
addEventListener("hashchange", () => {
  if (taken() !== null) location.reload();
});

// Asks the server, with the token.
export async function request(path, options = {}) {
  token ??= await handed();
  return fetch(path, { ...options, headers: { ...options.headers, [HEADER]: token ?? "" } });
}

// The token in the address, which is left without it; null where there is none.
function taken() {
  if (!location.hash.startsWith(MARK)) return null;
  const [found, rest] = location.hash.slice(MARK.length).split("&");
  sessionStorage.setItem(KEY, found);
  history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
  return found;
}

// The token of another tab.
function handed() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, SOON, null);
    others.addEventListener("message", ({ data }) => {
      if (!data.token) return;
      clearTimeout(timer);
      sessionStorage.setItem(KEY, data.token);
      resolve(data.token);
    });
    others.postMessage("asks");
  });
}
