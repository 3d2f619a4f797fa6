"""Reductions and running sums."""

import operator_benchmark as op_bench

import torch

short = op_bench.cross_product_configs(
    R=[64, 256], V=[32, 512], dim=[0, 1], contiguous=[True, False], device=op_bench.DEVICES["device"], tags=["short"]
)
names = "sum mean amax var std prod logsumexp argmax cumsum".split()
operators = op_bench.op_list(attr_names=["op_name", "op_func"], attrs=[[name, getattr(torch, name)] for name in names])


class ReduceBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, R, V, dim, contiguous, device, op_func):
        x = torch.rand(R, V, device=device)
        self.inputs = {"input": x if contiguous else torch.rand(R, 2 * V, device=device)[:, ::2], "dim": dim}
        self.op_func = op_func

    def forward(self, input, dim):
        return self.op_func(input, dim)


op_bench.generate_pt_tests_from_op_list(operators, short, ReduceBenchmark)
op_bench.generate_cases("calls", "sum, 4 elements")
op_bench.generate_cases("memory", "sum", "sum(0)", "sum(1)", "var", "max(1)", "cumsum")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
