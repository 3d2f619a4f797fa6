"""Gathering, selecting, joining, sorting."""

import operator_benchmark as op_bench

import torch

short = op_bench.config_list(
    attr_names=["M", "N", "dim"], attrs=[[8, 32, 0], [256, 512, 1]], cross_product_configs=op_bench.DEVICES, tags=["short"]
)


class GatherBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, dim, device):
        max_index = min(M, N)
        self.inputs = {
            "input": torch.rand(M, N, device=device),
            "dim": dim,
            "index": torch.randint(0, max_index, (M, N), device=device),
        }

    def forward(self, input, dim, index):
        return torch.gather(input, dim, index)


class IndexSelectBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, dim, device):
        self.inputs = {
            "input": torch.rand(M, N, device=device),
            "dim": dim,
            "index": torch.randint(0, min(M, N), (min(M, N),), device=device),
        }

    def forward(self, input, dim, index):
        return torch.index_select(input, dim, index)


class CatBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, dim, device):
        self.inputs = {"one": torch.rand(M, N, device=device), "two": torch.rand(M, N, device=device), "dim": dim}

    def forward(self, one, two, dim):
        return torch.cat((one, two), dim)


class SortBenchmark(op_bench.TorchBenchmarkBase):
    def init(self, M, N, dim, device):
        self.inputs = {"input": torch.rand(M, N, device=device), "dim": dim}

    def forward(self, input, dim):
        return torch.sort(input, dim)


for benchmark in (GatherBenchmark, IndexSelectBenchmark, CatBenchmark, SortBenchmark):
    op_bench.generate_pt_test(short, benchmark)
op_bench.generate_cases("calls", "view", "t()", "x[1]")
op_bench.generate_cases("memory", "gather", "masked_select", "cat", "sort", "transpose copy")

if __name__ == "__main__":
    op_bench.benchmark_runner.main()
