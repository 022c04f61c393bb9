"""covey: how much does a team of robots give away when somebody looks at it?

The public names. They are imported when they are first used, so that `import covey` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from covey.dynamics.closed_form.product_form import ProductForm
    from covey.dynamics.distribution import Computed, Distribution
    from covey.dynamics.engine import Engine
    from covey.dynamics.limits import Limits
    from covey.dynamics.mean_field import equilibrium, mean_field
    from covey.dynamics.planning import Plan
    from covey.dynamics.simulation import EventLog, end_points, event_log, trajectories
    from covey.dynamics.solve import distribution, solve
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
    from covey.model.law import Law
    from covey.model.log_table import LogTable
    from covey.model.network import Network
    from covey.model.performance import Measure
    from covey.model.prism import to_prism
    from covey.model.query import Query
    from covey.model.reach import Reach, reach
    from covey.model.reaction import Complex, Reaction
    from covey.model.release import Release
    from covey.model.release_file import open_mechanism
    from covey.model.release_table import ReleaseTable
    from covey.model.sbml.reader import SbmlModel, from_sbml
    from covey.model.sbml.writer import to_sbml
    from covey.model.scenario import Scenario
    from covey.model.scenario_file import dump, dumps, load, loads
    from covey.model.species import Species
    from covey.model.structure import Structure
    from covey.model.team import Arrival, Neighbour, Team
    from covey.privacy.account import Account, account, account_of
    from covey.privacy.audit import Audit, audit
    from covey.privacy.channel import seen_through, thin, through
    from covey.privacy.groups import GroupLeakage, group_leakage
    from covey.privacy.headline import Headline, OverTime
    from covey.privacy.inference import Inference, infer
    from covey.privacy.joint_laws import joint_laws
    from covey.privacy.laws import TeamLaws, team_laws
    from covey.privacy.leakage import Leakage, leakage, leakage_of
    from covey.privacy.paper_index import PaperIndex, paper_index
    from covey.privacy.period import Period, period
    from covey.privacy.profile import Profile, profile, profile_of
    from covey.privacy.stream import PairStream, Stream, stream
    from covey.privacy.told import Told
    from covey.privacy.watch import Watch, Watched, watch
    from covey.remedy.design.design import Design, design
    from covey.remedy.design.evaluation import Evaluated
    from covey.remedy.front import Front, front
    from covey.remedy.last_published import LastPublished, last_published
    from covey.remedy.mechanism import Compared, Mechanism
    from covey.remedy.performance import Achieved, Performance, performance
    from covey.remedy.protect import protect
    from covey.remedy.protect_stream import StreamMechanism, protect_stream
    from covey.remedy.publisher import Publisher
    from covey.remedy.stream_search import Tried
    from covey.report.page.document import write_report
    from covey.study.assessment import Assessment, assess
    from covey.study.fit.fit import Estimate, Fit, fit
    from covey.study.fit.fit_file import FittedRates, open_fit, save_fit
    from covey.study.fit.reading import Reading
    from covey.study.rate_range import RateRange, rate_range
    from covey.study.remedies import Remedies
    from covey.study.sensitivity import Sensitivity, sensitivity
    from covey.study.sweep.axes import Axis
    from covey.study.sweep.result import Sweep, open_sweep
    from covey.study.sweep.sweep import sweep
    from covey.study.trace import Trace, trace

_HOME = {
    "covey.dynamics.distribution": ("Computed", "Distribution"),
    "covey.dynamics.engine": ("Engine",),
    "covey.dynamics.planning": ("Plan",),
    "covey.dynamics.limits": ("Limits",),
    "covey.dynamics.mean_field": ("equilibrium", "mean_field"),
    "covey.dynamics.closed_form.product_form": ("ProductForm",),
    "covey.dynamics.simulation": ("EventLog", "end_points", "event_log", "trajectories"),
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
    "covey.model.prism": ("to_prism",),
    "covey.model.sbml.reader": ("SbmlModel", "from_sbml"),
    "covey.model.sbml.writer": ("to_sbml",),
    "covey.model.law": ("Law",),
    "covey.model.log_table": ("LogTable",),
    "covey.model.network": ("Network",),
    "covey.model.performance": ("Measure",),
    "covey.model.query": ("Query",),
    "covey.model.reach": ("Reach", "reach"),
    "covey.model.reaction": ("Complex", "Reaction"),
    "covey.model.adversary": ("Adversary",),
    "covey.model.release": ("Release",),
    "covey.model.release_file": ("open_mechanism",),
    "covey.model.release_table": ("ReleaseTable",),
    "covey.model.scenario": ("Scenario",),
    "covey.model.scenario_file": ("dump", "dumps", "load", "loads"),
    "covey.model.species": ("Species",),
    "covey.model.structure": ("Structure",),
    "covey.model.team": ("Arrival", "Neighbour", "Team"),
    "covey.privacy.account": ("Account", "account", "account_of"),
    "covey.privacy.audit": ("Audit", "audit"),
    "covey.privacy.channel": ("seen_through", "thin", "through"),
    "covey.privacy.groups": ("GroupLeakage", "group_leakage"),
    "covey.privacy.headline": ("Headline", "OverTime"),
    "covey.privacy.inference": ("Inference", "infer"),
    "covey.privacy.laws": ("TeamLaws", "team_laws"),
    "covey.privacy.leakage": ("Leakage", "leakage", "leakage_of"),
    "covey.privacy.paper_index": ("PaperIndex", "paper_index"),
    "covey.privacy.profile": ("Profile", "profile", "profile_of"),
    "covey.privacy.joint_laws": ("joint_laws",),
    "covey.privacy.period": ("Period", "period"),
    "covey.privacy.stream": ("PairStream", "Stream", "stream"),
    "covey.privacy.told": ("Told",),
    "covey.privacy.watch": ("Watch", "Watched", "watch"),
    "covey.remedy.front": ("Front", "front"),
    "covey.remedy.last_published": ("LastPublished", "last_published"),
    "covey.remedy.mechanism": ("Compared", "Mechanism"),
    "covey.remedy.design.design": ("Design", "design"),
    "covey.remedy.design.evaluation": ("Evaluated",),
    "covey.remedy.performance": ("Achieved", "Performance", "performance"),
    "covey.remedy.protect": ("protect",),
    "covey.remedy.protect_stream": ("StreamMechanism", "protect_stream"),
    "covey.remedy.publisher": ("Publisher",),
    "covey.remedy.stream_search": ("Tried",),
    "covey.report.page.document": ("write_report",),
    "covey.study.assessment": ("Assessment", "assess"),
    "covey.study.fit.fit": ("Estimate", "Fit", "fit"),
    "covey.study.fit.fit_file": ("FittedRates", "open_fit", "save_fit"),
    "covey.study.fit.reading": ("Reading",),
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
    "Engine",
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
    "Law",
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
    "Species",
    "Stream",
    "StreamMechanism",
    "Structure",
    "Sweep",
    "Team",
    "TeamLaws",
    "Told",
    "TooLargeError",
    "Trace",
    "Tried",
    "UnsupportedError",
    "Watch",
    "Watched",
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
    "joint_laws",
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
    "team_laws",
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
