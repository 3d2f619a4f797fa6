"""Softmax, its logarithm, and attention."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["M", "N"], attrs=[[4, 10], [256, 512], [2304, 95]], cross_product_configs=op_bench.DEVICES, tags=["short"]
)
operators = op_bench.op_list(
    attr_names=["op_name", "op_func"], attrs=[[name, getattr(torch, name)] for name in ("softmax", "log_softmax")]
)


class SoftmaxBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, device, op_func):
        self.inputs = {"input": torch.rand(M, N, device=device)}
        self.op_func = op_func

    def forward(self, input):
        return self.op_func(input, 1)


class CrossEntropyBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, device):
        self.inputs = {"input": torch.rand(M, N, device=device), "target": torch.randint(0, N, (M,), device=device)}

    def forward(self, input, target):
        return torch.nn.functional.cross_entropy(input, target)


op_bench.generate_pt_tests_from_op_list(operators, short, SoftmaxBenchmark)
op_bench.generate_pt_test(short, CrossEntropyBenchmark)
op_bench.generate_pt_gradient_test(short, CrossEntropyBenchmark)
op_bench.generate_cases("memory", "softmax")
op_bench.generate_cases("compute", "attention 512", "attention 1024, causal")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
