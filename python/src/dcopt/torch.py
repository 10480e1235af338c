"""A layer for PyTorch: `dcopt.torch.Layer`. It needs torch, the extra `dcopt[torch]`."""

from __future__ import annotations

from typing import Any, Sequence

import cvxpy as cp
import numpy as np
import torch

from ._derivative import Function


class Layer(torch.nn.Module):
    """The solution of a CVXPY problem as a function of tensors, as cvxpylayers has it.

    Arguments are those of `dcopt.Function`. Each tensor has the shape of its parameter, or one more
    dimension before it, the batch; results have a batch where an argument has one.
    """

    def __init__(self, problem: cp.Problem, parameters: Sequence[cp.Parameter], variables: Sequence[cp.Variable], **settings: Any) -> None:
        super().__init__()
        self.function = Function(problem, parameters, variables, **settings)

    def forward(self, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        out = _Solve.apply(self.function, *values)
        return out if isinstance(out, tuple) else (out,)


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Function, *values: torch.Tensor) -> Any:
        if len(values) != len(function.parameters):
            raise ValueError(f"{len(values)} arguments for {len(function.parameters)} parameters")
        arrays = [_array(v) for v in values]
        batched = [a.ndim > len(p.shape) for a, p in zip(arrays, function.parameters)]
        sizes = {a.shape[0] for a, b in zip(arrays, batched) if b}
        if len(sizes) > 1:
            raise ValueError(f"batches of different sizes: {sorted(sizes)}")
        ctx.function, ctx.arrays, ctx.batched, ctx.size = function, arrays, batched, next(iter(sizes), None)
        ctx.like = [(v.dtype, v.device) for v in values]
        results = [function(*_item(arrays, batched, k)) for k in range(1 if ctx.size is None else ctx.size)]
        ctx.calls = function.calls
        like = ctx.like[0] if ctx.like else (torch.float64, torch.device("cpu"))
        if ctx.size is None:
            return tuple(_tensor(a, *like) for a in results[0])
        return tuple(_tensor(np.reshape([r[i] for r in results], (ctx.size, *v.shape)), *like) for i, v in enumerate(function.variables))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        grads = [_array(g) for g in gradients]
        totals = [np.zeros(a.shape) for a in ctx.arrays]
        for k in range(1 if ctx.size is None else ctx.size):
            if ctx.size not in (None, 1) or ctx.function.calls != ctx.calls:
                ctx.function(*_item(ctx.arrays, ctx.batched, k))  # the worker keeps the last solution
            parts = ctx.function.adjoint(*(g if ctx.size is None else g[k] for g in grads))
            for total, part, batched in zip(totals, parts, ctx.batched):
                if batched:
                    total[k] += part
                else:
                    total += part
        return (None, *(_tensor(t, *like) for t, like in zip(totals, ctx.like)))


# By DLPack: torch's own way to arrays wants the major version of numpy that it was built with.

def _array(t: torch.Tensor) -> np.ndarray:
    return np.from_dlpack(t.detach().to("cpu", torch.float64).contiguous())


def _tensor(a: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.from_dlpack(np.ascontiguousarray(a)).to(device, dtype).reshape(a.shape)


def _item(arrays: list[np.ndarray], batched: list[bool], k: int) -> list[np.ndarray]:
    return [a[k] if b else a for a, b in zip(arrays, batched)]
