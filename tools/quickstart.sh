#!/usr/bin/env bash
# From a clone to a trained network: installs what is missing, builds torch, and runs examples/digits.py.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/environment.sh"

set_up

say "Training on handwritten digits (examples/digits.py)"
cd "$ROOT"
"$VENV/bin/python" examples/digits.py "$@"
