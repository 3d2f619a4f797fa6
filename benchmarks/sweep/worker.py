"""Times cases on request: one JSON object a line in, one out. Runs under either interpreter."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cases import Case, Table  # noqa: E402
from timing import best_time  # noqa: E402

import torch  # noqa: E402


def copy_bandwidth():
    """Bytes per second of a copy past the caches, reads and writes counted."""
    x, y = torch.zeros(1 << 24), torch.zeros(1 << 24)
    return 2 * x.numel() * 4 / best_time(lambda: y.copy_(x), 0.2)


def product_speed(dtype, threads):
    """Floating-point operations per second of a product of large matrices."""
    torch.set_num_threads(threads)
    n = 1536
    x, y = (torch.ones(n, n, dtype=getattr(torch, dtype)) for _ in range(2))
    return 2 * n**3 / best_time(lambda: torch.mm(x, y), 0.3)


def main():
    table, ready = None, (None, None, 0, 0)
    for line in sys.stdin:
        ask = json.loads(line)
        try:
            if ask["do"] == "list":
                table = Table(ask["families"])
                answer = [list(vars(c).values()) for c in table.cases(ask["sizes"], ask["dtypes"], ask["threads"], ask["count"])]
            elif ask["do"] == "failed":
                table = table or Table(ask["families"])
                answer = [list(row) for row in table.failed.items()]
            elif ask["do"] == "bandwidth":
                answer = copy_bandwidth()
            elif ask["do"] == "peak":
                answer = product_speed(ask["dtype"], ask["threads"])
            else:
                table = table or Table(ask["families"])
                case = Case(*ask["case"])
                if torch.get_num_threads() != case.threads:
                    torch.set_num_threads(case.threads)
                if ready[0] != case:
                    ready = (case, *table.call(case))
                answer = [best_time(ready[1], ask["seconds"]), *ready[2:]]
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {e}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
