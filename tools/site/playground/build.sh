#!/usr/bin/env bash
# Builds the playground into the folder that is given.
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
go run ./cmd/playground ../.. "$out"
