#!/usr/bin/env bash
# From a clone to a trained network: installs what is missing, builds torch, and runs examples/digits.py.
#
#   bash tools/quickstart.sh               may be run again: what is there is left alone
#   bash tools/quickstart.sh --epochs 3    arguments are those of examples/digits.py
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/environment.sh"

help_if_asked "$@"
for argument in "$@"; do
  case ${argument%%=*} in
    --epochs | --batch-size | --seed | --out) ;;
    -*) die "unknown option $argument; expected --epochs, --batch-size, --seed, --out or --help" ;;
  esac
done
set_up

say "Training on handwritten digits (examples/digits.py)"
cd "$ROOT"
"$VENV/bin/python" examples/digits.py "$@"

say "What to do next"
cat << END
In this shell, and in each new one, from $ROOT:

    . ${VENV#"$ROOT"/}/bin/activate                  python is now the one that has torch; deactivate ends it
    python my_script.py                      runs your own program: import torch
    python -m pip install PACKAGE            adds a package that your program needs

To work on torch itself, in the same shell:

    python setup.py build_ext --inplace      after an edit of C++; edits of Python need nothing
    bash tools/run_tests.sh                  every test
    python -m torch.utils.explain conv2d     where an operator lives

Without activating, $VENV/bin/python my_script.py does the same. README.md has more.
END
