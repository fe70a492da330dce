#!/usr/bin/env bash
# Installs what Platen needs besides its own binary on Debian: the headless
# browser, qpdf, poppler's tools, fonts for Latin, Greek, Cyrillic, Arabic, Hebrew, CJK and emoji, and Go where there
# is none. A Go of 1.21 or newer fetches the version that go.mod names.
#
#   deploy/install-deps.sh                 install what is missing (as root, or through sudo)
#   deploy/install-deps.sh --integration   install what `make integration` needs, too
#   deploy/install-deps.sh --check         only report what is missing; exit 1 if anything is
#
# It may be run any number of times; when everything is there it changes nothing
# and needs neither root nor the network.
set -euo pipefail

packages=(
  ca-certificates
  chromium-headless-shell
  fontconfig
  fonts-dejavu-core
  fonts-liberation
  fonts-noto-cjk
  fonts-noto-color-emoji
  fonts-noto-core
  poppler-utils
  qpdf
)
go_needed=1.26

# add_integration adds what the integration tests need: xmllint and Python's venv, and,
# unless they are there from elsewhere, Java and Maven for Kafka, ZooKeeper, veraPDF and Mustang,
# curl, PHP, Node.js and npm for receivers of webhooks and the requests of the playground, and ClickHouse for the ledger; for the package, a host to
# install it on, linters, and the shells that it has completion for; for the container image, podman for users who are not root; for the playbooks, Ansible.
add_integration() {
  packages+=(libxml2-utils python3-venv)
  packages+=(fish iproute2 lintian man-db mmdebstrap systemd-container zsh)
  packages+=(crun podman slirp4netns uidmap)
  packages+=(ansible-core dpkg-dev openssh-client openssl)
  command -v java >/dev/null 2>&1 || packages+=(default-jdk-headless)
  command -v mvn >/dev/null 2>&1 || packages+=(maven)
  command -v curl >/dev/null 2>&1 || packages+=(curl)
  command -v php >/dev/null 2>&1 || packages+=(php-cli)
  command -v node >/dev/null 2>&1 || packages+=(nodejs)
  command -v npm >/dev/null 2>&1 || packages+=(npm)
  command -v clickhouse >/dev/null 2>&1 || packages+=(clickhouse-server clickhouse-client)
}

say() { printf 'install-deps: %s\n' "$*"; }
die() { printf 'install-deps: %s\n' "$*" >&2; exit 1; }

# missing_packages prints, one per line, the packages that are not fully installed.
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

# add_go adds Debian's Go if there is none. That of Debian 12 and older cannot fetch a newer one.
add_go() {
  command -v go >/dev/null 2>&1 && return
  if [ "$(debian_version)" -ge 13 ]; then packages+=(golang-go); fi
}

# debian_version prints 13 for Debian 13, a large number for what has no number, as testing.
debian_version() {
  local version
  version=$(sed -nE 's/^VERSION_ID="?([0-9]+).*/\1/p' /etc/os-release 2>/dev/null)
  echo "${version:-99}"
}

# check_go is silent when the go on the PATH builds Platen, and else prints what to do.
check_go() {
  local have hint
  hint="install Go 1.21 or newer, which fetches Go $go_needed by itself: golang-go of Debian 13, of Debian 12's backports, or the Go project's own"
  if ! command -v go >/dev/null 2>&1; then
    say "go is not on the PATH: $hint"
    return 1
  fi
  have=$(cd "$(dirname "$0")/.." && go env GOVERSION) || have=unknown
  have=${have#go}
  if [ "$(printf '%s\n' "$go_needed" "$have" | sort -V | head -n 1)" != "$go_needed" ]; then
    say "go $have is older than $go_needed: $hint"
    return 1
  fi
}

# as_root runs a command with root's rights.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo -- "$@"
  else
    die "root's rights are needed to install packages: run this as root, or install sudo"
  fi
}

install_packages() {
  local quiet=(-qq -o Dpkg::Use-Pty=0)
  say "installing: $*"
  say "reading the package lists"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" update
  say "downloading and unpacking (the browser and the CJK fonts are large)"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get "${quiet[@]}" install -y --no-install-recommends "$@" >/dev/null </dev/null
}

main() {
  local missing=() package status=0
  case "${1-}" in
    "" | --check) ;;
    --integration) add_integration ;;
    *) die "unknown argument $1; the options are --integration and --check" ;;
  esac
  command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 ||
    die "this system has no dpkg and apt-get: it is not Debian. Install the equivalents of these: ${packages[*]}"
  add_go
  mapfile -t missing < <(missing_packages)

  if [ "${1-}" = --check ]; then
    for package in "${missing[@]}"; do
      say "missing package: $package"
      status=1
    done
    check_go || status=1
    [ "$status" -eq 0 ] && say "everything is there"
    exit "$status"
  fi

  if [ "${#missing[@]}" -gt 0 ]; then
    install_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages)
    [ "${#missing[@]}" -eq 0 ] || die "still missing after the installation: ${missing[*]}"
  fi
  say "every package is installed"
  check_go || status=1
  exit "$status"
}

main "$@"
