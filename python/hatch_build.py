"""Builds the program with Go and puts it into the wheel; puts the Go sources into the
sdist, so that it builds where there is no checkout."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# GOOS/GOARCH and the tag of the wheel. A program without C runs with every C library.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

# Of the Go module, all that the program is built from, and where it stands in an sdist.
GO_FOLDER = "go"
GO_FILES = ("go.mod", "go.sum", "LICENSE")
GO_FOLDERS = ("cmd/dcopt", "dc", "ccp", "lder", "plan", "qpbackend", "verify", "internal", "third_party/osqp")
GO_SUFFIXES = (".go", ".s", ".h", ".c", ".dc", ".csv")


def here() -> str:
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = sysconfig.get_platform().rsplit("-", 1)[-1].lower()
    return system + "/" + {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def module(root: Path) -> Path:
    """The folder of the Go module: above python/ in a checkout, a part of an sdist."""
    for folder in (root / GO_FOLDER, root.parent):
        if (folder / "cmd" / "dcopt").is_dir() and (folder / "go.mod").is_file():
            return folder
    raise SystemExit(f"the Go sources of dcopt are neither in {root / GO_FOLDER} nor in {root.parent}")


def sources(folder: Path) -> list[Path]:
    """The files of the Go module that an sdist has, without tests."""
    found = [folder / f for f in GO_FILES]
    for part in GO_FOLDERS:
        for f in sorted((folder / part).rglob("*")):
            if f.suffix in GO_SUFFIXES and not f.name.endswith("_test.go") and "testdata" not in f.parts and "build" not in f.relative_to(folder).parts:
                found.append(f)
    return found


TAGS = "-tags=urfave_cli_no_docs"


def licences(folder: Path, env: dict) -> str:
    """The licences of all that is linked into the program: of Go, and of each module but this one."""
    def go(*args: str) -> list[str]:
        return subprocess.run(["go", *args], cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    linked = go("list", "-deps", TAGS, "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/dcopt")
    parts = {"Go, the language and its standard library": Path(go("env", "GOROOT")[0])}
    parts.update((name, Path(at)) for name, _, at in sorted(line.partition("\t") for line in set(linked) if line))
    out = ["The program dcopt is under the Apache License 2.0: see LICENSE. It contains code of others, under the licences that follow.\n"]
    for name, at in parts.items():
        found = [f for f in sorted(at.iterdir()) if f.is_file() and f.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE"))]
        if (at / "THIRD_PARTY_LICENSES").is_dir():
            found += sorted(f for f in (at / "THIRD_PARTY_LICENSES").iterdir() if f.is_file())
        if not found:
            raise SystemExit(f"{name} has no licence in {at}")
        for f in found:
            out.append(f"{'=' * 80}\n{name}: {f.relative_to(at).as_posix()}\n{'=' * 80}\n\n{f.read_text(encoding='utf-8').rstrip()}\n")
    return "\n".join(out)


class Program(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            return
        folder = module(Path(self.root))
        if self.target_name == "sdist":
            for f in sources(folder):
                build_data["force_include"][str(f)] = f"{GO_FOLDER}/{f.relative_to(folder).as_posix()}"
            return
        platform = os.environ.get("DCOPT_PLATFORM") or here()
        if platform not in PLATFORMS:
            raise SystemExit(f"there is no wheel for the platform {platform}; DCOPT_PLATFORM may be one of {', '.join(PLATFORMS)}. Elsewhere build the program, "
                             "CGO_ENABLED=0 go build ./cmd/dcopt, and let DCOPT_PROGRAM be its path: the Python sources need nothing else")
        goos, goarch = platform.split("/")
        name = "dcopt.exe" if goos == "windows" else "dcopt"
        out = Path(self.directory) / "program" / platform.replace("/", "-") / name
        out.parent.mkdir(parents=True, exist_ok=True)
        env = dict(os.environ, CGO_ENABLED="0", GOOS=goos, GOARCH=goarch)
        try:
            subprocess.run(
                ["go", "build", "-trimpath", "-buildvcs=false", TAGS, "-ldflags=-s -w -buildid=", "-o", str(out.resolve()), "./cmd/dcopt"],
                cwd=folder, env=env, check=True,
            )
        except FileNotFoundError:
            raise SystemExit("dcopt is built with Go, which is not on this machine: https://go.dev/dl") from None
        texts = out.parent / "LICENSES"
        texts.write_text(licences(folder, env), encoding="utf-8", newline="\n")
        build_data["force_include"][str(texts)] = "dcopt/LICENSES"
        build_data["force_include"][str(out)] = f"dcopt/_program/{name}"
        build_data["force_include"][str(folder / "LICENSE")] = "dcopt/LICENSE"
        build_data["tag"] = "py3-none-" + PLATFORMS[platform]
        build_data["pure_python"] = False
