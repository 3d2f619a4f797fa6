#!/usr/bin/env bash
# The same set-up as tools/quickstart.sh, then every C++ and Python test.
#
#   bash tools/run_tests.sh           all of them
#   bash tools/run_tests.sh -k add    C++ tests, and the Python tests that pytest chooses by these arguments
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/environment.sh"

help_if_asked "$@"
# The kernels of CUDA devices run in the tests as C++, under sanitizers, and are compiled for GPUs.
export USE_CUDA=${USE_CUDA-nvcc,emulated}
export SANITIZE_EMULATED=${SANITIZE_EMULATED-1}
install_packages
cd "$ROOT"
check_pytest_arguments "$@"
build_torch

jobs=$(nproc)
failed=()

say "Checking the style"
"$VENV/bin/ruff" check . || failed+=("ruff")
"$VENV/bin/ruff" format --check . || failed+=("ruff format")
git ls-files -z '*.c' '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -0 "$VENV/bin/clang-format" --dry-run -Werror \
  || failed+=("clang-format")

say "C++ tests"
"$VENV/bin/ctest" --test-dir build --output-on-failure -j "$jobs" || failed+=("C++ tests")

if [ -d ../shared/api ]; then
  say "PyTorch's interface: what is here"
  "$VENV/bin/python" -m tools.api_coverage || failed+=("api_coverage")
fi

say "Python tests"
if compgen -G 'test/test_*.py' > /dev/null; then
  # Kernels of several processes would fight for the cores: one thread each. Who is done takes tests over: some take minutes.
  OMP_NUM_THREADS=1 "$VENV/bin/python" -m pytest test -q -n "$jobs" --dist worksteal "$@" || failed+=("Python tests")
fi

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nFAILED:'
  printf ' %s;' "${failed[@]}"
  printf '\n'
  exit 1
fi
printf '\nAll C++ and Python tests passed.\n'
