"""python -m torch.utils.explain NAME [--json] [--graph FILE.svg]"""

import argparse
import sys

from torch.utils.explain import UnknownName, explain


def main(argv=None):
    parse = argparse.ArgumentParser(
        prog="python -m torch.utils.explain", description="Where an operator of torch lives, on one page."
    )
    parse.add_argument("name", help="conv2d, aten::add.Tensor, torch.Tensor.view, nn.Linear, F.relu, ...")
    parse.add_argument("--json", action="store_true", help="the same for programs")
    parse.add_argument("--graph", metavar="FILE.svg", help="write the call tree as a picture")
    args = parse.parse_args(argv)
    try:
        found = explain(args.name)
    except UnknownName as e:
        print(e.args[0], file=sys.stderr)
        return 1
    if args.graph:
        with open(args.graph, "w") as f:
            f.write(found.to_svg())
    try:
        print(found.to_json() if args.json else found, flush=True)
    except BrokenPipeError:  # a pager or `head` has closed the pipe
        sys.stderr.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
