# Reads the output of "go test -v ./...", prints what a person wants to see of
# it, and appends to the file "tally" the lines
#   skip PACKAGE NAME: needs THING: WHY
#   fail PACKAGE NAME: FIRST MESSAGE
#   count PASSED FAILED SKIPPED
#
# Skipped are tests, and parts of tests that pass without them: what package need says,
# a skip each. A test that is skipped without its words counts as "no reason given".
#
# A package that fails without a failing test (it does not compile, it crashes,
# it runs out of time) counts as one failure.

/^ *--- PASS: / { passed++ }
/^ *--- SKIP: / && !($3 in needs) { skip[++skipped] = $3 ": no reason given" }
/^=== (RUN|NAME|CONT) / { name = $3 }
/^ +[A-Za-z0-9_]+\.go:[0-9]+: SKIPPED: needs / {
	needs[name]
	skip[++skipped] = name ": " substr($0, index($0, "needs "))
}
/^ +[A-Za-z0-9_]+\.go:[0-9]+: / && !/: SKIPPED: needs / && !(name in said) {
	said[name] = $0
	sub(/^ */, "", said[name])
}
/^ *--- FAIL: / { failed++; fail[++here] = $3 (said[$3] == "" ? "" : ": " said[$3]) }

# The line of a package ends it.
/^(ok|FAIL|\?) *\t/ {
	if ($1 == "FAIL" && !here) {
		failed++
		fail[++here] = "no test of it failed"
		printf "%s", text
	}
	print
	fflush() # as it ends, also into a pipe
	while (told < skipped)
		print "skip", $2, skip[++told] >>tally
	for (i = 1; i <= here; i++)
		print "fail", $2, fail[i] >>tally
	text = ""
	split("", said)
	split("", needs)
	inside = here = 0
	next
}

# A top-level test begins: what the one before wrote is of no interest.
/^=== RUN   [^\/]*$/ { text = ""; inside = 1 }
inside { text = text $0 "\n" }
!inside && !/^(PASS|FAIL)?$/ # of the compiler, for example
/^--- FAIL: / { printf "%s", text; text = "" }

END { print "count", passed + 0, failed + 0, skipped + 0 >>tally }
