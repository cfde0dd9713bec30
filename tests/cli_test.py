"""bb from the outside: results, bad input, exit codes, and nothing lost. Runs the built program and bb_faulty."""
import csv
import io
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import time

import pytest

BUILD = pathlib.Path(os.environ["BB_BINARY_DIR"])
BB = BUILD / "harness" / "bb"
FAULTY = BUILD / "tests" / "bb_faulty"


def quick(trials):
    return ["--workload", "tree", "--trials", str(trials), "--time", "4ms", "--warmup", "0", "--size", "1K",
            "--seed", "7"]


QUICK = quick(2)


def run(*arguments, program=BB, cwd=None, env=None, timeout=120, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BB_")} | (env or {})
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          env=environment, timeout=timeout, **more)


def result_of(tmp_path, *arguments, program=BB, code=0):
    out = tmp_path / "out.json"
    done = run("--json", out, *arguments, program=program)
    assert done.returncode == code, done.stderr
    return json.loads(out.read_text()), done


def cells(result, **wanted):
    return [c for c in result["cells"] if all(c[k] == v for k, v in wanted.items())]


# --- results

def test_a_result_has_what_the_contract_names(tmp_path):
    result, done = result_of(tmp_path, "--runtime", "serial,static", "--threads", "1,2", *QUICK, "--tag", "who=me")
    assert result["schema"] == "bb/1" and result["partial"] is False and result["seed"] == 7
    assert result["tags"] == {"who": "me"}
    assert [(c["runtime"], c["threads"]) for c in result["cells"]] == [("serial", 1), ("static", 1), ("static", 2)]
    for c in result["cells"]:
        assert c["status"] == "ok" and c["unit"] == "ns/op" and c["better"] == "lower"
        assert c["params"] == {"size": 1000, "layout": "preorder", "shape": "balanced", "entry": "each"}
        timed = [s["v"] for s in c["samples"] if not s["warmup"]]
        assert len({s["trial"] for s in c["samples"]}) == 2 and c["summary"]["n"] == len(timed)
        assert min(timed) <= c["summary"]["median"] <= max(timed) and c["summary"]["ci95"] is None
        assert c["cpu"]["cpu_ns_per_op"] > 0
        assert c["pin"]["policy"] == "core" and len(c["trials"]) == 2
        for t in c["trials"]:
            assert t["pin"]["threads_seen"] == c["threads"]
    assert done.stdout.count("serial") == 1 and "speed-up" in done.stdout


def test_no_host_user_or_path_in_a_result(tmp_path):
    result_of(tmp_path, "--runtime", "serial", *QUICK, "--setup", "true")
    text = (tmp_path / "out.json").read_text()
    assert str(tmp_path) not in text and os.uname().nodename not in text
    assert not re.search(r'"/(home|root|tmp|usr|work)', text)


def test_seed_fixes_the_order(tmp_path):
    orders = []
    for _ in range(2):
        result, _ = result_of(tmp_path, "--runtime", "serial,static", "--threads", "1,2", *QUICK)
        orders.append([[t["order"] for t in c["trials"]] for c in result["cells"]])
    assert orders[0] == orders[1]


def test_json_to_stdout_leaves_nothing_else_there():
    done = run("--runtime", "serial", *QUICK, "--json", "-")
    assert json.loads(done.stdout)["schema"] == "bb/1" and "serial" in done.stderr


def test_csv_is_read_by_a_csv_reader(tmp_path):
    done = run("--runtime", "serial,asio", *QUICK, "--csv", "-", "--filter", "tree")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [r["runtime"] for r in rows] == ["serial", "asio"]
    assert float(rows[0]["median"]) > 0 and rows[1]["status"] == "absent" and rows[1]["median"] == ""


def test_markdown_table(tmp_path):
    done = run("--runtime", "serial", *QUICK, "--markdown", tmp_path / "t.md", "--quiet")
    assert done.stdout == ""
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0].startswith("### tree") and lines[2].startswith("| runtime |")


def test_show_prints_the_table_again(tmp_path):
    _, done = result_of(tmp_path, "--runtime", "serial", *QUICK)
    again = run("show", tmp_path / "out.json")
    assert again.returncode == 0 and again.stdout == done.stdout


def test_entry_and_variants_are_cells_of_their_own(tmp_path):
    result, _ = result_of(tmp_path, "--runtime", "serial", *QUICK, "--entry", "each,once", "--variant", "all")
    assert {(c["params"]["entry"], c["variant"]) for c in result["cells"]} == {
        (e, v) for e in ("each", "once") for v in ("native", "generic")}


def test_absent_cells_say_why(tmp_path):
    result, done = result_of(tmp_path, "--runtime", "asio,fio,serial", *QUICK)
    assert cells(result, runtime="asio")[0]["status"] == "absent"
    assert "no fork/join" in done.stdout and "file I/O only" in done.stdout


def test_a_runtime_whose_package_is_missing_is_absent_with_the_reason(tmp_path):
    result, done = result_of(tmp_path, "--runtime", "serial,gone", *QUICK, program=FAULTY)
    assert cells(result, runtime="gone")[0]["status"] == "absent"
    assert "absent: gone (libgone was not found" in done.stdout
    assert "libgone" in run("list", program=FAULTY).stdout
    assert run("--runtime", "gone", *QUICK, "--require", program=FAULTY).returncode == 1


def test_every_row_is_listed_once_and_an_absent_one_says_what_to_install():
    rows = json.loads(run("list", "--json").stdout)["runtimes"]
    assert len({r["id"] for r in rows}) == len(rows)
    assert all("apt-get install" in r["absent"] for r in rows if r["absent"])


def test_require_makes_absent_an_error():
    done = run("--runtime", "asio", *QUICK, "--require")
    assert done.returncode == 1 and "--require" in done.stderr and "asio" in done.stderr


def test_a_comma_locale_gives_the_same_bytes(tmp_path):
    result_of(tmp_path, "--runtime", "serial", *QUICK)
    plain = run("show", tmp_path / "out.json", "--format", "csv")
    for name in ("de_DE.UTF-8", "pl_PL.UTF-8"):
        german = run("show", tmp_path / "out.json", "--format", "csv", env={"LC_ALL": name, "LANG": name})
        assert german.stdout == plain.stdout


def test_precision_goes_on_until_narrow_or_capped(tmp_path):
    result, _ = result_of(tmp_path, "--runtime", "serial", *quick(6), "--precision", "0.0001%",
                          "--max-trials", "8")
    assert result["cells"][0]["summary"]["trials"] == 8
    result, _ = result_of(tmp_path, "--runtime", "serial", *quick(6), "--precision", "100%", "--max-trials", "60")
    found = result["cells"][0]["summary"]
    assert 6 <= found["trials"] < 60
    assert found["ci95"][1] - found["ci95"][0] <= 2 * found["median"]


def test_options_from_environment_and_file(tmp_path):
    done = run("--dry-run", "--size", "1K", env={"BB_RUNTIME": "serial"})
    assert "serial" in done.stdout and "static" not in done.stdout
    (tmp_path / "bb.toml").write_text('runtime = "static"\nsize = "2K"\nthreads = "1"\n')
    done = run("--dry-run", "--config", tmp_path / "bb.toml")
    assert "static" in done.stdout and "size=2K" in done.stdout and "serial" not in done.stdout


# --- plans

def test_dry_run_prints_cells_pins_and_time():
    done = run("--threads", "1,2", "--dry-run")
    assert done.returncode == 0 and "pin map" in done.stdout and "taskset -c" in done.stdout and "about" in done.stdout


def test_large_inputs_run_at_one_and_most_threads_unless_full():
    done = run("--runtime", "static", "--threads", "1,2,4", "--size", "100M", "--dry-run",
               "--topology", "pack:1 core:4 pu:1")
    assert "skipped" in done.stdout and "1 and 4 threads" in done.stdout
    done = run("--runtime", "static", "--threads", "1,2,4", "--size", "100M", "--dry-run", "--full",
               "--topology", "pack:1 core:4 pu:1")
    assert "skipped" not in done.stdout


def test_topology_of_another_machine_is_for_plans_only():
    done = run("--topology", "pack:1 core:4 pu:1")
    assert done.returncode == 2 and "--dry-run" in done.stderr


def test_list_names_every_cell():
    listed = json.loads(run("list", "--json").stdout)
    pairs = {(c["workload"], c["runtime"]) for c in listed["cells"]}
    assert pairs == {(w["id"], r["id"]) for w in listed["workloads"] for r in listed["runtimes"]}
    for c in listed["cells"]:
        assert c["variants"] or c["reason"]


def test_tax_compares_generic_with_native():
    done = run("tax", "--runtime", "serial", *quick(6))
    assert done.returncode == 0, done.stderr
    ratio = float(re.search(r"generic / native = ([0-9.]+)", done.stdout)[1])
    assert 0.3 < ratio < 3


# --- poor surroundings

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can take its own rights away")


@needs_root
def test_works_unprivileged(tmp_path):
    done = run("--runtime", "serial,static", "--threads", "2", *QUICK, user=65534, group=65534, cwd="/")
    assert done.returncode == 0, done.stderr


@needs_root
def test_works_without_sys():
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("this sandbox lets nobody unshare a mount namespace")
    command = f"mount -t tmpfs none /sys && exec {BB} --runtime serial,static --threads 2 " + " ".join(QUICK)
    done = subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_obeys_an_affinity_mask(tmp_path):
    cpu = max(os.sched_getaffinity(0))
    out = tmp_path / "out.json"
    done = subprocess.run(["taskset", "-c", str(cpu), str(BB), "--runtime", "static", "--threads", "1,2", "--json",
                           str(out), *QUICK], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for c in json.loads(out.read_text())["cells"]:
        assert set(c["pin"]["planned"]) == {cpu} and c["pin"]["oversubscribed"] == (c["threads"] > 1)


# --- bad input: one sentence, the right code

@pytest.mark.parametrize("arguments, code, words", [
    (["--workload", "tre"], 2, ["tre", "tree"]),
    (["--runtime", "serail"], 2, ["serail", "serial"]),
    (["--runtime", "tbb/cutof=3"], 2, ["cutof", "cutoff"]),
    (["--runtime", "serial/x=1"], 2, ["serial", "no arms"]),
    (["--workload", "tree", "--sizes", "3"], 2, ["--sizes", "--size"]),
    (["--size", "12Q"], 2, ["12Q"]),
    (["--size", "0"], 2, ["0"]),
    (["--layout", "preordr"], 2, ["preordr", "preorder"]),
    (["--threads", "0"], 2, ["0", "1"]),
    (["--threads", "-1"], 2, ["-1"]),
    (["--threads", "8..2"], 2, ["8..2"]),
    (["--threads", "5000"], 2, ["5000", "4096"]),
    (["--threads", "99999999999999999999"], 2, ["--threads"]),
    (["--threads", "two"], 2, ["two"]),
    (["--threads", ""], 2, ["--threads"]),
    (["--pin", "sideways"], 2, ["sideways", "core"]),
    (["--pin", "list:9999"], 2, ["9999"]),
    (["--membind", "far"], 2, ["far", "local"]),
    (["--thp", "maybe"], 2, ["maybe", "off"]),
    (["--time", "5"], 2, ["5", "--time"]),
    (["--time", "-3s"], 2, ["--time"]),
    (["--filter", "("], 2, ["(", "regular"]),
    (["--filter", "nothing-is-called-so"], 2, ["--filter"]),
    (["--variant", "best-of"], 2, ["best-of"]),
    (["--tag", "novalue"], 2, ["novalue", "key=value"]),
    (["--trials", "0"], 2, ["--trials"]),
    (["--trials", "2", "--trials", "3"], 2, ["--trials", "twice"]),
    (["--json", "-", "--csv", "-"], 2, ["one place"]),
    (["--json", "-", "--csv", "/dev/stdout"], 2, ["one place"]),
    (["--json", "a.out", "--csv", "./a.out"], 2, ["one place"]),
    (["--layout", ""], 2, ["--layout", "empty"]),
    (["--trials", "-1"], 2, ["--trials", "-1"]),
    (["--timeout", "5124095h"], 2, ["--timeout", "year"]),
    (["--timeout", "0"], 2, ["--timeout"]),
    (["--seed", "1,2"], 2, ["--seed"]),
    (["--no-warn", "noise"], 2, ["--no-warn", "noise", "load"]),
    (["--tag", "a=1", "--tag", "a=2"], 2, ["--tag", "twice"]),
    (["--runtime", "heartbeat/beat_us=1+beat_us=2"], 2, ["beat_us", "twice"]),
    (["--runtime", "heartbeat/beat_us=0"], 2, ["beat_us", "1"]),
    (["--runtime", "heartbeat/beat_us=18446744073709551"], 2, ["beat_us"]),
    (["runn"], 2, ["runn", "run"]),
    (["show", "there-is-no-such-file"], 3, ["there-is-no-such-file"]),
    (["resume", "there-is-no-such-file"], 3, ["there-is-no-such-file"]),
    (["--topology", "there-is-no.xml", "--dry-run"], 3, ["there-is-no.xml"]),
    (["--config", "there-is-no.toml"], 3, ["there-is-no.toml"]),
    (["--json", "no-such-folder/x.json"], 6, ["no-such-folder", "folder"]),
    (["--json", "/"], 6, ["/"]),
])
def test_bad_input_is_refused_with_a_sentence(arguments, code, words, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    lines = [l for l in done.stderr.splitlines() if l.startswith("bb: ")]
    assert len(lines) == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert word in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_that_no_chosen_workload_has_is_refused():
    listed = json.loads(run("list", "--json").stdout)
    others = {p["name"] for w in listed["workloads"] if w["id"] != "tree" for p in w["parameters"]}
    others -= {p["name"] for w in listed["workloads"] if w["id"] == "tree" for p in w["parameters"]}
    for name in others:
        done = run("--workload", "tree", f"--{name}", "1", "--dry-run")
        assert done.returncode == 2 and name in done.stderr and "tree" in done.stderr


@pytest.mark.parametrize("text, words", [
    ("", ["JSON"]), ("{", ["JSON"]), ("[]", ["schema"]), ("{}", ["schema"]),
    ('{"schema": "bb/2", "cells": []}', ["bb/2", "bb/1"]), ('{"schema": "bb/1"}', ["valid"]),
    ('{"schema": "bb/1", "cells": [{}]}', ["valid"]), ("\x00\xff", ["JSON"]),
    ('{"schema": "bb/1", "cells": [], "x": DEEP}', ["nested"]),
    ('{"schema": "bb/1", "cells": [], "x": 1e999}', ["valid"]),
])
def test_a_damaged_result_is_refused(text, words, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(text.replace("DEEP", "[" * 100_000 + "]" * 100_000))
    done = run("show", bad)
    assert done.returncode == 3
    for word in words:
        assert word in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("path, value", [
    (["cells", 0, "trials"], [1]), (["cells", 0, "trials", 0, "round"], "one"),
    (["cells", 0, "trials", 0, "wall_total_ns"], -1), (["cells", 0, "trials", 0, "steadiness"], {"label": 3}),
    (["cells", 0, "pin", "policy"], 7), (["cells", 0, "pin", "oversubscribed"], "no"), (["cells", 0, "threads"], -1),
    (["cells", 0, "status"], "fine"), (["ceilings"], [{"pus": "all"}]), (["cells", 0, "samples"], [{}]),
])
def test_a_result_with_a_wrong_part_is_refused(path, value, tmp_path):
    result, _ = result_of(tmp_path, "--runtime", "serial", *QUICK)
    part = result
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(result))
    for verb in ("show", "resume"):
        done = run(verb, bad)
        assert done.returncode == 3 and "bad.json" in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert json.loads(bad.read_text()) == result


def test_show_reads_stdin(tmp_path):
    _, done = result_of(tmp_path, "--runtime", "serial", *QUICK)
    again = run("show", "-", input=(tmp_path / "out.json").read_text())
    assert again.stdout == done.stdout


@pytest.mark.parametrize("text", ["trails = 2\n", "garbage\n", "threads = [1, 2]\n"])
def test_a_config_file_with_wrong_content_is_refused(text, tmp_path):
    (tmp_path / "bb.toml").write_text(text)
    done = run("--dry-run", "--config", tmp_path / "bb.toml")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr


def test_the_config_file_may_come_from_the_environment(tmp_path):
    (tmp_path / "bb.toml").write_text('runtime = "serial"\n')
    assert "static" not in run("--dry-run", env={"BB_CONFIG": str(tmp_path / "bb.toml")}).stdout
    assert run("--dry-run", env={"BB_CONFIG": "there-is-none"}).returncode == 3


def test_tax_without_a_pair_says_so():
    done = run("tax", "--runtime", "tbb", *QUICK)
    assert done.returncode == 2 and "generic and a native" in done.stderr


def test_not_enough_memory_says_how_much():
    done = run("--runtime", "serial", "--size", "4G", "--trials", "1")
    assert done.returncode == 1 and "GiB" in done.stdout and "memory" in done.stdout


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

def start(*arguments, program=BB):
    return subprocess.Popen([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


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


def test_children_die_with_the_driver(tmp_path):
    child = start("--runtime", "hang", "--threads", "1", *QUICK, "--timeout", "60s", program=FAULTY)
    time.sleep(1)
    group = subprocess.run(["pgrep", "-f", "__round"], capture_output=True, text=True).stdout.split()
    assert group
    child.kill()
    child.communicate()
    time.sleep(0.5)
    left = subprocess.run(["pgrep", "-f", "__round"], capture_output=True, text=True).stdout.split()
    assert not set(group) & set(left)


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
