"""add, and its kin of three operands."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["M", "N", "K"],
    attrs=[[1, 1, 1], [64, 64, 64], [64, 64, 128]],
    cross_product_configs={"device": ["cpu", "cuda"], "dtype": [torch.float32]},
    tags=["short"],
)
long = op_bench.cross_product_configs(
    M=[8, 128], N=[32, 64], K=[256, 512], device=op_bench.DEVICES["device"],
    dtype=[torch.int8, torch.int32, torch.float16, torch.bfloat16, torch.float32], tags=["long"],
)  # fmt: skip


class AddBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, K, device, dtype):
        make = torch.rand if dtype.is_floating_point else lambda *s, **k: torch.randint(0, 9, s, **k)
        self.inputs = {"x": make(M, N, K, dtype=dtype, device=device), "y": make(M, N, K, dtype=dtype, device=device)}

    def forward(self, x, y):
        return torch.add(x, y)


class AddmmBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, K, device, dtype):
        make = torch.rand
        self.inputs = {"c": make(M, K, device=device), "a": make(M, N, device=device), "b": make(N, K, device=device)}

    def forward(self, c, a, b):
        return torch.addmm(c, a, b)


op_bench.generate_pt_test(short + long, AddBenchmark)
op_bench.generate_pt_gradient_test(short, AddBenchmark)
op_bench.generate_pt_test(short, AddmmBenchmark)
op_bench.generate_pt_gradient_test(short, AddmmBenchmark)
op_bench.generate_cases("calls", "add, 1 element", "a + b, 1 element", "a + 2.0, 1 element")
op_bench.generate_cases("memory", "x + y")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
