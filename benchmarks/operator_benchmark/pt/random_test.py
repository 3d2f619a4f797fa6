"""Random fills."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["M", "N"], attrs=[[1, 8], [512, 512]], cross_product_configs=op_bench.DEVICES, tags=["short"]
)
fills = {
    "uniform_": torch.Tensor.uniform_,
    "normal_": torch.Tensor.normal_,
    "bernoulli_": lambda x: x.bernoulli_(0.5),
    "exponential_": torch.Tensor.exponential_,
    "dropout": lambda x: torch.nn.functional.dropout(x, 0.5),
}
operators = op_bench.op_list(attr_names=["op_name", "op_func"], attrs=[[name, fill] for name, fill in fills.items()])


class FillBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, device, op_func):
        self.inputs = {"input": torch.rand(M, N, device=device)}
        self.op_func = op_func

    def forward(self, input):
        return self.op_func(input)


op_bench.generate_pt_tests_from_op_list(operators, short, FillBenchmark)
op_bench.generate_cases("calls", "zeros(4)")
op_bench.generate_cases("memory", "dropout", "rand", "randn")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
