"""Small scenarios whose distributions are known on paper, shared by the tests of privacy."""

from covey import Network, Query, Scenario, Team
from covey.model.hypothesis import Hypothesis
from covey.model.team import Neighbour


def turned(hypothesis: Hypothesis) -> Neighbour:
    """The hypothesis as the neighbour that it is."""
    assert isinstance(hypothesis, Neighbour)
    return hypothesis


def shared_resource(a: int = 2, b: int = 1) -> Scenario:
    """The paper's first example. For (2, 1) P(y) is 1/45, 14/45, 30/45 at (3,0), (2,1), (1,2)."""
    network = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1")
    query = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    return Scenario(network, Team({"A": a, "B": b}, {"R": 2}), query)


def flipping(a: int = 1, b: int = 0, slow: float = 1.0, fast: float = 10.0) -> Scenario:
    """Robots that go on and off at rate `slow` (A) or `fast` (B): half and half at steady state."""
    network = Network(
        f"on{{A}} <-> off{{A}} @ {slow}, {slow}\non{{B}} <-> off{{B}} @ {fast}, {fast}"
    )
    query = Query(on="on{A} + on{B}", off="off{A} + off{B}")
    initial = {"A": "on{A}", "B": "on{B}"}
    return Scenario(network, Team({"A": a, "B": b}), query, initial=initial)


def finishing(a: int = 2, b: int = 1) -> Scenario:
    """Robots that finish once: at time t one of type A is still at it with probability e^-t."""
    network = Network("{A} -> done{A} @ 1\n{B} -> done{B} @ 2")
    query = Query(working="{A} + {B}", done="done{A} + done{B}")
    return Scenario(network, Team({"A": a, "B": b}), query)


def arriving() -> Scenario:
    """Finishing robots that leave a mark each time they come back: infinitely many states."""
    network = Network(
        "{A} -> done{A} + mark @ 1\ndone{A} -> {A} @ 1\n{B} -> done{B} @ 2\ndone{B} -> {B} @ 1"
    )
    query = Query(working="{A} + {B}", done="done{A} + done{B}")
    return Scenario(network, Team({"A": 1, "B": 1}), query)


def behind_a_barrier() -> Scenario:
    """Robots alike, A off at first and B on: above half they all go on, below they all go off.

    One B turned A begins in the other valley. At steady state nothing tells the teams apart; but
    the first crossing takes some e^10 times as long as the mean field takes to settle.
    """
    network = Network(
        "\n".join(
            f"{{{t}}} -> on{{{t}}} @ [{{{t}}} * (0.001 + 10 * (on{{A}} + on{{B}} >= 11))]\n"
            f"on{{{t}}} -> {{{t}}} @ [on{{{t}}} * (0.001 + 10 * (on{{A}} + on{{B}} <= 10))]"
            for t in "AB"
        )
    )
    query = Query(busy="on{A} + on{B}")
    return Scenario(network, Team({"A": 9, "B": 11}), query, initial={"A": "{A}", "B": "on{B}"})
