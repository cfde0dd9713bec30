"""Result files keep to docs/schema/bb-1.schema.json, and the schema refuses what is none. Runs bb and bb_faulty."""
import copy
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ["BB_BINARY_DIR"])
BB, FAULTY = BUILD / "harness" / "bb", BUILD / "tests" / "bb_faulty"
QUICK = ["--size", "1K", "--time", "4ms", "--warmup", "1ms", "--quiet"]

sys.path.insert(0, str(ROOT / "tests" / "data"))
import synthetic_result as synthetic  # noqa: E402

SCHEMA = json.loads((ROOT / "docs" / "schema" / "bb-1.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def refuse(token):
    raise ValueError(f"{token} is not JSON")


def strict(text):
    """The text as JSON that holds no NaN."""
    return json.loads(text, parse_constant=refuse)


def faults(result):
    return [f"{e.json_path}: {e.message}"[:300] for e in VALIDATOR.iter_errors(result)]


def measure(out, *arguments, program=BB, codes=(0,)):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BB_")}
    done = subprocess.run([program, "--workload", "tree", *map(str, arguments), "--json", out], capture_output=True,
                          text=True, timeout=120, env=environment)
    assert done.returncode in codes, done.stderr
    return strict(out.read_text())


def statuses(result):
    return {c["status"] for c in result["cells"]}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


# --- what bb writes

@pytest.fixture(name="good", scope="module")
def fixture_good(tmp_path_factory):
    return measure(tmp_path_factory.mktemp("good") / "r.json", *QUICK, "--runtime", "serial,static,tbb,heartbeat,asio",
                   "--threads", "1,2,3", "--trials", 6, "--tag", "who=me")


def test_a_run(good):
    assert faults(good) == []
    assert statuses(good) == {"ok", "absent"} and good["cells"][0]["summary"]["ci95"] is not None


@pytest.mark.parametrize("arguments", [
    ["--trials", 1, "--samples", 1], ["--trials", 2, "--pin", "none,compact,list:0"], ["--smoke", "--trials", 1],
    ["--trials", 2, "--runtime", "tbb/*", "--thp", "off"], ["--trials", 2, "--variant", "all"],
])
def test_other_runs(tmp_path, arguments):
    quick = [a for a in QUICK if "--smoke" not in arguments or a not in ("--size", "1K")]
    result = measure(tmp_path / "r.json", *quick, *arguments)
    assert faults(result) == [] and "ok" in statuses(result)


def test_an_input_large_enough_for_a_ceiling(tmp_path):
    result = measure(tmp_path / "r.json", "--size", "4M", "--runtime", "serial", "--trials", 1, "--time", "10ms",
                     "--quiet")
    assert faults(result) == [] and len(result["ceilings"]) == 1


def test_cells_that_go_wrong(tmp_path):
    result = measure(tmp_path / "r.json", *QUICK, "--runtime", "serial,crash,hang,wrong,wrong_late,few,throws,asio",
                     "--threads", "1,2", "--trials", 2, "--timeout", "1s", program=FAULTY, codes=(1,))
    assert faults(result) == []
    assert statuses(result) == {"ok", "failed", "timeout", "wrong", "absent"}


def test_cells_that_never_run(tmp_path):
    result = measure(tmp_path / "r.json", "--size", "4G", "--runtime", "serial", "--trials", 1, "--quiet", codes=(1,))
    assert faults(result) == [] and statuses(result) == {"failed"}
    result = measure(tmp_path / "r.json", "--size", "100M", "--runtime", "static", "--threads", "1,2,4", "--trials", 1,
                     "--filter", "threads=4", "--quiet")
    assert faults(result) == [] and statuses(result) == {"skipped"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended(tmp_path, number):
    out = tmp_path / "r.json"
    child = subprocess.Popen([BB, "--workload", "tree", "--size", "1K", "--runtime", "serial,static", "--trials", "30",
                              "--time", "100ms", "--json", out, "--quiet"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (out.exists() and '"round": 1' in out.read_text()):
        time.sleep(0.02)
    child.send_signal(number)
    assert child.wait(30) in (130, -number)
    result = strict(out.read_text())
    assert faults(result) == [] and result["partial"] is True
    assert (result["finished"] == "") == (number == signal.SIGKILL)


def test_show_writes_what_it_read(tmp_path, good):
    (tmp_path / "r.json").write_text(json.dumps(good))
    done = subprocess.run([BB, "show", "--format", "json", tmp_path / "r.json"], capture_output=True, text=True)
    assert done.returncode == 0 and faults(strict(done.stdout)) == []
    assert strict(done.stdout)["cells"][0]["samples"] == good["cells"][0]["samples"]


def test_unknown_keys_are_ignored_and_a_higher_number_is_refused(tmp_path, good):
    newer = copy.deepcopy(good)
    newer["new"] = newer["cells"][0]["new"] = newer["cells"][0]["samples"][0]["new"] = {"a": 1}
    (tmp_path / "r.json").write_text(json.dumps(newer))
    assert subprocess.run([BB, "show", tmp_path / "r.json"], capture_output=True).returncode == 0
    newer["schema"] = "bb/2"
    (tmp_path / "r.json").write_text(json.dumps(newer))
    done = subprocess.run([BB, "show", tmp_path / "r.json"], capture_output=True, text=True)
    assert done.returncode == 3 and "bb/2" in done.stderr


@pytest.mark.parametrize("kind", sorted(synthetic.KINDS))
def test_the_generated_results_of_other_tests_are_results(kind):
    assert faults(strict(json.dumps(synthetic.KINDS[kind]()))) == []


# --- what is no result

def cell(result):
    return result["cells"][0]


def change(path, value):
    def apply(result):
        at = result
        for key in path[:-1]:
            at = at[key]
        if value is DELETED:
            del at[path[-1]]
        else:
            at[path[-1]] = value
    return apply


DELETED = object()
CELL = ("cells", 0)
BROKEN = [
    (("schema",), "bb/2"), (("schema",), DELETED), (("seed",), -1), (("seed",), 0.5), (("finished",), "yesterday"),
    (("finished",), ""), (("partial",), None), (("cells",), []), (("extra",), 1), (("tags", "n"), 1),
    (("argv", 1), "/usr/local/tree"), (("argv", 1), "--json=/tmp/x.json"), (("hostname",), "box"),
    (("machine", "hostname"), "box"), (("machine", "host_name"), "box"), (("machine", "user"), "somebody"),
    (("machine", "cpu"), DELETED), (("machine", "pus"), 0), (("machine", "cores"), "2"), (("machine", "quota"), 0),
    (("machine", "load"), [1, 2]), (("machine", "clock", "step_ns"), None), (("settings", "thp"), "maybe"),
    (("settings", "cwd"), "x"), (("tool", "build", "compiler"), "cc"), (("tool", "commit"), "a/b"),
    (("warnings",), [{"kind": "load"}]), (("ceilings",), [{"threads": 1}]),
    ((*CELL, "unit"), DELETED), ((*CELL, "unit"), "ms"), ((*CELL, "unit"), None), ((*CELL, "status"), "good"),
    ((*CELL, "status"), DELETED), ((*CELL, "better"), "more"), ((*CELL, "variant"), ""), ((*CELL, "arm"), "fast"),
    ((*CELL, "threads"), 0), ((*CELL, "threads"), "1"), ((*CELL, "runtime"), "TBB 2021"), ((*CELL, "host"), "box"),
    ((*CELL, "params", "size"), None), ((*CELL, "params", "size"), 1.5), ((*CELL, "pin"), None),
    ((*CELL, "pin", "policy"), "best"), ((*CELL, "pin", "planned"), [-1]), ((*CELL, "reason"), ""),
    ((*CELL, "samples"), []), ((*CELL, "samples", 0, "v"), "1"), ((*CELL, "samples", 0, "v"), -1),
    ((*CELL, "samples", 0, "warmup"), DELETED), ((*CELL, "samples", 0, "unit"), "ns"),
    ((*CELL, "summary", "median"), None), ((*CELL, "summary", "ci95"), [1]), ((*CELL, "summary", "trials"), 5),
    ((*CELL, "summary", "mean"), 1), ((*CELL, "steadiness"), "fine"), ((*CELL, "cpu", "cpu_ns_per_op"), "1"),
    ((*CELL, "cpu", "energy_j"), DELETED), ((*CELL, "latency"), {"service": {"bins": []}, "response": None}),
    ((*CELL, "rate"), {"iops": "fast"}), ((*CELL, "trials", 0, "cpu"), DELETED),
    ((*CELL, "trials", 0, "username"), "somebody"), ((*CELL, "trials", 0, "pin", "actual"), ["0"]),
    ((*CELL, "trials", 0, "noise", "steal_us"), -1), ((*CELL, "trials", 0, "steadiness"), {"label": "fine"}),
    ((*CELL, "trials", 0, "counters", "cycles"), {"v": 1, "active": 2}),
]


@pytest.mark.parametrize("path, value", BROKEN, ids=lambda x: str(x)[:40])
def test_a_broken_result_is_refused(good, path, value):
    broken = copy.deepcopy(good)
    assert cell(broken)["status"] == "ok" and faults(broken) == []
    change(path, value)(broken)
    found = faults(broken)
    assert found and all(isinstance(f, str) for f in found)


@pytest.mark.parametrize("status", ["did_not_finish", "timeout", "wrong", "failed"])
def test_a_number_without_ok_is_refused(good, status):
    broken = copy.deepcopy(good)
    cell(broken)["status"] = status
    assert any("reason" in f for f in faults(broken)) and any("summary" in f for f in faults(broken))
    cell(broken)["reason"] = "2 samples in 60.0 s"
    cell(broken)["summary"] |= {"median": None, "ci95": None, "min": None, "mad": None}
    assert faults(broken) == []


@pytest.mark.parametrize("status", ["absent", "skipped"])
def test_samples_of_what_never_ran_are_refused(good, status):
    broken = copy.deepcopy(good)
    cell(broken).update(status=status, reason="left out",
                        summary={"trials": 0, "n": 0, "median": None, "ci95": None, "min": None, "mad": None})
    assert any("samples" in f for f in faults(broken)) and any("trials" in f for f in faults(broken))


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_nan_is_refused_by_schema_test_and_by_bb(tmp_path, good, token):
    text = json.dumps(good).replace('"v": ' + json.dumps(good["cells"][0]["samples"][0]["v"]), f'"v": {token}', 1)
    assert token in text
    with pytest.raises(ValueError):
        strict(text)
    (tmp_path / "r.json").write_text(text)
    assert subprocess.run([BB, "show", tmp_path / "r.json"], capture_output=True).returncode == 3


# --- the page

def keys_of(schema):
    if isinstance(schema, list):
        return {k for s in schema for k in keys_of(s)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own | {k for s in schema.values() for k in keys_of(s)}


def test_the_page_names_every_key_and_status():
    page = set(re.findall(r"`([^`]+)`", (ROOT / "docs" / "SCHEMA.md").read_text()))
    assert keys_of(SCHEMA) - page == set()
    assert set(SCHEMA["$defs"]["cell"]["properties"]["status"]["enum"]) <= page


def test_the_page_invents_no_key():
    page = (ROOT / "docs" / "SCHEMA.md").read_text()
    rows = [re.findall(r"`([a-z][a-z0-9_]*)`", row.split("|")[1]) for row in page.split("\n") if row.startswith("| `")]
    allowed = keys_of(SCHEMA) | set(SCHEMA["$defs"]["cell"]["properties"]["status"]["enum"])
    assert {k for row in rows for k in row} - allowed == set()
