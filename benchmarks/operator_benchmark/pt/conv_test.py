"""Convolutions."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["IC", "OC", "kernel", "stride", "N", "H", "W", "G", "pad"],
    attrs=[[256, 256, 1, 1, 1, 16, 16, 1, 0], [64, 64, 3, 1, 4, 32, 32, 1, 1], [64, 64, 3, 1, 4, 32, 32, 64, 1]],
    cross_product_configs=op_bench.DEVICES, tags=["short"],
)  # fmt: skip


class Conv2dBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, IC, OC, kernel, stride, N, H, W, G, pad, device):
        self.inputs = {"input": torch.rand(N, IC, H, W, device=device)}
        self.conv = torch.nn.Conv2d(IC, OC, kernel, stride=stride, groups=G, padding=pad).to(device)

    def forward(self, input):
        return self.conv(input)


class ConvTranspose2dBenchmark(Conv2dBenchmark):
    def init(self, IC, OC, kernel, stride, N, H, W, G, pad, device):
        super().init(IC, OC, kernel, stride, N, H, W, G, pad, device)
        self.conv = torch.nn.ConvTranspose2d(IC, OC, kernel, stride=stride, groups=G, padding=pad).to(device)


op_bench.generate_pt_test(short, Conv2dBenchmark)
op_bench.generate_pt_gradient_test(short, Conv2dBenchmark)
op_bench.generate_pt_test(short, ConvTranspose2dBenchmark)
op_bench.generate_cases("compute", "conv 3x3, 64 channels", "conv 7x7, stride 2", "conv 1x1", "conv depthwise")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
