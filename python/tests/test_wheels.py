"""The wheels and the sdist: names, tags, contents. The wheels of all platforms are built with a
program in Go's place that writes the first bytes of one; .ci/python.sh builds and
installs a real one."""

import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import need

need.module("hatchling")

ROOT = Path(__file__).resolve().parent.parent
MODULE = ROOT.parent
need.that((ROOT / "hatch_build.py").is_file() and (MODULE / "cmd" / "dcopt").is_dir(), need.Thing.CHECKOUT, "for the Go module beside the package")

TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64", "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64", "darwin/arm64": "macosx_11_0_arm64", "windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}
MAGIC = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe", "windows": b"MZ"}
# Of an ELF file the e_machine, of a Mach-O file the cputype, of a PE file the Machine.
MACHINES = {"linux": {"amd64": 62, "arm64": 183}, "darwin": {"amd64": 0x01000007, "arm64": 0x0100000C}, "windows": {"amd64": 0x8664, "arm64": 0xAA64}}


def machine(program, system):
    """The processor that a program is for."""
    if system == "linux":
        return int.from_bytes(program[18:20], "little")
    if system == "darwin":
        return int.from_bytes(program[4:8], "little")
    at = int.from_bytes(program[0x3C:0x40], "little")
    assert program[at:at + 4] == b"PE\0\0"
    return int.from_bytes(program[at + 4:at + 6], "little")


def build(target, out, **env):
    p = subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)], cwd=ROOT, env=dict(os.environ, **env),
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert p.returncode == 0, p.stdout
    return next(Path(out).glob("*.whl" if target == "wheel" else "*.tar.gz"))


def check(wheel, platform):
    """What a wheel has to hold."""
    version = (ROOT / "src" / "dcopt" / "_version.py").read_text().split('"')[1]
    assert wheel.name == f"dcopt-{version}-py3-none-{TAGS[platform]}.whl"
    program = "dcopt/_program/dcopt" + (".exe" if platform.startswith("windows") else "")
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
        info = f"dcopt-{version}.dist-info/"
        modules = {"dcopt/" + f.name for f in (ROOT / "src" / "dcopt").iterdir() if f.is_file()}
        assert names == modules | {program, "dcopt/LICENSE", "dcopt/LICENSES", info + "METADATA", info + "WHEEL", info + "RECORD"}
        assert z.read(program).startswith(MAGIC[platform.split("/")[0]])
        if platform.startswith("windows") or os.name == "posix":
            mode = z.getinfo(program).external_attr >> 16
            assert platform.startswith("windows") or mode & stat.S_IXUSR, oct(mode)
        for word in ("Go, the language", "gonum.org/v1/gonum v", "github.com/urfave/cli/v2 v", "Copyright"):
            assert word in z.read("dcopt/LICENSES").decode(), word
        text = z.read(info + "WHEEL").decode()
        assert "Root-Is-Purelib: false" in text
        for tag in TAGS[platform].split("."):
            assert f"Tag: py3-none-{tag}\n" in text
        meta = z.read(info + "METADATA").decode()
        assert "Requires-Dist: numpy>=1.22" in meta and "License-Expression: Apache-2.0" in meta and "Project-URL: Source, https://github.com/dcopt/dcopt\n" in meta
        assert not re.search(r"\]\((?!https://|#)", meta), "a relative link leads nowhere from an index of packages"


@pytest.fixture
def go_in_place(tmp_path):
    """A folder with a command go that writes the first bytes of a program of GOOS."""
    need.that(os.name == "posix", need.Thing.UNIX, "for a script in Go's place")
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "go"
    script.write_text(f"""#!{sys.executable}
import os, sys
if sys.argv[1:] == ["env", "GOROOT"]:
    print({str(folder)!r})
elif sys.argv[1] == "list":
    for name in ("gonum.org/v1/gonum v0", "github.com/urfave/cli/v2 v2") * 2:
        print(name + "\\t" + {str(folder)!r})
if sys.argv[1] != "build":
    sys.exit()
out = sys.argv[sys.argv.index("-o") + 1]
assert os.environ["CGO_ENABLED"] == "0" and os.environ["GOARCH"] in ("amd64", "arm64")
open(out, "wb").write({MAGIC!r}[os.environ["GOOS"]] + b"program")
os.chmod(out, 0o755)
""")
    script.chmod(0o755)
    (folder / "LICENSE").write_text("Copyright of the authors\n")
    return str(folder)


@pytest.mark.parametrize("platform", TAGS)
def test_wheel_of_each_platform(platform, tmp_path, go_in_place):
    env = {"PATH": go_in_place + os.pathsep + os.environ["PATH"], "DCOPT_PLATFORM": platform}
    one = build("wheel", tmp_path / "one", **env)
    check(one, platform)
    assert one.read_bytes() == build("wheel", tmp_path / "two", **env).read_bytes()


def test_wheel_that_was_built():
    """The wheels of DCOPT_WHEELS, a folder: make wheels and .ci/python.sh set it."""
    folder = os.environ.get("DCOPT_WHEELS")
    need.that(folder, need.Thing.WHEELS, "a folder")
    wheels = list(Path(folder).glob("*.whl"))
    assert wheels
    for wheel in wheels:
        platform = next(p for p, tag in TAGS.items() if tag in wheel.name)
        check(wheel, platform)
        with zipfile.ZipFile(wheel) as z:
            size = max(i.file_size for i in z.infolist())
            system, _, processor = platform.partition("/")
            assert machine(z.read("dcopt/_program/dcopt" + (".exe" if system == "windows" else "")), system) == MACHINES[system][processor]
            assert "MT19937" in z.read("dcopt/LICENSES").decode(), "licences of code that gonum has from others"
        assert 2e6 < size < 4e7, f"{wheel.name}: a program of {size} bytes"


def test_recipe():
    """conda/recipe.yaml has the version and the bounds of pyproject.toml."""
    tomllib = need.module("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    version = (ROOT / "src" / "dcopt" / "_version.py").read_text().split('"')[1]
    assert f'version: "{version}"' in recipe and f"summary: \"{project['description']}\"" in recipe
    extras = project["optional-dependencies"]
    for bound in project["dependencies"] + extras["cvxpy"] + extras["sklearn"]:
        assert f"    - {bound.replace('>=', ' >=', 1)}\n" in recipe, bound


def test_unknown_platform(tmp_path):
    p = subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], cwd=ROOT,
                       env=dict(os.environ, DCOPT_PLATFORM="plan9/mips"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert p.returncode != 0 and "linux/amd64" in p.stdout


def test_sdist_has_the_go_sources(tmp_path):
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    with tarfile.open(build("sdist", tmp_path)) as t:
        names = {n.partition("/")[2] for n in t.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "go/go.mod", "go/go.sum", "go/LICENSE", "go/cmd/dcopt/serve.go", "src/dcopt/_lower.py"} <= names
    assert not [n for n in names if n.endswith("_test.go") or "testdata" in n]
    packages = {f.parent for f in hook.sources(MODULE)}
    for f in MODULE.glob("*/**/*.go"):
        part = f.relative_to(MODULE).parts
        if part[0] in ("dc", "ccp", "lder", "qpbackend", "internal") and not f.name.endswith("_test.go") and "testdata" not in part:
            assert f.parent in packages, f


def without_go(args, **env):
    return subprocess.run([sys.executable, *args], cwd=ROOT, env={"PATH": "", "HOME": os.environ.get("HOME", ""), **env},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_no_go_to_build_with(tmp_path):
    p = without_go(["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], DCOPT_PLATFORM="linux/amd64")
    assert p.returncode != 0 and "go.dev" in p.stdout


def test_no_program_for_the_platform(tmp_path):
    """A package without a program, and one with a program of another platform."""
    shutil.copytree(ROOT / "src" / "dcopt", tmp_path / "dcopt", ignore=shutil.ignore_patterns("_program", "__pycache__"))
    code = ("import dcopt\ntry: dcopt.solve_qp([[2.0]], [-2.0])\n"
            "except dcopt.WorkerError as e: print(e.kind, '|', e)\nassert callable(dcopt.solve_qp)")
    where = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *(p for p in sys.path if p)])}
    p = without_go(["-c", code], **where)
    assert p.returncode == 0 and "no program for this platform" in p.stdout and "DCOPT_PROGRAM" in p.stdout, p.stdout
    other = tmp_path / "dcopt" / "_program" / ("dcopt.exe" if sys.platform == "win32" else "dcopt")
    other.parent.mkdir()
    other.write_bytes(b"\xcf\xfa\xed\xfe program" if sys.platform != "darwin" else b"MZ program")
    other.chmod(0o755)
    p = without_go(["-c", code], **where)
    assert p.returncode == 0 and "could not be started" in p.stdout and "DCOPT_PROGRAM" in p.stdout, p.stdout
