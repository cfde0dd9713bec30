"""Nothing is lost: faults cost one cell; interruption, resumption and output keep what there is."""
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "data"))
from cli_tools import BB, FAULTY, QUICK, cells, quick, result_of, run, start


# --- faults cost one cell

@pytest.mark.parametrize("fault, status, words", [
    ("crash", "failed", ["signal 11"]), ("crash_start", "failed", ["signal 6"]),
    ("killed", "failed", ["signal 9", "memory"]),
    ("hang", "timeout", ["1 s"]), ("spin", "timeout", ["1 s"]), ("wrong", "wrong", ["oracle"]),
    ("wrong_late", "wrong", ["oracle"]), ("few", "failed", ["never started"]),
    ("hog", "failed", ["memory", "bad_alloc"]),
    ("throws", "failed", ["threw on purpose"]), ("exits", "failed", ["exit code 3"]),
])
def test_a_fault_fails_its_cell_alone(fault, status, words, tmp_path):
    result, done = result_of(tmp_path, "--runtime", f"serial,{fault}", "--threads", "2", *QUICK, "--timeout", "1s",
                             program=FAULTY, code=1)
    good, bad = result["cells"]
    assert good["status"] == "ok" and good["summary"]["trials"] == 2
    assert bad["status"] == status, bad["reason"]
    assert bad["summary"]["median"] is None
    assert any(word in bad["reason"] for word in words), bad["reason"]
    assert status in done.stdout and result["partial"] is False


@pytest.mark.parametrize("runtime, words", [("endless", ["1 s", "endless may"]),
                                            ("gives_up", ["(after ", "gave up on purpose"])])
def test_a_runtime_known_for_not_finishing_is_no_failure(runtime, words, tmp_path):
    result, done = result_of(tmp_path, "--runtime", f"serial,{runtime}", "--threads", "2", *QUICK, "--timeout", "1s",
                             program=FAULTY)
    assert cells(result, runtime="serial")[0]["status"] == "ok"
    cell, = cells(result, runtime=runtime)
    assert cell["status"] == "did_not_finish" and len(cell["trials"]) == 1 and cell["summary"]["median"] is None
    assert all(word in cell["reason"] for word in words) and words[-1] in done.stdout


def test_a_module_says_which_library_it_loaded_and_a_series_gets_its_line(tmp_path):
    listed = json.loads(run("list", "--json").stdout)
    openmp, = (r for r in listed["runtimes"] if r["id"] == "openmp")
    runtimes = "serial" if openmp["absent"] else "serial,openmp"
    result, done = result_of(tmp_path, "--workload", "fork", "--forks", "100,200,400", "--runtime", runtimes,
                             "--threads", "1", "--trials", "1", "--time", "4ms", "--warmup", "0")
    for c in cells(result, runtime="openmp", status="ok"):
        assert "libgomp" in c["trials"][0]["loaded"] and "GOMP_SPINCOUNT=" in c["trials"][0]["loaded"]
    assert all(c["trials"][0]["loaded"] is None for c in cells(result, runtime="serial"))
    line = result["series"][0]
    assert (line["runtime"], line["parameter"], line["points"], line["slope_unit"]) == ("serial", "forks", 3, "ns/fork")
    assert "line over forks" in done.stdout and "ns/fork" in done.stdout


def test_a_run_too_slow_for_its_budget_ends_with_its_time(tmp_path):
    result, _ = result_of(tmp_path, "--runtime", "serial,slow", "--threads", "1", "--size", "1K", "--warmup", "0",
                          "--budget", "300ms", program=FAULTY)
    slow = cells(result, runtime="slow")[0]
    assert slow["status"] == "did_not_finish" and "1.0" in slow["reason"] and "budget" in slow["reason"]
    assert len(slow["trials"]) == 1 and cells(result, runtime="serial")[0]["status"] == "ok"


def test_a_failed_hook_is_told():
    done = run("--runtime", "serial", *QUICK, "--setup", "exit 9")
    assert done.returncode == 1 and "--setup" in done.stderr and "9" in done.stderr


def test_a_failed_cleanup_costs_no_result(tmp_path):
    done = run("--runtime", "serial", *QUICK, "--json", "-", "--cleanup", "exit 4")
    assert done.returncode == 1 and "--cleanup" in done.stderr
    assert json.loads(done.stdout)["partial"] is False


def test_hooks_leave_no_paths_in_a_result(tmp_path):
    result, _ = result_of(tmp_path, "--runtime", "serial", *QUICK, "--setup", "ls /usr >/dev/null", "--cleanup=true")
    assert "/usr" not in json.dumps(result) and result["argv"][-3:] == ["--setup", "...", "--cleanup=..."]


def test_hooks_run_before_and_after(tmp_path):
    log = tmp_path / "log"
    run("--runtime", "serial", *QUICK, "--setup", f"echo before >>{log}", "--cleanup", f"echo after >>{log}")
    assert log.read_text().split() == ["before", "after"]


# --- interruption and resumption

@pytest.mark.parametrize("delay", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_has(delay, number, tmp_path):
    out = tmp_path / "out.json"
    child = start("--runtime", "serial,static", "--threads", "1", "--size", "1K", "--trials", "30", "--time", "100ms",
                  "--json", out)
    time.sleep(delay)
    child.send_signal(number)
    child.communicate(timeout=20)
    assert child.returncode in (130, -number)
    if child.returncode == 130:
        result = json.loads(out.read_text())
        assert result["partial"] is True
    assert [p for p in tmp_path.iterdir() if p != out] == []  # no temporary files left


def test_resume_goes_on_where_it_stopped(tmp_path):
    out = tmp_path / "out.json"
    child = start("--runtime", "serial,static", "--threads", "1", "--size", "1K", "--trials", "4", "--time", "200ms",
                  "--warmup", "0", "--seed", "3", "--json", out)
    deadline = time.time() + 20
    while time.time() < deadline and not (out.exists() and '"round": 1' in out.read_text()):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130
    before = json.loads(out.read_text())
    assert run("resume", out).returncode == 0
    after = json.loads(out.read_text())
    assert after["partial"] is False and after["seed"] == 3
    for old, new in zip(before["cells"], after["cells"]):
        assert new["summary"]["trials"] == 4
        assert sorted(t["round"] for t in new["trials"]) == [0, 1, 2, 3]
        assert new["samples"][:len(old["samples"])] == old["samples"]


def partial_result(tmp_path, *arguments):
    out = tmp_path / "out.json"
    child = start("--runtime", "serial,static", "--size", "1K", "--trials", "50", "--time", "50ms", "--json", out,
                  *arguments)
    deadline = time.time() + 20
    while time.time() < deadline and not (out.exists() and '"round": 1' in out.read_text()):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130
    return out


@pytest.mark.parametrize("change", ["mask", "commit", "thp", "timeout", "threads"])
def test_resume_refuses_to_mix_and_touches_nothing(change, tmp_path):
    out = partial_result(tmp_path)
    result = json.loads(out.read_text())
    if change == "commit":
        result["tool"]["commit"] = "other"
    if change == "thp":
        result["settings"]["thp"] = "x"
    if change == "timeout":
        result["settings"]["timeout_ns"] = 0
    if change == "threads":
        result["settings"]["threads"] = "1"
        result["cells"][-1]["threads"] = 9
    out.write_text(json.dumps(result))
    before = out.read_text()
    cpu = str(max(os.sched_getaffinity(0)))
    prefix = ["taskset", "-c", cpu] if change == "mask" else []
    if change == "mask" and len(os.sched_getaffinity(0)) == 1:
        pytest.skip("needs two CPUs to take one away")
    done = subprocess.run([*prefix, str(BB), "resume", str(out)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 3, done.stderr
    assert len(done.stderr.splitlines()) == 1 and out.read_text() == before


def test_resume_wants_the_hooks_again(tmp_path):
    out = partial_result(tmp_path, "--setup", "true")
    assert run("resume", out).returncode == 2


def test_two_signals_at_once_leave_a_whole_result(tmp_path):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        out = tmp_path / f"{number}.json"
        child = start("--runtime", "serial,static", "--threads", "1", *quick(1000), "--json", out)
        time.sleep(0.7)
        child.send_signal(signal.SIGTERM)
        child.send_signal(number)
        child.communicate(timeout=20)
        assert child.returncode == 130 and json.loads(out.read_text())["partial"] is True
    assert len(list(tmp_path.iterdir())) == 3


def test_an_interrupted_setup_is_an_interruption(tmp_path):
    child = start("--runtime", "serial", *QUICK, "--setup", "sleep 5")
    time.sleep(0.5)
    os.kill(child.pid, signal.SIGINT)
    subprocess.run(["pkill", "-INT", "-P", str(child.pid)])
    child.communicate(timeout=20)
    assert child.returncode == 130


def descendants(pid):
    """Process ids below `pid`; other tests run bb at the same time."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
    found, size = {pid}, 0
    while size != len(found):
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_children_die_with_the_driver(tmp_path):
    child = start("--runtime", "hang", "--threads", "1", *QUICK, "--timeout", "60s", program=FAULTY)
    time.sleep(1)
    group = descendants(child.pid)
    assert len(group) >= 2  # the process of the round and the trial that hangs
    child.kill()
    child.communicate()
    deadline = time.time() + 10
    while time.time() < deadline and any(map(lives, group)):
        time.sleep(0.02)
    assert [pid for pid in group if lives(pid)] == []


# --- output

def test_a_full_device_is_told_and_not_replaced():
    done = run("--runtime", "serial", *QUICK, "--json", "/dev/full")
    assert done.returncode == 6 and "/dev/full" in done.stderr and "No space" in done.stderr
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    kept = re.search(r"kept in '([^']+)'", done.stderr)[1]
    assert json.loads(pathlib.Path(kept).read_text())["schema"] == "bb/1"
    os.remove(kept)
    assert "serial" in done.stdout


def test_a_closed_pipe_on_stdout_is_told():
    done = subprocess.run(f"{BB} list >/dev/full", shell=True, capture_output=True, text=True)
    assert done.returncode == 6 and "stdout" in done.stderr


def test_a_disk_that_fills_costs_no_result(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("this sandbox lets nobody unshare a mount namespace")
    command = (f"mount -t tmpfs -o size=16k none {full} && {BB} --runtime serial,static --threads 1,2 "
               f"--json {full}/x.json --csv {tmp_path}/y.csv --cleanup 'echo cleaned' " + " ".join(quick(8)))
    done = subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 6 and "No space" in done.stderr and "cleaned" in done.stderr
    assert "serial" in done.stdout and (tmp_path / "y.csv").exists()
    kept = re.search(r"kept in '([^']+)'", done.stderr)[1]
    assert json.loads(pathlib.Path(kept).read_text())["partial"] is False
    os.remove(kept)


def test_a_reader_that_is_gone_costs_no_result(tmp_path):
    out = tmp_path / "out.json"
    done = subprocess.run(["bash", "-c", f"{BB} --runtime serial {' '.join(QUICK)} --json {out} | true; "
                           "echo ${PIPESTATUS[0]}"], capture_output=True, text=True, timeout=60)
    assert json.loads(out.read_text())["partial"] is False
    assert done.stdout.strip() in ("0", "6")


def test_a_file_size_limit_is_told(tmp_path):
    command = f"ulimit -f 4; exec {BB} --runtime serial,static --json {tmp_path}/x.json --quiet " + " ".join(quick(9))
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 6 and "x.json" in done.stderr
    assert not [p for p in tmp_path.iterdir() if "x.json." in p.name]


def test_links_are_followed_and_modes_kept(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("--runtime", "serial", *QUICK, "--json", link).returncode == 0
    assert link.is_symlink() and json.loads(target.read_text())["schema"] == "bb/1"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_fifo_gets_the_result_once(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    child = start("--runtime", "serial", *QUICK, "--json", fifo)
    text = fifo.read_text()
    child.communicate(timeout=20)
    assert child.returncode == 0 and json.loads(text)["schema"] == "bb/1" and stat.S_ISFIFO(fifo.stat().st_mode)


def test_colour_only_for_terminals():
    assert "\x1b" not in run("--runtime", "serial", *QUICK).stdout
