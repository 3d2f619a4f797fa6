#!/usr/bin/env bash
# The C++ tests, then Python tests, under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   bash tools/run_asan.sh                  C++ tests, the operator table and the fuzzer
#   bash tools/run_asan.sh test/test_x.py   C++ tests and these Python tests
#
# Other arguments are pytest's. Builds in build/asan, which takes minutes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/environment.sh"

help_if_asked "$@"
install_packages
cd "$ROOT"
check_pytest_arguments "$@"
say "Building with sanitizers"
DEBUG_ASAN=1 "$VENV/bin/python" setup.py build_ext --inplace

# LeakSanitizer is off: an interpreter keeps much until it ends.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1

say "C++ tests"
"$VENV/bin/ctest" --test-dir build/asan --output-on-failure -j "$(nproc)"

package=$ROOT/build/asan/package
[ -e "$package/torch/lib/libtorch_python.so" ] || { echo "no Python bindings in this build"; exit 0; }

# A package of the instrumented libraries and the source tree's Python files.
for entry in torch/*; do
  case "$entry" in torch/lib | torch/_C.*.so | torch/__pycache__) continue ;; esac
  ln -sfn "$ROOT/$entry" "$package/$entry"
done

say "Python tests"
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(test/test_ops.py test/test_ops_meta.py test/test_ops_overloads.py test/test_hostile_*.py)
# Reports go to the standard error of the process: pytest must not take that away.
# The sanitizers' runtimes come first, and the C++ runtime with them, so that they see every exception.
preload=$(for name in libasan.so libubsan.so libstdc++.so.6; do g++ -print-file-name=$name; done | paste -sd: -)
LD_PRELOAD=$preload PYTHONMALLOC=malloc PYTHONPATH=$package OMP_NUM_THREADS=2 \
  "$VENV/bin/python" "$VENV/bin/pytest" -q -p no:cacheprovider --capture=sys "${tests[@]}"
