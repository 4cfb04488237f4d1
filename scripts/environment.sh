# Read by the other scripts: goes to the checkout, and keeps every cache inside it.

unset CDPATH PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE
cd -- "$(dirname -- "$0")/.." || exit
cache=$(pwd -P)/.cache

export HYPOTHESIS_STORAGE_DIRECTORY="$cache/hypothesis"
export MYPY_CACHE_DIR="$cache/mypy"
export PIP_CACHE_DIR="$cache/pip"
export PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_USER=0 # whatever a user's own configuration says
export PYTHONPYCACHEPREFIX="$cache/pycache" # else compiled files may land beside any library
export RUFF_CACHE_DIR="$cache/ruff"
export TMPDIR="$cache/tmp"
export XDG_CACHE_HOME="$cache"

mkdir -p "$TMPDIR"

# Prints the pins and hashes of what some extras need; beside the extras of errbar there are base,
# build (what builds packages) and pip.
pinned() {
  awk -v wanted=" $* " '
    /^#/ { keep = 0; for (at = 3; at <= NF; at++) if (index(wanted, " " $at " ")) keep = 1; next }
    keep
  ' hashes.txt
}

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2; }
