#!/usr/bin/env bash
# Runs packages from PyPI, and small research programs, with this library, and with PyTorch if its Python is given, and prints a
# table of what ran and whether the printed numbers agree. It is no part of continuous integration: it downloads packages and takes minutes.
#
#   tools/try_packages.sh [--peer PYTHON] [--folder DIR] [PROGRAM ...]
#
# PROGRAM is a name in tools/packages, without .py; by default all. --peer is the Python of an environment with PyTorch. --folder
# keeps the environment of the packages for the next time; by default build/packages.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="$root/build/packages" peer=()
programs=()
while [ $# -gt 0 ]; do
  case "$1" in
    --peer) peer=(--peer "$2"); shift 2 ;;
    --folder) folder="$2"; shift 2 ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "try_packages.sh: unknown option $1; --help lists them" >&2; exit 2 ;;
    *) programs+=("$1"); shift ;;
  esac
done
python="${PYTHON:-python}"
if [ ! -x "$folder/bin/python" ]; then
  "$python" -m venv "$folder"
  # What the packages need beside torch, then the packages themselves without what they would bring.
  "$folder/bin/pip" install -q numpy scipy tqdm huggingface_hub regex pyyaml filelock packaging requests fsspec pillow psutil \
    tokenizers jinja2 sympy networkx tabulate scikit-learn ftfy iopath yacs termcolor importlib_metadata setuptools
  "$folder/bin/pip" install -q --no-deps einops safetensors transformers torchmetrics lightning pytorch-lightning \
    lightning-utilities accelerate peft timm torchinfo torch-ema diffusers sentence-transformers open_clip_torch fvcore \
    torchdiffeq torchvision torchaudio
  # The compiled parts of these two fit one build of PyTorch only.
  site="$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')"
  rm -rf "$site/torchaudio/lib" "$site"/torchvision/*.so
fi
exec "$python" "$root/tools/packages/compare.py" --site "$folder" "${peer[@]}" "${programs[@]}"
