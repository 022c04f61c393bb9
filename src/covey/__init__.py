"""covey: how much does a team of robots give away when somebody looks at it?

The public names. They are imported when they are first used, so that `import covey` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from covey.dynamics.distribution import Computed, Distribution
    from covey.dynamics.limits import Limits
    from covey.dynamics.mean_field.rate_equations import equilibrium, mean_field
    from covey.dynamics.planner import Plan
    from covey.dynamics.product_form.product_form import ProductForm
    from covey.dynamics.solve import distribution, solve
    from covey.dynamics.solver import Solver
    from covey.dynamics.ssa.simulation import EventLog, end_points, event_log, trajectories
    from covey.errors import (
        CoveyError,
        CoveyWarning,
        DirectBreachWarning,
        InputError,
        NoStationaryLawError,
        TooLargeError,
        UnsupportedError,
    )
    from covey.model.adversary import Adversary
    from covey.model.io.log_table import LogTable
    from covey.model.io.mechanism_file import open_mechanism
    from covey.model.io.prism import to_prism
    from covey.model.io.sbml.reader import SbmlModel, from_sbml
    from covey.model.io.sbml.writer import to_sbml
    from covey.model.io.scenario_file import dump, dumps, load, loads
    from covey.model.network import Network
    from covey.model.performance import Measure
    from covey.model.query import Query
    from covey.model.rate_laws.rate_law import RateLaw
    from covey.model.reaction import Complex, Reaction
    from covey.model.release import Release
    from covey.model.release_table import ReleaseTable
    from covey.model.scenario import Scenario
    from covey.model.species import Species
    from covey.model.structure.reachability import Reach, reach
    from covey.model.structure.structure import Structure
    from covey.model.team import Arrival, Neighbour, Team
    from covey.privacy.headline import Headline, OverTime
    from covey.privacy.inference.audit import Audit, audit
    from covey.privacy.inference.posterior import Inference, infer
    from covey.privacy.inference.watch import Watch, Watched, watch
    from covey.privacy.snapshot.channel import seen_through, thin, through
    from covey.privacy.snapshot.composition import Account, account, account_of
    from covey.privacy.snapshot.groups import GroupLeakage, group_leakage
    from covey.privacy.snapshot.leakage import Leakage, leakage, leakage_of
    from covey.privacy.snapshot.output_distributions import TeamDistributions, team_distributions
    from covey.privacy.snapshot.paper_index import PaperIndex, paper_index
    from covey.privacy.snapshot.profile import Profile, profile, profile_of
    from covey.privacy.stream.joint_distributions import joint_distributions
    from covey.privacy.stream.period import Period, period
    from covey.privacy.stream.stream import PairStream, Stream, stream
    from covey.privacy.stream.stream_row import StreamRow
    from covey.remedy.design.design import Design, design
    from covey.remedy.design.evaluation import Evaluated
    from covey.remedy.last_published import LastPublished, last_published
    from covey.remedy.mechanism.front import Front, front
    from covey.remedy.mechanism.mechanism import Compared, Mechanism
    from covey.remedy.mechanism.protect import protect
    from covey.remedy.mechanism.protect_stream import StreamMechanism, protect_stream
    from covey.remedy.mechanism.stream_search import Tried
    from covey.remedy.mechanism.whole_stream import WholeStream
    from covey.remedy.performance import Achieved, Performance, performance
    from covey.remedy.publisher import Publisher
    from covey.report.page.document import write_report
    from covey.study.assessment import Assessment, assess
    from covey.study.fit.fit import Estimate, Fit, fit
    from covey.study.fit.fit_file import FittedRates, open_fit, save_fit
    from covey.study.fit.logs.reading import Reading
    from covey.study.rate_range import RateRange, rate_range
    from covey.study.remedies import Remedies
    from covey.study.sensitivity import Sensitivity, sensitivity
    from covey.study.sweep.axes import Axis
    from covey.study.sweep.result import Sweep, open_sweep
    from covey.study.sweep.sweep import sweep
    from covey.study.trace import Trace, trace

_HOME = {
    "covey.dynamics.distribution": ("Computed", "Distribution"),
    "covey.dynamics.solver": ("Solver",),
    "covey.dynamics.planner": ("Plan",),
    "covey.dynamics.limits": ("Limits",),
    "covey.dynamics.mean_field.rate_equations": ("equilibrium", "mean_field"),
    "covey.dynamics.product_form.product_form": ("ProductForm",),
    "covey.dynamics.ssa.simulation": ("EventLog", "end_points", "event_log", "trajectories"),
    "covey.dynamics.solve": ("distribution", "solve"),
    "covey.errors": (
        "CoveyError",
        "CoveyWarning",
        "DirectBreachWarning",
        "InputError",
        "NoStationaryLawError",
        "TooLargeError",
        "UnsupportedError",
    ),
    "covey.model.io.prism": ("to_prism",),
    "covey.model.io.sbml.reader": ("SbmlModel", "from_sbml"),
    "covey.model.io.sbml.writer": ("to_sbml",),
    "covey.model.rate_laws.rate_law": ("RateLaw",),
    "covey.model.io.log_table": ("LogTable",),
    "covey.model.network": ("Network",),
    "covey.model.performance": ("Measure",),
    "covey.model.query": ("Query",),
    "covey.model.structure.reachability": ("Reach", "reach"),
    "covey.model.reaction": ("Complex", "Reaction"),
    "covey.model.adversary": ("Adversary",),
    "covey.model.release": ("Release",),
    "covey.model.io.mechanism_file": ("open_mechanism",),
    "covey.model.release_table": ("ReleaseTable",),
    "covey.model.scenario": ("Scenario",),
    "covey.model.io.scenario_file": ("dump", "dumps", "load", "loads"),
    "covey.model.species": ("Species",),
    "covey.model.structure.structure": ("Structure",),
    "covey.model.team": ("Arrival", "Neighbour", "Team"),
    "covey.privacy.snapshot.composition": ("Account", "account", "account_of"),
    "covey.privacy.inference.audit": ("Audit", "audit"),
    "covey.privacy.snapshot.channel": ("seen_through", "thin", "through"),
    "covey.privacy.snapshot.groups": ("GroupLeakage", "group_leakage"),
    "covey.privacy.headline": ("Headline", "OverTime"),
    "covey.privacy.inference.posterior": ("Inference", "infer"),
    "covey.privacy.snapshot.output_distributions": ("TeamDistributions", "team_distributions"),
    "covey.privacy.snapshot.leakage": ("Leakage", "leakage", "leakage_of"),
    "covey.privacy.snapshot.paper_index": ("PaperIndex", "paper_index"),
    "covey.privacy.snapshot.profile": ("Profile", "profile", "profile_of"),
    "covey.privacy.stream.joint_distributions": ("joint_distributions",),
    "covey.privacy.stream.period": ("Period", "period"),
    "covey.privacy.stream.stream": ("PairStream", "Stream", "stream"),
    "covey.privacy.stream.stream_row": ("StreamRow",),
    "covey.privacy.inference.watch": ("Watch", "Watched", "watch"),
    "covey.remedy.mechanism.front": ("Front", "front"),
    "covey.remedy.last_published": ("LastPublished", "last_published"),
    "covey.remedy.mechanism.mechanism": ("Compared", "Mechanism"),
    "covey.remedy.design.design": ("Design", "design"),
    "covey.remedy.design.evaluation": ("Evaluated",),
    "covey.remedy.performance": ("Achieved", "Performance", "performance"),
    "covey.remedy.mechanism.protect": ("protect",),
    "covey.remedy.mechanism.protect_stream": ("StreamMechanism", "protect_stream"),
    "covey.remedy.mechanism.whole_stream": ("WholeStream",),
    "covey.remedy.publisher": ("Publisher",),
    "covey.remedy.mechanism.stream_search": ("Tried",),
    "covey.report.page.document": ("write_report",),
    "covey.study.assessment": ("Assessment", "assess"),
    "covey.study.fit.fit": ("Estimate", "Fit", "fit"),
    "covey.study.fit.fit_file": ("FittedRates", "open_fit", "save_fit"),
    "covey.study.fit.logs.reading": ("Reading",),
    "covey.study.rate_range": ("RateRange", "rate_range"),
    "covey.study.remedies": ("Remedies",),
    "covey.study.sensitivity": ("Sensitivity", "sensitivity"),
    "covey.study.sweep.axes": ("Axis",),
    "covey.study.sweep.sweep": ("sweep",),
    "covey.study.sweep.result": ("Sweep", "open_sweep"),
    "covey.study.trace": ("Trace", "trace"),
}
_HOME_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Account",
    "Achieved",
    "Adversary",
    "Arrival",
    "Assessment",
    "Audit",
    "Axis",
    "Compared",
    "Complex",
    "Computed",
    "CoveyError",
    "CoveyWarning",
    "Design",
    "DirectBreachWarning",
    "Distribution",
    "Estimate",
    "Evaluated",
    "EventLog",
    "Fit",
    "FittedRates",
    "Front",
    "GroupLeakage",
    "Headline",
    "Inference",
    "InputError",
    "LastPublished",
    "Leakage",
    "Limits",
    "LogTable",
    "Measure",
    "Mechanism",
    "Neighbour",
    "Network",
    "NoStationaryLawError",
    "OverTime",
    "PairStream",
    "PaperIndex",
    "Performance",
    "Period",
    "Plan",
    "ProductForm",
    "Profile",
    "Publisher",
    "Query",
    "RateLaw",
    "RateRange",
    "Reach",
    "Reaction",
    "Reading",
    "Release",
    "ReleaseTable",
    "Remedies",
    "SbmlModel",
    "Scenario",
    "Sensitivity",
    "Solver",
    "Species",
    "Stream",
    "StreamMechanism",
    "StreamRow",
    "Structure",
    "Sweep",
    "Team",
    "TeamDistributions",
    "TooLargeError",
    "Trace",
    "Tried",
    "UnsupportedError",
    "Watch",
    "Watched",
    "WholeStream",
    "__version__",
    "account",
    "account_of",
    "assess",
    "audit",
    "design",
    "distribution",
    "dump",
    "dumps",
    "end_points",
    "equilibrium",
    "event_log",
    "fit",
    "from_sbml",
    "front",
    "group_leakage",
    "infer",
    "joint_distributions",
    "last_published",
    "leakage",
    "leakage_of",
    "load",
    "loads",
    "mean_field",
    "open_fit",
    "open_mechanism",
    "open_sweep",
    "paper_index",
    "performance",
    "period",
    "profile",
    "profile_of",
    "protect",
    "protect_stream",
    "rate_range",
    "reach",
    "save_fit",
    "seen_through",
    "sensitivity",
    "solve",
    "stream",
    "sweep",
    "team_distributions",
    "thin",
    "through",
    "to_prism",
    "to_sbml",
    "trace",
    "trajectories",
    "watch",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
