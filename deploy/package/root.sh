#!/usr/bin/env bash
# Makes a Debian with systemd and what the package depends on, and prints its path.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../hosttest"

echo "$(./debian.sh package "$(./debian.sh depends)")/root"
