"""Every measure of what one snapshot gives away, by name; and functions as measures.

A name, or a name with its parameter: `delta=0.5`, `renyi=2` or `renyi(2)`. All but leakage and
max_leakage are of two distributions, and taken at their largest over all pairs that are compared. A
function of the distributions, `Callable[[TeamDistributions], float]`, is called `own.` and its
name; nothing bounds its error.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from covey.errors import InputError, did_you_mean, shown
from covey.numbers import is_number, to_float
from covey.privacy.measures.concentrated_dp import concentrated_rho_of
from covey.privacy.measures.gaussian_dp import gaussian_mu_of
from covey.privacy.measures.maximal_leakage import maximal_leakage
from covey.privacy.measures.metric_distances import LN2, hellinger_of, jensen_shannon_of
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.leakage import Leakage, leakage_of
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.pair_profile import Interval, PairProfile
from covey.privacy.snapshot.profile import Profile, profile_of

MeasureFunction = Callable[[TeamDistributions], float]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The distributions that are measured, and what several measures need of them.

    Attributes:
        distributions: Of the team and of all that it is compared with.
        smoothing: The paper's ν, for the leakage.
    """

    distributions: TeamDistributions
    smoothing: float = 0.0

    @cached_property
    def profile(self) -> Profile:
        """What every pair tells."""
        return profile_of(self.distributions)

    @cached_property
    def leakage(self) -> Leakage:
        """The leakage."""
        return leakage_of(self.distributions, self.smoothing)


@dataclass(frozen=True)
class Measured:
    """One number with bounds.

    Attributes:
        value: The number.
        interval: Between what it certainly lies; NaN where nothing is known.
        pair: The pair that it was found for, where it is of a pair.
    """

    value: float
    interval: Interval
    pair: PairProfile | None = None


@dataclass(frozen=True)
class Kind:
    """A measure that has a name.

    Attributes:
        find: How it is found; the first line of its docstring is the definition.
        column: What it is called in tables.
        symbol: Its parameter, where it has one.
        default: What that is if it is not said.
        allowed: The least and the most that it may be; the least itself may not for `renyi`.
    """

    find: Callable[[Snapshot, float], Measured]
    column: str
    symbol: str = ""
    default: float | None = None
    allowed: tuple[float, float] = (0.0, math.inf)

    @property
    def definition(self) -> str:
        """What it is, in a line."""
        return (self.find.__doc__ or "").partition("\n")[0]


def _worst(found: Iterable[tuple[PairProfile, float]], interval: Interval) -> Measured:
    pair, value = max(found, key=lambda one: one[1])
    return Measured(value, interval, pair)


def _of_pairs(
    snapshot: Snapshot, of: Callable[[PairProfile], tuple[float, Interval]], unseen: float
) -> Measured:
    """The largest over pairs; `unseen` is the most that it may be between two ages."""
    profile = snapshot.profile
    found = [(pair, *of(pair)) for pair in profile.distinct]
    low, high = (max(one[2][i] for one in found) for i in (0, 1))
    high = max(high, unseen) if snapshot.distributions.between > 0 else high
    return _worst([(pair, value) for pair, value, _ in found], (low, high))


def _leakage(snapshot: Snapshot, _: float) -> Measured:
    """Max |ln p(y)/q(y)|, the largest shift of the odds; smoothed where the adversary says so."""
    found = snapshot.leakage
    return Measured(found.value, found.interval)


def _guess(snapshot: Snapshot, _: float) -> Measured:
    """(1 + TV)/2, how often the best guess between two hypotheses is right."""
    found = _tv(snapshot, 0.0)
    low, high = map(binary_success, found.interval)
    return Measured(binary_success(found.value), (low, high), found.pair)


def _settled(snapshot: Snapshot, _: float) -> Measured:
    """The probability of what is possible under one hypothesis only."""
    return _delta(snapshot, math.inf)


def _tv(snapshot: Snapshot, _: float) -> Measured:
    """½ Σ |p − q|, the total variation."""
    return _delta(snapshot, 0.0)


def _delta(snapshot: Snapshot, epsilon: float) -> Measured:
    """δ at ε: Σ max(0, p − e^ε q), the hockey-stick divergence."""
    profile = snapshot.profile
    return _worst(((p, p.delta(epsilon)) for p in profile.pairs), profile.delta_interval(epsilon))


def _epsilon(snapshot: Snapshot, delta: float) -> Measured:
    """ε at δ: the least ε whose δ is no larger."""
    profile = snapshot.profile
    return _worst(((p, p.epsilon(delta)) for p in profile.pairs), profile.epsilon_interval(delta))


def _kl(snapshot: Snapshot, _: float) -> Measured:
    """Σ p ln(p/q), the Kullback-Leibler divergence in nats."""
    return _renyi(snapshot, 1.0)


def _renyi(snapshot: Snapshot, alpha: float) -> Measured:
    """Ln Σ p^α q^(1−α) / (α − 1), the Rényi divergence of order α in nats."""
    profile = snapshot.profile
    return _worst(((p, p.renyi(alpha)) for p in profile.pairs), profile.renyi_interval(alpha))


def _hellinger(snapshot: Snapshot, _: float) -> Measured:
    """√(1 − Σ √(p q)), Hellinger's distance, from 0 to 1."""
    return _of_pairs(snapshot, hellinger_of, 1.0)


def _js(snapshot: Snapshot, _: float) -> Measured:
    """½ KL(p‖m) + ½ KL(q‖m) with m = (p + q)/2, the Jensen-Shannon divergence, at most ln 2."""
    return _of_pairs(snapshot, jensen_shannon_of, LN2)


def _max_leakage(snapshot: Snapshot, _: float) -> Measured:
    """Log Σ_y max_h P(y|h) over all hypotheses h at once, in nats."""
    return Measured(*maximal_leakage(snapshot.distributions))


def _mu(snapshot: Snapshot, _: float) -> Measured:
    """The least μ with T(a) ≥ Φ(Φ⁻¹(1 − a) − μ) for all a: Gaussian differential privacy."""
    return _of_pairs(snapshot, gaussian_mu_of, math.inf)


def _rho(snapshot: Snapshot, _: float) -> Measured:
    """Sup D_α/α over α > 1: zero-concentrated differential privacy."""
    return _of_pairs(snapshot, concentrated_rho_of, math.inf)


KINDS: dict[str, Kind] = {
    "leakage": Kind(_leakage, "leakage"),
    "guess": Kind(_guess, "guess"),
    "settled": Kind(_settled, "settled"),
    "tv": Kind(_tv, "total_variation"),
    "hellinger": Kind(_hellinger, "hellinger"),
    "js": Kind(_js, "js"),
    "kl": Kind(_kl, "kl"),
    "delta": Kind(_delta, "delta", "ε", 1.0),
    "epsilon": Kind(_epsilon, "epsilon", "δ", 1e-5, (0.0, 1.0)),
    "renyi": Kind(_renyi, "renyi", "α", 2.0),
    "max_leakage": Kind(_max_leakage, "max_leakage"),
    "mu": Kind(_mu, "mu"),
    "rho": Kind(_rho, "rho"),
}
COLUMNS = tuple(kind.column for kind in KINDS.values())
_EXPECTED = {
    "delta": "a number that is not negative",
    "epsilon": "a number from 0 to 1",
    "renyi": "a positive number",
}
_PERFORMANCE = re.compile(r"performance\.(?P<name>[^\W\d][\w-]*)")
_OWN = re.compile(r"own\.\w+")
_CALLED = re.compile(r"(?P<kind>\w+)\((?P<value>[^()]*)\)")


@dataclass(frozen=True)
class Measure:
    """Which number is asked for; `parameter` is its ε, δ or order.

    `kind` is a name of `KINDS`, the dotted name of a measure of performance, such as
    `performance.throughput`, or `own.` and the name of a function.
    """

    kind: str
    parameter: float | None = None
    function: MeasureFunction | None = field(default=None, compare=False)

    @property
    def achieved(self) -> str:
        """The name under [performance]; nothing, for what is given away."""
        match = _PERFORMANCE.fullmatch(self.kind)
        return match["name"] if match else ""

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that `NAME`, `NAME=VALUE` or `NAME(VALUE)` means."""
        called = _CALLED.fullmatch(text)
        kind, equals, value = (
            (called["kind"], "=", called["value"]) if called else text.partition("=")
        )
        if _PERFORMANCE.fullmatch(text) or _OWN.fullmatch(text):
            return cls(text)
        if kind not in KINDS:
            known = ", ".join([*KINDS, "performance.NAME"])
            hint = did_you_mean(kind, KINDS) or f" Known: {known}."
            raise InputError(f"{shown(kind)} cannot be measured.{hint}")
        found = KINDS[kind]
        if not equals:
            return cls(kind, found.default)
        if not found.symbol:
            raise InputError(f"{kind} takes no value: {shown(value)} was found")
        parameter = to_float(value)
        least, most = found.allowed
        if not (least <= parameter <= most) or (kind == "renyi" and parameter == 0):
            raise InputError(
                f"{found.symbol} of {kind} is {shown(value)}: {_EXPECTED[kind]} is expected"
            )
        return cls(kind, parameter)

    @classmethod
    def of_function(cls, function: MeasureFunction) -> Measure:
        """A function of the distributions as a measure, by its name."""
        name = re.sub(r"\W+", "", getattr(function, "__name__", type(function).__name__))
        return cls(f"own.{name or 'measure'}", None, function)

    @classmethod
    def of_column(cls, name: str) -> Measure:
        """The measure that has a column of this name beside the first."""
        column, equals, value = name.partition("=")
        kinds = [kind for kind, one in KINDS.items() if one.column == column]
        return cls.parse(f"{kinds[0] if kinds else column}{equals}{value}")

    @property
    def column(self) -> str:
        """What the number is called in results."""
        return KINDS[self.kind].column if self.kind in KINDS else self.kind

    @property
    def full_column(self) -> str:
        """The same with its parameter, which tells two of a kind apart."""
        return self.column if self.parameter is None else f"{self.column}={self.parameter!r}"

    @property
    def identity(self) -> str:
        """The same for two runs that measure the same: of a function, what it is compiled to."""
        code = getattr(self.function, "__code__", None)
        if code is None:
            return str(self)
        compiled = repr((code.co_code, code.co_consts, code.co_names))
        return f"{self} {hashlib.sha256(compiled.encode()).hexdigest()[:16]}"

    @property
    def travels(self) -> bool:
        """Whether other processes can be handed it: not where a function is of this session."""
        if self.function is None:
            return True
        if getattr(self.function, "__module__", "__main__") == "__main__":
            return False
        try:
            pickle.dumps(self.function)
        except (pickle.PicklingError, AttributeError, TypeError):
            return False
        return True

    def __str__(self) -> str:
        return self.kind if self.parameter is None else f"{self.kind}={self.parameter!r}"

    def of(self, snapshot: Snapshot) -> Measured:
        """The number."""
        if self.function is not None:
            value = self._own(snapshot.distributions)
            return Measured(value, (math.nan, math.nan))
        return KINDS[self.kind].find(snapshot, 0.0 if self.parameter is None else self.parameter)

    def _own(self, distributions: TeamDistributions) -> float:
        assert self.function is not None
        try:
            value = self.function(distributions)
        except Exception as error:
            raise InputError(
                f"the measure {self} failed: {type(error).__name__}: {error}"
            ) from error
        if not is_number(value):
            raise InputError(f"the measure {self} gave {shown(value)}: a number is expected")
        return to_float(value)


def read_measures(
    given: str | MeasureFunction | Iterable[str | MeasureFunction],
) -> tuple[Measure, ...]:
    """One measure or several, names or functions, each once."""
    listed = [given] if isinstance(given, str) or callable(given) else list(given)
    measures = []
    for one in listed:
        if not isinstance(one, str) and not callable(one):
            raise InputError(f"the measure {shown(one)} is neither a name nor a function")
        measures.append(Measure.parse(one) if isinstance(one, str) else Measure.of_function(one))
        if measures[-1].kind.startswith("own.") and measures[-1].function is None:
            raise InputError(f"{measures[-1]} names a function of one's own: give the function")
    if not measures:
        raise InputError("no measure is given: at least one is expected, such as leakage")
    for measure in measures:
        if measures.count(measure) > 1:
            hint = "" if measure.function is None else "; give one function another name"
            raise InputError(f"{measure} is to be measured twice: once is expected{hint}")
    return tuple(measures)


def is_first(name: str) -> bool:
    """Whether the column of the first measure may be called so."""
    return name in COLUMNS or bool(_PERFORMANCE.fullmatch(name) or _OWN.fullmatch(name))
