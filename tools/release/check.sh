#!/usr/bin/env bash
# Builds a release twice, from two clones of the commit in two folders, and compares the
# bytes; checks the sums, the Debian packages (where dpkg-deb is), the bills of materials
# against the schema (where Python is), and that all exported names are recorded. What a
# machine cannot check is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$(git status --porcelain)" ]; then
	echo "note: the release is that of the last commit, without the changes of this folder"
fi
for k in one two/deeper; do
	mkdir -p "$work/$k"
	git clone -q --shared "$root" "$work/$k/dcopt"
	(cd "$work/$k/dcopt/tools/release" && go run . -out "$work/$k/out" "$@")
done
diff -r "$work/one/out" "$work/two/deeper/out"
echo "ok    two builds have the same bytes"
out=$work/one/out
(cd "$out" && sha256sum -c --quiet SHA256SUMS)
echo "ok    sums"
for archive in "$out"/*_linux_amd64.tar.gz; do
	[ -e "$archive" ] || continue # of a check of other platforms
	tar -xzf "$archive" -C "$work"
	"$work"/dcopt_*_linux_amd64/dcopt version
done
if ls "$out"/*.deb >/dev/null 2>&1 && command -v dpkg-deb >/dev/null; then
	for deb in "$out"/*.deb; do
		dpkg-deb --info "$deb" | grep -E '^ (Package|Version|Architecture|Installed-Size):'
		list=$(dpkg-deb --contents "$deb")
		for path in usr/bin/dcopt usr/share/man/man1/dcopt.1.gz usr/share/man/man1/dcopt-solve.1.gz usr/share/bash-completion/completions/dcopt \
			usr/share/zsh/vendor-completions/_dcopt usr/share/fish/vendor_completions.d/dcopt.fish usr/share/doc/dcopt/copyright; do
			grep -q " \./$path\$" <<<"$list" || { echo "FAIL  $deb has no $path"; exit 1; }
		done
		if [ "$(dpkg-deb --field "$deb" Architecture)" = "$(dpkg --print-architecture)" ]; then
			dpkg-deb -x "$deb" "$work/installed" && "$work/installed/usr/bin/dcopt" version >/dev/null
		fi
	done
	echo "ok    Debian packages"
else
	echo "SKIP  Debian packages: no dpkg-deb, or none were built"
fi
if ls "$out"/*.cdx.json >/dev/null 2>&1 && python3 -m venv "$work/venv" >/dev/null 2>&1 &&
	"$work/venv/bin/pip" install -q --disable-pip-version-check 'cyclonedx-python-lib[json-validation]==11.5.0'; then
	"$work/venv/bin/python" - "$out"/*.cdx.json <<'PY'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(f.read())
    if wrong:
        sys.exit(f"FAIL  {name}: {wrong}")
print("ok    bills of materials")
PY
else
	echo "SKIP  bills of materials: no Python with its packages, or none were built"
fi
(cd "$work/one/dcopt" && go test ./internal/house -run='^TestAPI$' -count=1 -update-api >/dev/null && git diff --exit-code --stat tools/api)
echo "ok    all exported names are recorded"
