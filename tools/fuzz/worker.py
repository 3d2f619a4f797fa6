"""Runs programs under the interpreter that starts it. Reads and writes one JSON object per line.

It needs only torch and the standard library, so both interpreters can run this file. A request is {"program": ...}. Two more
keys distinguish accumulated rounding from a defect: "force" has results of the other library that replace this one's after
each step, and "noise" is a seed for changes of one unit in the last place after each step. "each" requests the gradients of
each result alone.
"""

import contextlib
import json
import os
import sys
import warnings

HALVES = ("torch.float16", "torch.bfloat16")


def numbers(torch, t):
    """The elements as a flat list; a complex number is two."""
    t = t.detach()
    if hasattr(t, "_is_zerotensor") and t._is_zerotensor():  # gradients that are 0 have no memory in PyTorch
        t = torch.zeros(t.shape, dtype=t.dtype)
    if t.is_complex():
        t = torch.view_as_real((t.to(torch.complex64) if t.dtype == torch.complex32 else t).resolve_conj())
    if str(t.dtype) in HALVES or "float8" in str(t.dtype):
        t = t.float()
    if str(t.dtype) in ("torch.uint16", "torch.uint32"):
        t = t.to(torch.int64)
    return t.reshape(-1).tolist()


class Run:
    """One running program: its variables, and the facts recorded about them."""

    def __init__(self, torch, program, force=None, noise=None, each=False):
        self.torch, self.program, self.force, self.noise, self.each = torch, program, force, noise, each
        self.space = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "inf": float("inf"), "nan": float("nan")}

    def run(self):
        torch = self.torch
        torch.manual_seed(self.program["seed"] % 2**31)
        steps = [self.step(i, *s) for i, s in enumerate(self.program["steps"])]
        result = {"steps": steps, "end": self.end()}
        if self.program["grads"]:
            result["grads"] = self.grads()
        return result

    def step(self, i, code, op, outs):
        """Facts of the results, or the exception's name and text, or None if an earlier step left an input undefined."""
        try:
            exec(code, self.space)
        except NameError:
            return None
        except Exception as e:
            return {"error": type(e).__name__, "text": str(e).partition("\n")[0][:200]}
        try:
            found = [self.facts(name, self.space.get(name)) for name in outs]
        except RuntimeError as e:  # even reading requires_grad raises an error for such a view
            return {"error": "of a view", "text": str(e).partition("\n")[0][:200]}
        if self.force is not None:
            self.put(i, outs, found)
        elif self.noise is not None:
            self.shake(outs, i)
        return found

    def facts(self, name, v):
        torch = self.torch
        if isinstance(v, (list, tuple)):
            return [self.facts(name, x) for x in v]
        if not isinstance(v, torch.Tensor):
            return {"value": v if isinstance(v, (int, float, bool, str, type(None))) else type(v).__name__}
        return {
            "dtype": str(v.dtype)[6:],
            "shape": list(v.shape),
            "strides": list(v.stride()),
            "view": v._is_view(),
            "memory": self.owner(name, v),
            "grad": [v.requires_grad, v.is_leaf],
            "numbers": numbers(torch, v),
        }

    def owner(self, name, v):
        """The first variable that shares memory with this one."""
        where = v.untyped_storage().data_ptr() if v.numel() else 0
        for other, t in self.space.items():
            if where and isinstance(t, self.torch.Tensor) and t.untyped_storage().data_ptr() == where:
                return other
        return name

    # --- rounding ---

    def tensors(self, outs):
        for name in outs:
            v = self.space.get(name)
            if (
                isinstance(v, self.torch.Tensor)
                and 0 not in v.stride()
                and v.numel()
                and v.dtype.is_floating_point | v.is_complex()
            ):
                yield name, v

    def put(self, i, outs, found):
        """Replaces this library's numbers by the other's, so that both start the next step from equal data."""
        torch = self.torch
        theirs = self.force[i] if i < len(self.force) else None
        if not isinstance(theirs, list):
            return
        for name, v in self.tensors(outs):
            mine, expected = found[outs.index(name)], theirs[outs.index(name)]
            if not isinstance(expected, dict) or expected.get("shape") != mine["shape"] or expected["dtype"] != mine["dtype"]:
                continue
            if repr(mine["numbers"]) == repr(expected["numbers"]):
                continue
            part = torch.float64 if mine["dtype"] in ("float64", "complex128") else torch.float32
            new = torch.tensor(expected["numbers"], dtype=part)
            new = torch.view_as_complex(new.reshape(*v.shape, 2)) if v.is_complex() else new.reshape(v.shape)
            with torch.no_grad(), contextlib.suppress(RuntimeError):
                v.data.copy_(new)

    def shake(self, outs, i):
        torch = self.torch
        hidden = []  # modules and inputs of a stack are not variables of the program
        if "model" in self.space:
            hidden = [
                p for p in (*self.space["model"].parameters(), self.space.get("x")) if p is not None and p.is_floating_point()
            ]
        for v in [*(v for _, v in self.tensors(outs)), *hidden]:
            if v.dtype.itemsize < 2:
                continue
            part = v.data.real if v.is_complex() else v.data
            unit = (torch.arange(v.numel()) * 37 + (self.noise + 1) * 101 + i * 17) % 23 / 11.0 - 1.0
            with torch.no_grad(), contextlib.suppress(RuntimeError):
                changed = part * (1 + unit.reshape(v.shape).to(torch.float64) * torch.finfo(v.dtype).eps)
                part.copy_(changed)

    # --- the end of a program ---

    def end(self):
        found = {}
        for name, v in self.space.items():
            if isinstance(v, self.torch.Tensor):
                found[name] = numbers(self.torch, v)
        return found

    def weigh(self, v):
        """A sum with uneven weights, in float64."""
        torch = self.torch
        w = (torch.arange(v.numel(), dtype=torch.float64).reshape(v.shape) * 7 % 11 - 5) / 4
        parts = [v.real, v.imag] if v.is_complex() else [v]
        return sum((p.double() * w).sum() for p in parts)

    def grads(self):
        """Gradients of a weighted sum of all results and of those gradients; of each result alone where that fails."""
        torch = self.torch
        tensors = {n: v for n, v in self.space.items() if isinstance(v, torch.Tensor)}
        leaves, results = {}, {}
        for n, v in tensors.items():
            with contextlib.suppress(RuntimeError):  # the same for views
                if v.requires_grad:
                    (leaves if v.is_leaf else results)[n] = v
        found = {}
        for finite in (True, False):
            picked = {n: v for n, v in results.items() if bool(torch.isfinite(v.detach()).all()) == finite}
            if picked and leaves:
                label = "finite" if finite else "not finite"
                found[label] = self.backward(leaves, picked, twice=finite)
                if self.each or "error" in found[label] or "error" in found[label].get("again", {}):
                    for n, v in picked.items():
                        found[f"{label} {n}"] = self.backward(leaves, {n: v}, twice=finite)
        return found

    def backward(self, leaves, picked, twice):
        torch = self.torch
        inputs = list(leaves.values())
        try:
            loss = sum(map(self.weigh, picked.values()))
            grads = torch.autograd.grad(loss, inputs, create_graph=twice, retain_graph=True, allow_unused=True)
        except Exception as e:
            return {"error": type(e).__name__, "text": str(e).partition("\n")[0][:200]}
        found = dict(zip(leaves, map(self.gradient, grads)))
        again = [g for g in grads if g is not None and g.requires_grad and bool(torch.isfinite(g.detach()).all())]
        if twice and again:
            try:
                grads = torch.autograd.grad(sum(map(self.weigh, again)), inputs, retain_graph=True, allow_unused=True)
                found["again"] = dict(zip(leaves, map(self.gradient, grads)))
            except Exception as e:
                found["again"] = {"error": type(e).__name__, "text": str(e).partition("\n")[0][:200]}
        return found

    def gradient(self, g):
        if g is None:
            return None
        return {"dtype": str(g.dtype)[6:], "shape": list(g.shape), "numbers": numbers(self.torch, g)}


def run(torch, request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Run(torch, **request).run()


def main():
    sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
    import torch

    torch.set_num_threads(1)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # printed output is not a result
    print(json.dumps({"version": torch.__version__, "where": os.path.dirname(torch.__file__)}), file=results, flush=True)
    for line in sys.stdin:
        print(json.dumps(run(torch, json.loads(line))), file=results, flush=True)


if __name__ == "__main__":
    main()
