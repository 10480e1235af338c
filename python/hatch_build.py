"""Builds the program with Go and puts it into the wheel."""

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


def here() -> str:
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}[sys.platform]
    machine = sysconfig.get_platform().rsplit("-", 1)[-1].lower()
    return system + "/" + {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]


class Program(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            return
        platform = os.environ.get("DCOPT_PLATFORM") or here()
        if platform not in PLATFORMS:
            raise SystemExit(f"DCOPT_PLATFORM={platform}: want one of {', '.join(PLATFORMS)}")
        goos, goarch = platform.split("/")
        name = "dcopt.exe" if goos == "windows" else "dcopt"
        out = Path(self.directory) / "program" / platform.replace("/", "-") / name
        out.parent.mkdir(parents=True, exist_ok=True)
        source = Path(self.root).parent  # the module, in a checkout
        target = "./cmd/dcopt"
        if not (source / "cmd" / "dcopt").is_dir():
            source, target = Path(self.root), "github.com/dcopt/dcopt/cmd/dcopt"
        env = dict(os.environ, CGO_ENABLED="0", GOOS=goos, GOARCH=goarch)
        try:
            subprocess.run(
                ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", str(out), target],
                cwd=source, env=env, check=True,
            )
        except FileNotFoundError:
            raise SystemExit("dcopt is built with Go, which is not on this machine: https://go.dev/dl") from None
        build_data["force_include"][str(out)] = f"dcopt/_program/{name}"
        build_data["tag"] = "py3-none-" + PLATFORMS[platform]
        build_data["pure_python"] = False
