"""Linear layers."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["N", "IN", "OUT"], attrs=[[1, 1, 1], [4, 256, 128], [16, 512, 256]],
    cross_product_configs=op_bench.DEVICES, tags=["short"],
)  # fmt: skip


class LinearBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, N, IN, OUT, device):
        self.inputs = {"input": torch.rand(N, IN, device=device)}
        self.linear = torch.nn.Linear(IN, OUT).to(device)

    def forward(self, input):
        return self.linear(input)


op_bench.generate_pt_test(short, LinearBenchmark)
op_bench.generate_pt_gradient_test(short, LinearBenchmark)
op_bench.generate_cases("calls", "nn.Linear 4x4")
op_bench.generate_cases("compute", "linear 256 x 1024")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
