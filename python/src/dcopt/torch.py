"""A layer for PyTorch: `dcopt.torch.Layer`. It needs torch, the extra `dcopt[torch]`."""

from __future__ import annotations

from typing import Any, Sequence

import cvxpy as cp
import numpy as np
import torch

from ._function import Batch, Function


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
        ctx.batched = batched
        ctx.like = [(v.dtype, v.device) for v in values]
        ctx.batch = Batch(function, [a if b else a[None] for a, b in zip(arrays, batched)])
        like = ctx.like[0] if ctx.like else (torch.float64, torch.device("cpu"))
        return tuple(_tensor(a if sizes else a[0], *like) for a in ctx.batch.values)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        parts = ctx.batch.adjoint(*map(_array, gradients))
        return (None, *(_tensor(part if batched else part.sum(axis=0), *like) for part, batched, like in zip(parts, ctx.batched, ctx.like)))


# By DLPack: torch's own way to arrays wants the major version of numpy that it was built with.

def _array(t: torch.Tensor) -> np.ndarray:
    return np.from_dlpack(t.detach().to("cpu", torch.float64).contiguous())


def _tensor(a: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.from_dlpack(np.ascontiguousarray(a)).to(device, dtype).reshape(a.shape)

