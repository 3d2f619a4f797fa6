"""Normalization layers and pooling."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["N", "C", "H", "W"],
    attrs=[[1, 64, 8, 8], [8, 32, 56, 56]],
    cross_product_configs=op_bench.DEVICES,
    tags=["short"],
)


class NormBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, N, C, H, W, device, op_func):
        self.inputs = {"input": torch.rand(N, C, H, W, device=device)}
        self.layer = op_func(C, H, W).to(device)

    def forward(self, input):
        return self.layer(input)


layers = op_bench.op_list(
    attr_names=["op_name", "op_func"],
    attrs=[
        ["batch_norm", lambda c, h, w: torch.nn.BatchNorm2d(c)],
        ["layer_norm", lambda c, h, w: torch.nn.LayerNorm([c, h, w])],
        ["group_norm", lambda c, h, w: torch.nn.GroupNorm(8, c)],
        ["instance_norm", lambda c, h, w: torch.nn.InstanceNorm2d(c)],
        ["max_pool2d", lambda c, h, w: torch.nn.MaxPool2d(2)],
        ["avg_pool2d", lambda c, h, w: torch.nn.AvgPool2d(2)],
        ["gelu", lambda c, h, w: torch.nn.GELU()],
    ],
)
op_bench.generate_pt_tests_from_op_list(layers, short, NormBenchmark)

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
