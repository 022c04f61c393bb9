"""The sums of eight neighbouring rows, in one register of the processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANES = 8  # rows of a group, which one register sums up


def _sum_row_group_plainly(
    begin: np.uint64,
    end: np.uint64,
    sources: NDArray[np.uint32],
    numbers: NDArray[np.uint16],
    rates: NDArray[np.float64],
    stay: NDArray[np.float64],
    scale: float,
    vector: NDArray[np.float64],
    less: float,
    before: NDArray[np.float64],
    out: NDArray[np.float64],
    row: np.uint64,
) -> None:
    """Set out = scale * (incoming + stay * vector) - less * before in the eight rows from `row`."""
    rows = slice(int(row), int(row) + LANES)
    total = stay[rows] * vector[rows]
    for k in range(int(begin), int(end)):
        source, number = int(sources[k]), int(numbers[k]) * LANES
        total += rates[number : number + LANES] * vector[source : source + LANES]
    out[rows] = total * scale - less * before[rows]


def _sum_row_group_in_registers() -> Callable[..., None]:
    """The same in machine code: left to itself, numba adds up one row after the other."""
    tools: Any = cgutils
    ir = tools.ir

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        begin, end, sources, numbers, rates, stay, scale, vector, less, before, out, row = (
            tools.create_struct_proxy(kind)(context, builder, value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, args, strict=True)
        )
        index, vector_type = ir.IntType(64), ir.VectorType(ir.DoubleType(), LANES)

        def number(data: Any, place: Any) -> Any:
            return builder.zext(builder.load(builder.gep(data, [place])), index)

        def where(data: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(data, [place]), vector_type.as_pointer())

        def several(data: Any, place: Any) -> Any:
            return builder.load(where(data, place), align=8)

        def spread(value: Any) -> Any:
            filled = ir.Constant(vector_type, ir.Undefined)
            for lane in range(LANES):
                filled = builder.insert_element(filled, value, ir.IntType(32)(lane))
            return filled

        stays = builder.fmul(several(stay, row), several(vector, row))
        total = tools.alloca_once_value(builder, stays)
        with tools.for_range_slice(builder, begin, end, index(1), index) as (k, _):
            rate = several(rates, builder.mul(number(numbers, k), index(LANES)))
            term = builder.fmul(rate, several(vector, number(sources, k)))
            builder.store(builder.fadd(builder.load(total), term), total)
        scaled = builder.fmul(builder.load(total), spread(scale))
        result = builder.fsub(scaled, builder.fmul(spread(less), several(before, row)))
        builder.store(result, where(out, row), align=8)
        return context.get_dummy_value()

    def typed(
        _: Any,
        begin: Any,
        end: Any,
        sources: Any,
        numbers: Any,
        rates: Any,
        stay: Any,
        scale: Any,
        vector: Any,
        less: Any,
        before: Any,
        out: Any,
        row: Any,
    ) -> tuple[Any, Any]:
        kinds = (begin, end, sources, numbers, rates, stay, scale, vector, less, before, out, row)
        return types.void(*kinds), generate

    made: Callable[..., None] = intrinsic(typed)
    return made


_settings: Any = config
sum_row_group = _sum_row_group_plainly if _settings.DISABLE_JIT else _sum_row_group_in_registers()
