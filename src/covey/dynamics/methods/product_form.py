"""The closed form of a complex-balanced network: steady, without any chain (`product_form`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from covey.dynamics.distribution import Distribution
from covey.dynamics.methods.method import ASKED, GaveUpError, Method, Plan, Problem, Refused
from covey.dynamics.product_form.capped_form import CappedForm
from covey.dynamics.product_form.elimination.convolve import TooSlowError
from covey.dynamics.product_form.product_form import Prepared, ProductForm
from covey.errors import TooLargeError, UnsupportedError
from covey.model.observation.adversary import Moment

_QUICK = 1e7  # rows that a sum over every outcome may write: some seconds


class ProductFormMethod(Method):
    """Sums over one species at a time."""

    name = "product-form"

    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """Every outcome where that is quick, and otherwise all but a tolerance."""
        form = problem.prepared.closed_form
        if isinstance(form, UnsupportedError):
            raise form
        prepared, allowed = self._sums(problem, form)
        why = form.why if problem.limits.method is None else ASKED
        if allowed:
            why += f", followed for all but {allowed:.2g} of the probability"
        return Plan(
            at, self.name, why, problem.reached.states, prepared.certain,
            tolerance=allowed, prepared=prepared,
        )  # fmt: skip

    def _sums(self, problem: Problem, form: ProductForm | CappedForm) -> tuple[Prepared, float]:
        """The sums, and which probability they may leave out.

        Every outcome, where that takes seconds; else all but a tolerance; and where that cannot be
        had, every outcome as long as it may take.
        """
        start, query = problem.start, problem.query
        try:
            return form.prepare(start, query, max_written=_QUICK), 0.0
        except TooLargeError as error:
            whole = error
        allowed = problem.limits.tolerance_of(self.name)
        try:
            return form.prepare(start, query, tolerance=allowed), allowed
        except (TooLargeError, UnsupportedError) as error:
            if isinstance(whole, TooSlowError):
                return form.prepare(start, query), 0.0
            raise (error if isinstance(error, TooLargeError) else whole) from None

    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """The sums; how many states they are over is known where none was left out."""
        (plan,) = plans
        try:
            found: Distribution = plan.prepared.distribution()
        except (UnsupportedError, TooLargeError) as error:
            raise GaveUpError(error) from error
        states = found.states
        if states is None and not found.truncated_mass:  # else nobody has been to all of them
            states = plan.states
        return [replace(found, method=self.name, why=plan.why, states=states)]
