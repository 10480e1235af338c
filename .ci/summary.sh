#!/usr/bin/env bash
# summary.sh TALLY prints the skips, failures and counts of a tally of .ci/test.sh, and fails
# unless that is a success. The last line has the counts. With CI=true only the things of
# "may" may be missing, and those of MAY_LACK, names with | between them.
set -uo pipefail

# Things of internal/need and of python/tests/need.py: instructions of the processor, and programs
# that a machine need not have or that .ci/run could not install.
may='AVX2|AVX-512|Chromium|PowerShell|PyTorch|Python|Slurm|fish|groff|zsh'
may+=${MAY_LACK:+|$MAY_LACK}

sed -n 's/^skip /skipped: /p; s/^fail /failed: /p' "$1"
read -r passed failed skipped <<<"$(awk '/^count / { p += $2; f += $3; s += $4 } END { print p+0, f+0, s+0 }' "$1")"
status=0
if [ "$failed" -gt 0 ]; then
	echo "there are failures; all output is in build/test/output"
	status=1
fi
if [ "$passed" -eq 0 ]; then
	echo "no test ran"
	status=1
fi
if [ "${CI:-false}" = true ] && grep '^skip ' "$1" | grep -Ev ": needs ($may)(:|$)"; then
	echo "CI=true: these may not be skipped, as they need none of ${may//|/, }"
	status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
