"""Runs a program of this folder: python -P tools/packages/run.py PROGRAM.py.

The package torchvision declares operators in a library that fits one build of PyTorch only. Where that is not loaded, the
operators are declared here, so that the package can be imported; its functions in Python work.
"""

import runpy
import sys

import torch

DECLARED = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


def main() -> None:
    library = torch.library.Library("torchvision", "DEF")
    for schema in DECLARED:
        library.define(schema)
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
