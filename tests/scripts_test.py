"""scripts/setup and scripts/bb, run in a small checkout of their own with packages and tools that are faked."""
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
add_subdirectory(harness)
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"},
  {"name": "release-gcc", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release-gcc"}]}
"""
PROGRAM = """#include <filesystem>
#include <iostream>
int main(int n, char** v) {
  std::cout << std::filesystem::current_path().filename().string();
  for (int i = 1; i < n; ++i) std::cout << '|' << v[i];
  std::cout << '\\n';
  return 7;
}
"""


def write(path, text, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if executable:
        path.chmod(0o755)


class Checkout:
    """A checkout with the real scripts, a program that prints its folder and arguments, and a PATH of fakes first."""

    def __init__(self, root):
        self.root, self.bin, self.log = root / "a checkout", root / "bin", root / "apt.log"
        for name in ("setup", "bb"):
            (self.root / "scripts").mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts" / name)
        write(self.root / "CMakeLists.txt", CMAKE)
        write(self.root / "CMakePresets.json", PRESETS)
        write(self.root / "harness/CMakeLists.txt", "add_executable(bb main.cpp)\n")
        write(self.root / "harness/main.cpp", PROGRAM)
        self.fake("clang++-19", "exit 0")
        self.fake("sudo", 'shift; exec "$@"')
        self.fake("apt-cache", "exit 0")
        self.fake_packages(without=[])

    def fake(self, name, body):
        write(self.bin / name, f"#!/bin/bash\n{body}\n", executable=True)

    def fake_packages(self, without, installable=True):
        """dpkg-query knows all but `without`; apt-get logs its call and, if it may, installs everything."""
        missing = self.bin / "missing"
        missing.write_text("".join(f"{name}\n" for name in without))
        self.fake("dpkg-query", f'for p in "${{@:4}}"; do grep -qx "$p" "{missing}" || echo "ii  $p"; done')
        self.fake("apt-get", f'echo "$*" >>"{self.log}"\n' + (f': >"{missing}"' if installable else "exit 100"))

    def run(self, script, *arguments, folder=None):
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "CMAKE_BUILD_PARALLEL_LEVEL": "1"}
        return subprocess.run([script if Path(script).is_absolute() else self.root / "scripts" / script, *arguments],
                              cwd=folder or self.root, env=environment, capture_output=True, text=True, check=False)

    def apt_calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(name="checkout")
def fixture_checkout(tmp_path):
    return Checkout(tmp_path)


@pytest.fixture(name="built", scope="module")
def fixture_built(tmp_path_factory):
    checkout = Checkout(tmp_path_factory.mktemp("built"))
    checkout.first = checkout.run("bb", "list")
    return checkout


def test_setup_is_silent_when_all_is_there(checkout):
    run = checkout.run("setup")
    assert (run.returncode, run.stdout, run.stderr, checkout.apt_calls()) == (0, "", "", [])


def test_setup_installs_what_is_missing_and_says_so(checkout):
    checkout.fake_packages(without=["fio", "cmake"])
    run = checkout.run("setup")
    assert run.returncode == 0
    assert "installing cmake fio" in run.stderr
    assert len(checkout.apt_calls()) == 1 and checkout.apt_calls()[0].endswith("cmake fio")


def test_setup_fetches_lists_only_if_a_package_is_in_none(checkout):
    checkout.fake("apt-cache", "exit 100")
    checkout.fake_packages(without=["fio"])
    assert checkout.run("setup").returncode == 0
    assert checkout.apt_calls()[0].endswith("update")


def test_setup_without_leave_lists_and_fails(checkout):
    checkout.fake_packages(without=["ninja-build", "fio"])
    run = checkout.run("setup", "--no-install")
    assert (run.returncode, checkout.apt_calls()) == (1, [])
    assert "ninja-build          required  runs the build" in run.stderr
    assert "apt-get install --no-install-recommends ninja-build fio" in run.stderr


def test_setup_lets_a_peer_be_absent(checkout):
    checkout.fake_packages(without=["fio"], installable=False)
    run = checkout.run("setup")
    assert run.returncode == 0
    assert "could not install" in run.stderr and "fio" in run.stderr
    calls = len(checkout.apt_calls())
    again = checkout.run("setup", "--no-retry")
    assert (again.returncode, again.stderr, len(checkout.apt_calls())) == (0, "", calls)
    assert "fio" in checkout.run("setup").stderr


def test_setup_fails_if_something_required_cannot_be_installed(checkout):
    checkout.fake_packages(without=["cmake"], installable=False)
    for _ in range(2):
        run = checkout.run("setup", "--no-retry", "build")
        assert run.returncode == 1
        assert "cmake                required" in run.stderr


def test_setup_refuses_an_unknown_argument(checkout):
    run = checkout.run("setup", "--no-instal")
    assert run.returncode == 2
    assert "--no-instal" in run.stderr


def test_table_of_packages_is_whole():
    run = subprocess.run([ROOT / "scripts/setup", "--list"], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in run.stdout.splitlines()]
    assert run.stderr == "" and all(len(row) == 3 for row in rows)
    assert {row[0] for row in rows} == {"build", "compiler", "peers", "test"}
    packages = [row[1] for row in rows]
    assert len(packages) == len(set(packages))
    named = re.findall(r"\bPACKAGE ([a-z0-9.+-]+)", (ROOT / "runtimes/CMakeLists.txt").read_text())
    assert named and set(named) <= set(packages), "an absent row names a package that scripts/setup does not install"


def test_first_run_builds_and_runs(built):
    assert built.first.returncode == 7
    assert built.first.stdout == "a checkout|list\n"
    assert "configuring release" in built.first.stderr and "building release" in built.first.stderr


def test_later_runs_are_quick_and_silent(built):
    start = time.monotonic()
    run = built.run("bb", "--json", "x y", "")
    assert time.monotonic() - start < 1
    assert (run.returncode, run.stdout, run.stderr) == (7, "a checkout|--json|x y|\n", "")


def test_runs_in_the_folder_of_the_caller_through_a_link(built, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(built.root / "scripts/bb")
    run = built.run(str(tmp_path / "link"), "--no-install", "a", folder=tmp_path / "elsewhere")
    assert (run.stdout, run.stderr) == ("elsewhere|a\n", "")


def test_builds_again_when_sources_changed(built):
    main = built.root / "harness/main.cpp"
    main.write_text(PROGRAM.replace("return 7", "return 8"))
    run = built.run("bb")
    assert run.returncode == 8
    assert "main.cpp" in run.stderr and run.stdout == "a checkout\n"
    main.write_text(PROGRAM + "syntax error\n")
    run = built.run("bb")
    assert run.returncode == 1
    assert run.stdout == "" and run.stderr.splitlines()[-1] == "scripts/bb: the build failed (see above)"
    main.write_text(PROGRAM)
    assert built.run("bb").returncode == 7


def test_configures_again_after_packages_changed(built):
    status = Path("/var/lib/dpkg/status")
    if status.exists():
        os.utime(built.root / "build/release/configured", (0, status.stat().st_mtime - 1))
        assert "configuring release" in built.run("bb").stderr
        assert built.run("bb").stderr == ""


def test_falls_back_to_gcc(checkout):
    tools = checkout.bin.parent / "tools"
    tools.mkdir()
    for tool in Path("/usr/bin").iterdir():
        if not tool.name.startswith("clang"):
            (tools / tool.name).symlink_to(tool)
    (checkout.bin / "clang++-19").unlink()
    environment = {**os.environ, "PATH": f"{checkout.bin}:{tools}"}
    run = subprocess.run([checkout.root / "scripts/bb"], cwd=checkout.root, env=environment, capture_output=True,
                         text=True, check=False)
    assert run.returncode == 7, run.stderr
    assert "no clang++-19" in run.stderr and "configuring release-gcc" in run.stderr


def test_two_at_once_share_one_build(checkout):
    environment = {**os.environ, "PATH": f"{checkout.bin}:{os.environ['PATH']}"}
    runs = [subprocess.Popen([checkout.root / "scripts/bb"], cwd=checkout.root, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    results = [(*run.communicate(), run.returncode) for run in runs]
    assert [(out, code) for out, _, code in results] == [("a checkout\n", 7)] * 3
    assert sum("configuring release" in err for _, err, _ in results) == 1


def test_broken_configuration_is_one_clear_line(checkout):
    write(checkout.root / "CMakeLists.txt", CMAKE + "message(FATAL_ERROR no)\n")
    run = checkout.run("bb")
    assert run.returncode == 1
    assert "could not configure" in run.stderr.splitlines()[-1]


def test_read_only_checkout_says_what_is_wrong(checkout):
    """Root may write anywhere, so root becomes nobody; anybody else takes the right away."""
    is_root = os.geteuid() == 0
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if is_root else []
    environment = {"PATH": f"{checkout.bin}:/usr/bin:/bin"}

    def run_without_rights():
        build = checkout.root / "build/release"
        changed = [] if is_root else [folder for folder in (build, checkout.root) if folder.exists()]
        for folder in changed:
            folder.chmod(0o555)
        run = subprocess.run([*become, checkout.root / "scripts/bb"], cwd="/", env=environment, capture_output=True,
                             text=True, check=False)
        for folder in changed:
            folder.chmod(0o755)
        return run

    for folder in checkout.root.parents:
        if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & 0o55 != 0o55:
            folder.chmod(0o755)  # pytest's folders are private
    run = run_without_rights()
    assert run.returncode == 1
    assert "cannot write to" in run.stderr and "copy the checkout" in run.stderr
    assert checkout.run("bb").returncode == 7
    run = run_without_rights()
    assert (run.returncode, run.stdout) == (7, "\n")
    assert "running what is built there" in run.stderr


TESTS = """enable_testing()
add_custom_target(tests_unit)
add_custom_target(tests_stress)
foreach(name fine bad)
  add_test(NAME ${name} COMMAND cmake -E compare_files ${CMAKE_SOURCE_DIR}/${name} ${CMAKE_SOURCE_DIR}/fine)
  set_tests_properties(${name} PROPERTIES LABELS unit)
endforeach()
"""


@pytest.fixture(name="tested", scope="module")
def fixture_tested(tmp_path_factory):
    """A checkout with two tests, of which one fails while the file `bad` differs from `fine`."""
    checkout = Checkout(tmp_path_factory.mktemp("tested"))
    shutil.copy(ROOT / "scripts/test", checkout.root / "scripts/test")
    write(checkout.root / "CMakeLists.txt", CMAKE + TESTS)
    write(checkout.root / "fine", "same\n")
    write(checkout.root / "bad", "same\n")
    return checkout


def test_all_stages_are_added_up(tested):
    run = tested.run("test", "--stage", "release", "--stage=gcc")
    assert (run.returncode, run.stdout.splitlines()[-1]) == (0, "100% tests passed, 0 tests failed out of 4")
    assert "== release" in run.stderr and "== gcc" in run.stderr and "times: release" in run.stderr


def test_a_failing_test_fails_all(tested):
    write(tested.root / "bad", "other\n")
    run = tested.run("test", "--stage", "release")
    write(tested.root / "bad", "same\n")
    assert run.returncode == 1
    assert run.stdout.splitlines()[-2:] == ["failed: release: bad (Failed)",
                                            "50% tests passed, 1 tests failed out of 2"]


def test_a_failing_build_fails_all(tested):
    write(tested.root / "harness/main.cpp", PROGRAM + "syntax error\n")
    run = tested.run("test", "--stage", "release", "--stage", "gcc")
    write(tested.root / "harness/main.cpp", PROGRAM)
    assert run.returncode == 1
    assert run.stdout.splitlines()[-3:] == ["failed: release: the build", "failed: gcc: the build",
                                            "0% tests passed, 2 tests failed out of 2"]


def test_a_stage_without_tests_fails(tested):
    run = tested.run("test", "--stage", "lint")
    assert run.returncode == 1
    assert "failed: lint: ctest ran no tests" in run.stdout


def test_an_unknown_stage_is_refused(tested):
    run = tested.run("test", "--stage", "fuzz")
    assert run.returncode == 2
    assert "unknown stage 'fuzz'" in run.stderr and "tsan" in run.stderr
