# A node for a program from PyPI, for the scripts that source this. They set:
#
#   name     of the program, in what they say
#   here     their folder, which has requirements.txt
#   cache    where what is installed stays
#   platen   the binary
#
# install and serve do the rest; what serve has started ends with the script.

say() { echo "$name: $*"; }
die() { say "$*" >&2; exit 1; }

[[ -x ${platen:-} ]] || die "usage: run.sh PLATEN (the binary; make build makes it)"
platen=$(realpath "$platen")

# install fills the cache once for each state of requirements.txt.
install() {
  python3 -c 'import ensurepip, venv' 2>/dev/null || die "python3 with venv is missing: install it (Debian: apt-get install python3-venv)"
  cmp -s "$here/requirements.txt" "$cache/requirements.txt" && return
  say "installing from PyPI"
  rm -rf "$cache"
  mkdir -p "$cache"
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$here/requirements.txt" >"$cache/pip.log" 2>&1 ||
    die "pip failed, see $cache/pip.log"
  cp "$here/requirements.txt" "$cache/requirements.txt"
}

# has looks for a text in a PDF of $temp/out.
has() { pdftotext -raw "$temp/out/$1" - | tr -d '[:space:]' | grep -q "$2" || die "$1 lacks $2"; }

node=     # pid of platen
temp=$(mktemp -d "${TMPDIR:-/tmp}/platen-$name.XXXXXX")

finish() {
  local status=$?
  trap - EXIT
  if [[ -n $node ]]; then
    kill -TERM "$node" 2>/dev/null || true
    wait "$node" || { ((status)) || status=1; say "the node ended badly" >&2; }
  fi
  if ((status)); then
    say FAILED >&2
    [[ ! -e $temp/node.log ]] || { say "the node's last words:" >&2; tail -n 20 "$temp/node.log" >&2; }
  fi
  rm -rf "$temp"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# serve starts a node with these flags. It has a directory for temporary files of its own, so that nothing of the browser stays behind.
serve() {
  mkdir "$temp/tmp"
  : >"$temp/node.log" # printed reads it at once
  TMPDIR=$temp/tmp "$platen" serve --dev --listen 127.0.0.1:0 --data "$temp/data" "$@" >"$temp/node.log" 2>&1 &
  node=$!
}

# printed waits until the node prints something, and returns what follows it.
printed() {
  local deadline=$((SECONDS + 60)) line
  until line=$(grep -om1 "$1.*" "$temp/node.log"); do
    kill -0 "$node" 2>/dev/null || die "the node ended before it listened"
    ((SECONDS < deadline)) || die "the node does not listen after 60 s"
    sleep 0.1
  done
  echo "${line#"$1"}"
}

# key returns the key of the demo account of a plan.
key() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$temp/data/dev-keys.json" "$1"; }
