#!/usr/bin/env bash
# Tests and times this tree on a GPU, in at most ten minutes once it is built, and writes gpu_report.md. Ends with 1 if a part
# of that failed; budgets that were missed are in the report.
#
#   bash tools/try_gpu.sh                     builds with USE_CUDA=1 if that is not there yet
#   bash tools/try_gpu.sh --peer PYTHON       times PyTorch's CUDA wheel beside it, in another virtual environment
#   bash tools/try_gpu.sh --minutes 5         in all (10 by default)
#   bash tools/try_gpu.sh --sections timings  some of machine, first_use, timings, memory_checker, examples, tests, table
#   bash tools/try_gpu.sh --files devices.py  some of test/cuda
#
# Needs a GPU and its driver, nothing else of NVIDIA.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/environment.sh"

help_if_asked "$@"
for argument in "$@"; do
  case ${argument%%=*} in
    --peer | --minutes | --out | --sections | --files) ;;
    -*) die "unknown option $argument; expected --peer, --minutes, --out, --sections, --files or --help" ;;
  esac
done
[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || die "this machine has no GPU with a driver of NVIDIA's; without one, test/test_cuda_emulated.py runs the kernels on the CPU"
cd "$ROOT"
if [ ! -e torch/lib/libtorch_cuda.so ]; then
  say "Building for the GPU"
  USE_CUDA=1 bash tools/quickstart.sh --epochs 1
fi
exec "$VENV/bin/python" -m tools.gpu "$@"
