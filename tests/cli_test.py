"""bb from the outside: results, plans, poor surroundings, bad input. Runs the built program and bb_faulty."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "data"))
from cli_tools import BB, FAULTY, QUICK, cells, quick, result_of, run


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


def test_tax_compares_generic_with_native(tmp_path):
    out = tmp_path / "out.json"
    done = run("tax", "--runtime", "serial", *quick(6), "--json", out)
    assert done.returncode == 0, done.stderr
    median = {c["variant"]: c["summary"]["median"] for c in json.loads(out.read_text())["cells"]}
    ratio = float(re.search(r"generic / native = ([0-9.]+)", done.stdout)[1])
    assert ratio == pytest.approx(median["generic"] / median["native"], rel=0.006)  # three digits are printed


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
