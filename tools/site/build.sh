#!/usr/bin/env bash
# Builds the site into build/site/html, or the folder that is given: pages, by Go; then
# Zensical, which is installed in an environment of its own, build/site/venv; then the
# playground. Where there is no Python, or no network to install from, the
# last line is "skip REASON" and the code 3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD work=$PWD/build/site
out=${1:-$work}
mkdir -p "$work" "$out"
out=$(cd "$out" && pwd)

python=
for name in python3 python; do
	command -v "$name" >/dev/null && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && python=$name && break
done
if [ -z "$python" ]; then
	echo "skip no Python 3.10 or newer with venv"
	exit 3
fi
stamp=$(cat tools/site/requirements.txt; "$python" -V)
if [ "$(cat "$work/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$work/venv"
	if ! { "$python" -m venv "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check -r tools/site/requirements.txt; } >"$work/log" 2>&1; then
		tail -n 3 "$work/log"
		echo "skip no Python packages: they could not be installed"
		exit 3
	fi
	echo "$stamp" >"$work/stamp"
fi

(cd tools/site && go run ./cmd/pages "$root" "$out")
rm -rf "$out/html"
log=$(cd "$out" && NO_COLOR=1 "$work/venv/bin/zensical" build --clean --strict -f zensical.toml 2>&1) || { echo "$log"; exit 1; }
tools/site/playground/build.sh "$out/html/playground"
echo "the site is in $out/html"
