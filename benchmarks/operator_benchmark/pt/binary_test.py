"""Elementwise functions of two tensors, with broadcasting."""

import operator_benchmark as op_bench

import torch

configs = op_bench.config_list(
    attr_names=["in_one", "in_two"], attrs=[[[64, 1, 64], [1, 64, 1]], [[256, 256], [256, 256]]],
    cross_product_configs={"device": ["cpu", "cuda"], "dtype": [torch.float32]}, tags=["short"],
)  # fmt: skip
configs += op_bench.config_list(
    attr_names=["in_one", "in_two"], attrs=[[[1024, 1024], [1024, 1024]], [[1024, 1024], [1024]]],
    cross_product_configs={"device": ["cpu", "cuda"], "dtype": [torch.float32, torch.bfloat16, torch.int32]}, tags=["long"],
)  # fmt: skip
names = "sub mul div maximum minimum gt eq atan2 fmod remainder".split()
operators = op_bench.op_list(attr_names=["op_name", "op_func"], attrs=[[name, getattr(torch, name)] for name in names])


class BinaryBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, in_one, in_two, device, dtype, op_func):
        one, two = torch.rand(in_one, device=device) * 9 + 1, torch.rand(in_two, device=device) * 9 + 1
        self.inputs = {"one": one.to(dtype), "two": two.to(dtype)}
        self.op_func = op_func

    def forward(self, one, two):
        return self.op_func(one, two)


op_bench.generate_pt_tests_from_op_list(operators, configs, BinaryBenchmark)
op_bench.generate_cases("memory", "x * y", "x > y", "where")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
