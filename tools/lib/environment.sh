# Shared by the scripts of tools/: messages, and the set-up from nothing. Sourced, not run.
#
# Everything here may be run again: what is there is left alone.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
VENV=${TORCH_VENV:-$ROOT/.venv}

DEBIAN_PACKAGES=(
  g++ git ccache mold gdb
  libsleef-dev libfmt-dev libgtest-dev libbenchmark-dev libgloo-dev libopenmpi-dev openmpi-bin libboost-context-dev iproute2 procps
)

# For --help: the comment at the top of the script.
usage() { sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$0"; }

# --help among the arguments prints the usage and ends the script, before anything is installed or built.
help_if_asked() {
  local argument
  for argument in "$@"; do
    case $argument in -h | --help) usage; exit 0 ;; esac
  done
}

# Refuses what pytest does not know, before minutes go into a build.
check_pytest_arguments() {
  "$VENV/bin/python" -c 'import sys
from _pytest.config import UsageError, _prepareconfig
try:
    _prepareconfig(sys.argv[1:])
except UsageError as e:
    sys.exit(str(e))' -p no:cacheprovider "$@" && return
  die "pytest does not take these arguments: $*; bash $0 --help prints what this script does"
}

say() { printf '\n==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    die "installing packages needs root or sudo; to install by hand: apt-get install ${DEBIAN_PACKAGES[*]}"
  fi
}

# The interpreter that the virtual environment is made with: $PYTHON, else Debian 12's python3.11, else
# any python3 of at least 3.10. Prints nothing if there is none yet.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3.11 python3; do
    if command -v "$candidate" > /dev/null \
      && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
      command -v "$candidate"
      return
    fi
  done
}

# Whether the interpreter can make virtual environments and has its C headers.
python_is_complete() {
  "$1" -c 'import ensurepip, os, sys, sysconfig, venv
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' 2> /dev/null
}

install_debian_packages() {
  command -v dpkg-query > /dev/null || die "these scripts know Debian's package manager only"
  local wanted=("${DEBIAN_PACKAGES[@]}") missing=() package python
  python=$(find_python)
  if [ -z "$python" ] || ! python_is_complete "$python"; then
    wanted+=(python3 python3-dev python3-venv)
  fi
  for package in "${wanted[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q '^install ok installed' \
      || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "Installing Debian packages: ${missing[*]}"
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
  fi
}

# The packages of PyPI that USE_CUDA asks for, unless CUDA_HOME names an installed toolkit: the compiler for nvcc, and also the
# libraries for a build for GPUs.
cuda_requirements() {
  if [ -z "${CUDA_HOME:-}" ]; then
    case ,${USE_CUDA:-}, in
      *,1,* | *,ON,* | *,on,* | *,YES,* | *,yes,* | *,TRUE,* | *,true,*) echo "$ROOT/requirements-cuda.txt" ;;
      *,nvcc,*) echo "$ROOT/requirements-nvcc.txt" ;;
    esac
  fi
}

# Makes the virtual environment and installs the pinned packages; says nothing when all is there.
install_python_packages() {
  local requirements=(-r "$ROOT/requirements.txt") stamp=$VENV/.requirements python sum
  [ -z "$(cuda_requirements)" ] || requirements+=(-r "$(cuda_requirements)")
  if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -m pip --version > /dev/null 2>&1; then
    python=$(find_python)
    [ -n "$python" ] || die "no Python of at least 3.10 was found"
    [ -z "${PYTHON:-}" ] || [ "$python" = "$(command -v "$PYTHON")" ] || die "PYTHON=$PYTHON is no Python of at least 3.10"
    say "Making the virtual environment $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
  fi
  sum=$(printf '%s\n' "${requirements[@]}" | cat - "$ROOT"/requirements*.txt | sha256sum)
  if [ "$(cat "$stamp" 2> /dev/null)" != "$sum" ]; then
    say "Installing Python packages"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check "${requirements[@]}"
    case $(cuda_requirements) in
      *-nvcc.txt) "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r "$ROOT/requirements-cudnn-headers.txt" ;;
    esac
    printf '%s\n' "$sum" > "$stamp"
  fi
  "$VENV/bin/python" "$ROOT/tools/setup_helpers/ducc.py"
}

# Builds torch and installs it editable. Later calls rebuild only what changed.
build_torch() {
  say "Building torch"
  cd "$ROOT"
  # An installation from before torchrun lacks its command.
  if [ -x "$VENV/bin/torchrun" ] && "$VENV/bin/python" -m pip show -q torch 2> /dev/null; then
    "$VENV/bin/python" setup.py build_ext --inplace
  else
    "$VENV/bin/python" -m pip install --disable-pip-version-check -e . -v --no-build-isolation
  fi
}

install_packages() {
  install_debian_packages
  install_python_packages
}

set_up() {
  install_packages
  build_torch
}
