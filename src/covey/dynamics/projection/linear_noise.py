"""Linear noise: the mean of a team's counts and how they spread around it, for any team size.

The mean m follows the mean field. Around it counts are taken to be normal, with a covariance that
the reactions feed and the mean field's Jacobian J carries along [1]:

    dm/dt = Γ v(m),      dC/dt = J C + C Jᵀ + Γ diag(v) Γᵀ.

From one time to the next J and v are those half way, and for such the step is exact,

    C(t + h) = e^{Jh} C(t) e^{Jᵀh} + ∫_0^h e^{Js} Γ diag(v) Γᵀ e^{Jᵀs} ds,

the integral by doubling: from a part of h so short that its series has few terms. Nothing is
inverted and no step is too long, however fast the reactions are.

It says where a distribution is to be looked for. It is no distribution, and bounds nothing.

1. N. G. van Kampen, Stochastic Processes in Physics and Chemistry, chapter X.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.mean_field.rate_equations import jacobian, mean_field
from covey.model.network import Network
from covey.numbers import Floats, Ints

_SHORT = 0.25  # |J| times the part of a step that the doubling begins with
_TERMS = 8


@dataclass(frozen=True)
class Course:
    """Mean and covariance, from time to time."""

    times: Floats  # (times,)
    means: Floats  # (times, species)
    covariances: Floats  # (times, species, species)


def linear_noise(network: Network, start: Ints, times: Floats) -> Course:
    """The course of a team from its start, at increasing times of which the first is 0."""
    means = mean_field(network, start, times)
    covariances = np.zeros((len(times), len(start), len(start)))
    for i in range(1, len(times)):
        halfway = (means[i - 1] + means[i]) / 2
        step = float(times[i] - times[i - 1])
        covariances[i] = _step(network, halfway, covariances[i - 1], step)
    return Course(times, means, covariances)


def _step(network: Network, mean: Floats, covariance: Floats, step: float) -> Floats:
    """The covariance after a step in which J and v stay what they are."""
    moved, fed = transition(network, mean, step)
    return np.asarray(moved @ covariance @ moved.T + fed, dtype=float)


def transition(network: Network, mean: Floats, step: float) -> tuple[Floats, Floats]:
    """Over a step near a mean: e^{Jh}, and the covariance that the reactions feed."""
    sensitivities = jacobian(network, mean)
    rates = network.flows(mean)  # (reactions,)
    gamma = network.gamma.astype(float)
    size = float(np.abs(sensitivities).sum(axis=1).max()) * step / _SHORT
    halvings = max(math.ceil(math.log2(size)), 0) if size > 0 else 0
    part = sensitivities * (step / 2.0**halvings)
    moved = np.eye(len(mean))  # e^{Jh}, by its series
    fed = (gamma * rates) @ gamma.T * (step / 2.0**halvings)  # the integral, by its series
    term, feed = moved, fed
    for k in range(1, _TERMS):
        term = part @ term / k
        feed = (part @ feed + feed @ part.T) / (k + 1)
        moved, fed = moved + term, fed + feed
    for _ in range(halvings):
        fed = fed + moved @ fed @ moved.T
        moved = moved @ moved
    return moved, fed
