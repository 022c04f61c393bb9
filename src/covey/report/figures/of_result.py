"""The picture of a result, whichever kind it is: what `.plot()` gives."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from matplotlib.figure import Figure

from covey.dynamics.distribution import Distribution
from covey.dynamics.first_passage import FirstPassage
from covey.privacy.inference.certainty.certainty import Certainty
from covey.privacy.inference.estimate.estimate import Estimation
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import Profile
from covey.privacy.stream.stream import Stream
from covey.remedy.design.design import Design
from covey.remedy.mechanism.front import Front
from covey.remedy.mechanism.mechanism import Mechanism
from covey.remedy.mechanism.protect_stream import StreamMechanism
from covey.report.figures.audit_plot import draw_feed_audit, draw_log_audit, draw_residuals
from covey.report.figures.certainty_plot import draw_certainty
from covey.report.figures.design_plot import draw_design
from covey.report.figures.estimate_plot import draw_estimate
from covey.report.figures.first_passage_plot import draw_first_passage
from covey.report.figures.front_plot import draw_front
from covey.report.figures.marginals import draw_marginals
from covey.report.figures.mechanism_plot import draw_mechanism
from covey.report.figures.over_time import draw_trace
from covey.report.figures.pairs.pair_plot import draw_pair
from covey.report.figures.profile_plot import draw_profile
from covey.report.figures.side_by_side_plot import draw_side_by_side
from covey.report.figures.stream_front_plot import draw_stream_front
from covey.report.figures.stream_plot import draw_stream
from covey.report.figures.sweeps.sweep_plot import draw_sweep
from covey.study.audit.feed_audit import FeedAudit
from covey.study.audit.log_audit import LogAudit
from covey.study.fit.residuals import Residuals
from covey.study.side_by_side import SideBySide
from covey.study.sweep.result import Sweep
from covey.study.trace import Trace


@singledispatch
def figure_of(result: object, **options: Any) -> Figure:
    """The figure; the options are those of the function that draws this kind."""
    raise TypeError(f"a {type(result).__name__} has no picture of its own")


figure_of.register(Distribution, draw_marginals)
figure_of.register(FirstPassage, draw_first_passage)
figure_of.register(TeamDistributions, draw_pair)
figure_of.register(Profile, draw_profile)
figure_of.register(Stream, draw_stream)
figure_of.register(Estimation, draw_estimate)
figure_of.register(Certainty, draw_certainty)
figure_of.register(Front, draw_front)
figure_of.register(Mechanism, draw_mechanism)
figure_of.register(StreamMechanism, draw_stream_front)
figure_of.register(Trace, draw_trace)
figure_of.register(Sweep, draw_sweep)
figure_of.register(SideBySide, draw_side_by_side)
figure_of.register(Design, draw_design)
figure_of.register(LogAudit, draw_log_audit)
figure_of.register(FeedAudit, draw_feed_audit)
figure_of.register(Residuals, draw_residuals)
