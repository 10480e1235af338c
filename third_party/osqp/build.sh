#!/usr/bin/env bash
# Puts the OSQP library where the build tag "osqp" finds it, once: as a static
# library with headers and osqp.pc in build/ beside this file. Nothing of it is
# tracked by git. It looks, in this order, for
#
#   1. what an earlier run left in build/;
#   2. OSQP_SOURCE=DIR, a checkout of OSQP 1.0 (with QDLDL_SOURCE=DIR, or the
#      QDLDL that step 4 fetches);
#   3. a system library that pkg-config knows and that neither prints nor
#      installs signal handlers: then nothing is built;
#   4. the C sources inside the crates named below, through cargo, checked
#      against the sums below.
#
# It needs a C compiler, ar and pkg-config, and cargo 1.68 or newer for step 4.
# CC, AR and OSQP_CFLAGS (default -O3) are honoured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# OSQP 1.0.0 with AMD, without QDLDL.
osqp_crate=osqp-sys-1.0.1
osqp_sum=7b70bc255afb17e18ccd40deb2d86e87cec78c780dcbc127f429e5f2336f1347
# QDLDL 0.1.4. Its arithmetic is that of 0.1.8, which OSQP 1.0.0 names: between
# the two only layout, comments and redundant initialisers changed.
qdldl_crate=osqp-sys-0.6.2
qdldl_sum=7767aa83dba70b46f4fbf9a9662c3b2710db0fc5e74cfa16c2991d049ed17faa

# Bump when the recipe changes, so that an older build/ is replaced.
recipe=1

say() { echo "osqp: $*" >&2; }
die() { say "$*"; exit 1; }

# checksum FILE prints its SHA-256.
checksum() {
	if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# note TEXT names the library in a header that lies among the Go files. The Go
# tool's cache knows that file but not the output of pkg-config: without it, a
# change of the library would go unnoticed.
note() {
	local text="//go:build osqp

// Written by build.sh. The library: $1"
	if [ ! -f library.h ] || [ "$(cat library.h)" != "$text" ]; then
		echo "$text" >library.h
	fi
}

stamp="recipe $recipe ${OSQP_SOURCE:-$osqp_crate} ${QDLDL_SOURCE:-$qdldl_crate} ${CC:-cc} ${OSQP_CFLAGS:--O3}"
if [ -f build/stamp ] && [ "$(cat build/stamp)" = "$stamp" ]; then
	note "$PWD/build $(checksum build/lib/libosqpstatic.a)"
	exit 0
fi

command -v pkg-config >/dev/null || die "pkg-config is missing; the Go tool needs it for the tag osqp (Debian: apt-get install pkg-config)"

CC=${CC:-cc} AR=${AR:-ar}
command -v "$CC" >/dev/null || die "no C compiler: install one (Debian: apt-get install gcc libc6-dev) or set CC"

if [ -z "${OSQP_SOURCE:-}" ] && [ ! -d build ] && pkg-config --exists 'osqp >= 1.0'; then
	# shellcheck disable=SC2046 # the flags are words
	if defines=$(echo '#include <osqp.h>' | "$CC" $(pkg-config --cflags osqp) -E -dM - 2>/dev/null) &&
		! grep -Eq '^#define OSQP_(ENABLE_PRINTING|ENABLE_INTERRUPT|USE_FLOAT) ?$' <<<"$defines"; then
		note "$(pkg-config --modversion osqp) $(pkg-config --cflags --libs osqp)"
		say "using the system library, version $(pkg-config --modversion osqp)"
		exit 0
	fi
	say "not using the system library: it prints, catches SIGINT or is in single precision"
fi

command -v "$AR" >/dev/null || die "no ar: install binutils or set AR"

tmp=$(mktemp -d "$PWD/build.tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# fetch NAME-VERSION SUM unpacks the crate into $tmp/NAME-VERSION.
fetch() {
	local crate=$1 sum=$2 archive=
	command -v cargo >/dev/null || die "cargo is missing, which fetches the C sources: install Rust 1.68 or newer, or give OSQP_SOURCE=DIR and QDLDL_SOURCE=DIR"
	mkdir -p "$tmp/$crate.fetch"
	: >"$tmp/$crate.fetch/lib.rs"
	cat >"$tmp/$crate.fetch/Cargo.toml" <<-END
		[package]
		name = "fetch"
		version = "0.0.0"
		[lib]
		path = "lib.rs"
		[dependencies]
		${crate%-*} = "=${crate##*-}"
		[workspace]
	END
	(cd "$tmp/$crate.fetch" && cargo fetch --quiet) || die "cargo could not fetch $crate"
	for archive in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$crate.crate"; do
		[ -f "$archive" ] || die "cargo fetched $crate but $archive is not there"
		if [ "$(checksum "$archive")" = "$sum" ]; then
			tar -xzf "$archive" -C "$tmp"
			return
		fi
	done
	die "$crate has SHA-256 $(checksum "$archive"), want $sum"
}

if [ -n "${OSQP_SOURCE:-}" ]; then
	src=$(cd "$OSQP_SOURCE" && pwd) || die "OSQP_SOURCE=$OSQP_SOURCE is no directory"
else
	fetch "$osqp_crate" "$osqp_sum"
	src=$tmp/$osqp_crate/osqp
fi
[ -f "$src/include/public/osqp_api_types.h" ] || die "$src holds no OSQP 1.0 source"
if [ -n "${QDLDL_SOURCE:-}" ]; then
	qdldl=$(cd "$QDLDL_SOURCE" && pwd) || die "QDLDL_SOURCE=$QDLDL_SOURCE is no directory"
else
	fetch "$qdldl_crate" "$qdldl_sum"
	qdldl=$tmp/$qdldl_crate/osqp/lin_sys/direct/qdldl/qdldl_sources
fi
[ -f "$qdldl/src/qdldl.c" ] || die "$qdldl holds no QDLDL source"

out=$tmp/out
mkdir -p "$tmp/conf" "$tmp/obj" "$out/lib/pkgconfig" "$out/include/osqp"

# What CMake would configure. Printing, the clock, code generation and
# derivatives are left out. The three functions of OSQP_ENABLE_INTERRUPT are
# ours: hooks.c in this directory.
cat >"$tmp/conf/osqp_configure.h" <<'END'
#ifndef OSQP_CONFIGURE_H
#define OSQP_CONFIGURE_H
#define OSQP_ALGEBRA_BUILTIN
#define OSQP_ENABLE_INTERRUPT
#define OSQP_USE_LONG
#endif
END
cat >"$tmp/conf/qdldl_types.h" <<'END'
#ifndef QDLDL_TYPES_H
#define QDLDL_TYPES_H
#include <limits.h>
typedef long long QDLDL_int;
typedef double QDLDL_float;
typedef unsigned char QDLDL_bool;
#define QDLDL_INT_MAX LLONG_MAX
#endif
END
version=$(sed -n 's/^Version \([0-9.]*\).*/\1/p' "$qdldl/CHANGELOG.md" 2>/dev/null | head -n 1)
IFS=. read -r major minor patch <<<"${version:-0.1.8}"
cat >"$tmp/conf/qdldl_version.h" <<END
#define QDLDL_VERSION_MAJOR $major
#define QDLDL_VERSION_MINOR $minor
#define QDLDL_VERSION_PATCH $patch
END

common=$src/algebra/_common
direct=$common/lin_sys/qdldl
sources=("$src"/src/{auxil,error,osqp_api,polish,scaling,util}.c
	"$src"/algebra/builtin/{algebra_libs,matrix,vector}.c
	"$common"/{csc_math,csc_utils,kkt}.c
	"$direct/qdldl_interface.c" "$direct"/amd/src/*.c "$qdldl/src/qdldl.c")
flags=(-std=gnu11 ${OSQP_CFLAGS:--O3} -fPIC -DNDEBUG -w
	-include "$tmp/conf/osqp_configure.h" -include "$tmp/conf/qdldl_version.h"
	-I"$tmp/conf" -I"$src/include/public" -I"$src/include/private" -I"$common"
	-I"$src/algebra/builtin" -I"$direct" -I"$direct/amd/include" -I"$qdldl/include")
for f in "${sources[@]}"; do
	"$CC" "${flags[@]}" -c "$f" -o "$tmp/obj/$(basename "$f" .c).o" || die "compiling $f failed"
done
"$AR" rcs "$out/lib/libosqpstatic.a" "$tmp"/obj/*.o
cp "$src"/include/public/*.h "$tmp/conf/osqp_configure.h" "$out/include/osqp/"

release=$(sed -n 's/^# *define OSQP_VERSION "\(.*\)"/\1/p' "$src/include/private/version.h" | head -n 1)
cat >"$out/lib/pkgconfig/osqp.pc" <<END
prefix=\${pcfiledir}/../..
Name: osqp
Description: operator splitting QP solver, without printing and signal handlers
Version: ${release:-1.0.0}
Cflags: -I\${prefix}/include/osqp -DDCOPT_OSQP_HOOKS
Libs: -L\${prefix}/lib -losqpstatic -lm
END
echo "$stamp" >"$out/stamp"

rm -rf build
mv "$out" build 2>/dev/null || [ -f build/stamp ] || die "could not move the library to $PWD/build"
note "$PWD/build $(checksum build/lib/libosqpstatic.a)"
say "built OSQP ${release:-1.0.0} into $PWD/build"
