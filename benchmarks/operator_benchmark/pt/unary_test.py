"""Elementwise functions of one tensor."""

import operator_benchmark as op_bench

import torch

configs = op_bench.config_list(
    attr_names=["M", "N"], attrs=[[1, 1], [512, 512]], cross_product_configs=op_bench.DEVICES, tags=["short"]
)
configs += op_bench.cross_product_configs(M=[256, 1024], N=[256, 1024], device=op_bench.DEVICES["device"], tags=["long"])
names = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor log log10 log1p log2 neg reciprocal relu round rsqrt sigmoid
sign sin sinh sqrt square tan tanh trunc lgamma digamma""".split()
operators = op_bench.op_list(attr_names=["op_name", "op_func"], attrs=[[name, getattr(torch, name)] for name in names])


class UnaryBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, device, op_func):
        self.inputs = {"input": torch.rand(M, N, device=device)}
        self.op_func = op_func

    def forward(self, input):
        return self.op_func(input)


op_bench.generate_pt_tests_from_op_list(operators, configs, UnaryBenchmark)
op_bench.generate_cases("calls", "relu, 4 elements")
op_bench.generate_cases("memory", "relu", "exp", "tanh", "clone", "to(float64)")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
