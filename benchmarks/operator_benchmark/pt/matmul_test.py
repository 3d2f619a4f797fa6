"""Matrix products."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["M", "N", "K", "trans_a", "trans_b"],
    attrs=[[1, 1, 1, True, True], [128, 128, 128, True, False], [256, 256, 256, False, True]],
    cross_product_configs=op_bench.DEVICES, tags=["short"],
)  # fmt: skip
long = op_bench.cross_product_configs(
    M=[32], N=[512, 128], K=[64], trans_a=[False, True], trans_b=[True, False], device=op_bench.DEVICES["device"], tags=["long"]
)


class MatMulBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, K, trans_a, trans_b, device):
        a, b = torch.rand(M, N, device=device), torch.rand(N, K, device=device)
        self.inputs = {"a": a.t().contiguous().t() if trans_a else a, "b": b.t().contiguous().t() if trans_b else b}

    def forward(self, a, b):
        return torch.matmul(a, b)


op_bench.generate_pt_test(short + long, MatMulBenchmark)
op_bench.generate_pt_gradient_test(short, MatMulBenchmark)
op_bench.generate_cases("calls", "matmul 4x4")
op_bench.generate_cases("compute", "matmul 1024", "matmul 256", "matmul 64", "matmul 1 x 1024 x 1024", "bmm 64 x 128")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
