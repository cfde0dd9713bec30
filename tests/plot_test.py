"""Charts of results good and odd: exit codes and sentences, what is drawn, the same bytes for the same results."""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "data")]

import synthetic_result as synthetic  # noqa: E402

PLOT = ROOT / "scripts" / "plot.py"
PARAMS = "1K-preorder-balanced-each"


def run(*arguments, env=None, cwd=None, stdin=None):
    return subprocess.run([sys.executable, "-B", str(PLOT), *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd, input=stdin, timeout=120, env={**os.environ, **(env or {})})


@pytest.fixture(name="draw")
def fixture_draw(tmp_path):
    """draw(result, options...) -> (process, {name: path}) of what was written."""
    def draw(result, *options, code=0):
        source, out = tmp_path / "result.json", tmp_path / "out"
        source.write_text(result if isinstance(result, str) else json.dumps(result))
        done = run(source, "-o", out, *options)
        assert done.returncode == code, done.stderr
        assert code != 0 or done.stdout.split() == [str(p) for p in map(Path, done.stdout.split()) if p.stat().st_size]
        return done, {p.name: p for p in sorted(out.glob("*"))} if out.exists() else {}
    return draw


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def svg_texts(path):
    space = {"s": "http://www.w3.org/2000/svg"}
    root = xml.parse(path).getroot()
    return ([t.text for t in root.iterfind(".//s:text", space)], root.findtext("s:title", None, space),
            root.findtext("s:desc", None, space))


def one_sentence(done, *words):
    lines = done.stderr.strip().split("\n")
    assert len(lines) == 1 and lines[0].startswith("plot: ") and "Traceback" not in done.stderr, done.stderr
    for word in words:
        assert word in lines[0]


# --- what is drawn

@pytest.fixture(name="tree", scope="module")
def fixture_tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    (folder / "tree.json").write_text(json.dumps(synthetic.tree()))
    done = run(folder / "tree.json", "-o", folder / "out")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return {p.name: p for p in (folder / "out").glob("*")}


def test_all_kinds_that_the_data_allow(tree):
    expected = [f"tree-{k}-{s}-preorder-balanced-each" for s in ("1K", "100M")
                for k in ("scaling", "absolute", "efficiency", "cpu", "overhead")]
    expected += ["tree-overview-preorder-balanced-each", "tree-heatmap-preorder-balanced-each", "tree-order"]
    assert sorted(tree) == sorted(f"{stem}.{form}" for stem in expected for form in ("svg", "png", "csv"))


def test_csv_holds_the_medians_of_the_samples(tree):
    result = synthetic.tree()
    rows = rows_of(tree[f"tree-absolute-{PARAMS}.csv"])
    walls = {(r["runtime"], r["arm"], int(r["x"])): r for r in rows if r["quantity"] == "wall time"}
    cells = [c for c in result["cells"] if c["status"] == "ok" and c["params"]["size"] == 1000]
    assert len(walls) == len(cells) == 25
    for c in cells:
        trials = {}
        for s in c["samples"]:
            if not s["warmup"]:
                trials.setdefault(s["trial"], []).append(s["v"])
        medians = [statistics.median(t) for t in trials.values()]
        row = walls[c["runtime"], c["arm"], c["threads"]]
        assert float(row["value"]) == pytest.approx(statistics.median(medians), rel=1e-12)
        assert (float(row["low"]), float(row["high"])) == (min(medians), max(medians))  # 7 trials: ranks 1 and 7
        assert row["unit"] == "ns/node" and row["interval"] == "ci95" and row["trials"] == "7"
    cpus = {(r["runtime"], r["arm"], int(r["x"])): float(r["value"]) for r in rows if r["quantity"] == "CPU time"}
    for c in cells:
        assert cpus[c["runtime"], c["arm"], c["threads"]] == pytest.approx(
            statistics.median(t["cpu_ns_per_op"] for t in c["trials"]), rel=1e-12)


def test_summary_is_never_read(draw):
    result = synthetic.tree(sizes=(1000,))
    for c in result["cells"]:
        c["summary"] = {"median": 1e9, "ci95": [1, 2], "trials": 99, "n": 99, "min": 0, "mad": 0}
    _, files = draw(result, "--kind", "absolute", "--format", "svg")
    assert max(float(r["value"]) for r in rows_of(files[f"tree-absolute-{PARAMS}.csv"])) < 100


def test_speed_up_is_the_ratio_of_medians_with_an_interval_round_it(tree):
    absolute = {(r["series"], r["x"]): float(r["value"]) for r in rows_of(tree[f"tree-absolute-{PARAMS}.csv"])
                if r["quantity"] == "wall time"}
    rows = rows_of(tree[f"tree-scaling-{PARAMS}.csv"])
    assert {r["series"] for r in rows} == {"static", "heartbeat", "tbb", "tbb/cutoff=10000"}
    for r in rows:
        assert float(r["value"]) == pytest.approx(absolute["serial", "1"] / absolute[r["series"], r["x"]], rel=1e-12)
        assert float(r["low"]) <= float(r["value"]) <= float(r["high"]) < float(r["low"]) * 1.2
        assert r["interval"] == "ci95"


def test_overhead_is_the_difference_and_tells_noise_apart(tree):
    rows = {r["series"]: r for r in rows_of(tree[f"tree-overhead-{PARAMS}.csv"])}
    assert float(rows["heartbeat"]["value"]) == pytest.approx(0.42, abs=0.04)
    assert rows["heartbeat"]["note"] == "" and rows["static"]["note"] == "not distinguishable from 0"
    texts, _, _ = svg_texts(tree[f"tree-overhead-{PARAMS}.svg"])
    assert "not distinguishable from 0" in texts


def test_svg_has_real_text_title_and_description(tree):
    for name, path in tree.items():
        if not name.endswith(".svg"):
            continue
        texts, title, description = svg_texts(path)
        assert title.startswith("tree: ") and len(description) > 40
        assert any(t.startswith("tree: ") for t in texts)
        assert any("Example 9000" in t and "2 cores / 2 PUs" in t and "pin core" in t for t in texts)
        assert any("clang 19.1.7 -O3 -DNDEBUG" in t and "0123456789ab" in t and "2025-03-01" in t for t in texts)
        source = path.read_text()
        assert "bb run --workload tree --threads 1..32" in source and "<dc:date>" not in source
        assert "'DejaVu Sans', Verdana, sans-serif" in source
    texts, _, description = svg_texts(tree[f"tree-scaling-{PARAMS}.svg"])
    assert {"heartbeat", "tbb", "tbb/cutoff=10000", "ideal", "more threads than PUs", "2 PUs", "threads"} <= set(texts)
    assert any("n = 7 trials of 12 samples" in t and "asio, fio (absent)" in t for t in texts)
    assert "heartbeat: 0.7" in description


def test_png_is_not_blank_and_fine_enough(tree):
    from matplotlib.image import imread
    for name, path in tree.items():
        if name.endswith(".png"):
            pixels = imread(path)
            assert pixels.shape[1] >= 1000 and pixels[..., :3].var() > 0.002, name
            assert len({tuple(p) for p in (pixels[::4, ::4, :3].reshape(-1, 3) * 15).round().astype(int)}) > 8


def test_png_tells_how_it_was_made(tree):
    data = tree["tree-order.png"].read_bytes()
    assert b"bb run --workload tree --threads 1..32" in data and b"matplotlib" not in data and b"Creation" not in data


def test_the_same_bytes_twice_whatever_the_hash_seed(tmp_path):
    source = tmp_path / "r.json"
    source.write_text(json.dumps(synthetic.tree(threads=(1, 2, 4))))
    files = []
    for seed in ("1", "2"):
        done = run(source, "-o", tmp_path / seed, env={"PYTHONHASHSEED": seed, "TZ": f"UTC{seed}", "LC_ALL": "C"})
        assert done.returncode == 0, done.stderr
        files.append({p.name: p.read_bytes() for p in (tmp_path / seed).iterdir()})
    assert files[0].keys() == files[1].keys() and len(files[0]) > 20
    assert [n for n in files[0] if files[0][n] != files[1][n]] == []


def test_latency_curve(draw):
    _, files = draw(synthetic.pingpong())
    rows = rows_of(files["pingpong-latency-64.csv"])
    fiber = {r["x"]: r for r in rows if r["runtime"] == "fiber" and r["panel"] == "service"}
    bins = synthetic.pingpong()["cells"][0]["latency"]["service"]["bins"]
    every = sorted(v for v, n in bins for _ in range(n))
    assert float(fiber["50"]["value"]) == every[len(every) // 2]
    assert fiber["99"]["note"] == "" and fiber["99.99"]["note"] == "not resolved"  # 5000 observations of 29956
    texts, title, _ = svg_texts(files["pingpong-latency-64.svg"])
    assert "open loop" in title and "99.9" in texts and "response time, from the planned start (us)" in texts


def test_parameter_curve(draw):
    _, files = draw(synthetic.switch())
    assert [n for n in files if n.endswith(".svg")] == ["switch-by-fibers.svg", "switch-order.svg"]
    rows = rows_of(files["switch-by-fibers.csv"])
    off = {int(r["x"]): float(r["value"]) for r in rows if r["series"] == "fiber/stack_color=off"}
    assert len(off) == 11 and off[64] > 2 * off[4] and {r["x_name"] for r in rows} == {"fibers"}


def test_heat_map_of_sizes(draw):
    _, files = draw(synthetic.tree(sizes=(1000, 30000), threads=(1, 2)), "--kind", "heatmap")
    rows = rows_of(files["tree-heatmap-preorder-balanced-each.csv"])
    assert {(r["panel"], r["x"]) for r in rows} == {(f"size={s}", t) for s in (1000, 30000) for t in "12"}


def test_the_variant_is_named_only_where_there_are_two(draw):
    result = synthetic.tree(sizes=(1000,), threads=(1, 2))
    for c in result["cells"]:
        c["variant"] = "native" if c["runtime"] in ("serial", "heartbeat") else "generic"
    m = synthetic.Maker(3)
    result["cells"] += [m.cell("tbb", t, 9.0, 9.0, variant="native") for t in (1, 2)]
    _, files = draw(result, "--kind", "absolute", "--format", "svg")
    texts = svg_texts(files[f"tree-absolute-{PARAMS}.svg"])[0]
    assert {"heartbeat", "tbb", "tbb (native)"} <= set(texts)
    assert "Native bodies: serial, heartbeat, tbb." in " ".join(texts)


# --- odd results

def test_one_thread_count_gives_bars_and_says_why_no_curve(draw):
    result = synthetic.tree(sizes=(1000,), threads=(2,))  # and serial at 1
    _, files = draw(result, "--format", "svg")
    assert sorted(files) == [f"tree-bars-{PARAMS}.csv", f"tree-bars-{PARAMS}.svg", "tree-order.csv", "tree-order.svg"]
    rows = rows_of(files[f"tree-bars-{PARAMS}.csv"])
    assert {(r["series"], r["x"]) for r in rows if r["panel"] == "CPU time"} == {
        ("serial", "1"), ("static", "2"), ("heartbeat", "2"), ("tbb", "2"), ("tbb/cutoff=10000", "2")}
    done, _ = draw(result, "--kind", "scaling", code=4)
    one_sentence(done, "one thread count (2)", "--threads 1..N")


def test_all_cells_failed(draw):
    m = synthetic.Maker()
    result = synthetic.result([m.cell("tbb", t, None, status="failed", reason="crashed") for t in (1, 2)]
                              + [m.absent("asio", "no fork/join")])
    done, files = draw(result, code=4)
    one_sentence(done, "nothing to draw", "tbb at 1, tbb at 2 (failed)", "asio (absent)")
    assert files == {}


def test_no_cells(draw):
    one_sentence(draw(synthetic.result([]), code=4)[0], "holds no cells")


def test_null_values_are_left_out(draw):
    result = synthetic.tree(sizes=(1000,))
    cells = {(c["runtime"], c["arm"], c["threads"]): c for c in result["cells"]}
    for s in cells["heartbeat", "", 4]["samples"]:
        s["v"] = None
    cells["tbb", "", 2]["samples"][3]["v"] = None
    for c in result["cells"]:
        c["trials"] = [t | {"cpu_ns_per_op": None} for t in c["trials"]]
    result["machine"] = {k: None for k in result["machine"]}
    _, files = draw(result)
    rows = rows_of(files[f"tree-absolute-{PARAMS}.csv"])
    assert {r["quantity"] for r in rows} == {"wall time"}
    shown = {(r["series"], r["x"]): r for r in rows}
    assert ("heartbeat", "4") not in shown and shown["tbb", "2"]["samples"] == str(7 * 12 - 1)
    texts = " ".join(svg_texts(files[f"tree-absolute-{PARAMS}.svg"])[0])
    assert "CPU time was not measured" in texts and "heartbeat at 4 (no samples)" in texts and "CPU unknown" in texts
    assert not any(n.startswith("tree-cpu") for n in files)


def test_failed_cell_breaks_the_line_and_is_named(draw):
    result = synthetic.tree(sizes=(1000,))
    for c in result["cells"]:
        if (c["runtime"], c["threads"]) == ("heartbeat", 8):
            c.update(status="timeout", samples=[], trials=[])
    _, files = draw(result, "--kind", "absolute", "--format", "svg")
    assert "heartbeat at 8 (timeout)" in " ".join(svg_texts(files[f"tree-absolute-{PARAMS}.svg"])[0])


def test_one_runtime(draw):
    result = synthetic.result([c for c in synthetic.tree(sizes=(1000,))["cells"] if c["runtime"] == "heartbeat"])
    _, files = draw(result, "--format", "svg")
    assert f"tree-absolute-{PARAMS}.svg" in files and f"tree-scaling-{PARAMS}.svg" not in files
    done, _ = draw(result, "--kind", "scaling", code=4)
    one_sentence(done, "no serial cell at 1 thread", "--runtime serial", "--base")
    draw(result, "--kind", "scaling", "--base", "heartbeat")


def test_more_than_eight_runtimes_keep_apart(draw):
    _, files = draw(synthetic.many(16), "--kind", "scaling", "--format", "svg")
    texts, _, _ = svg_texts(files[f"tree-scaling-{PARAMS}.svg"])
    assert {f"unknown{i}" for i in range(6)} <= set(texts) and {"16 cores", "32 PUs"} <= set(texts)


def test_very_long_and_strange_names(draw):
    result = synthetic.tree(sizes=(1000,), threads=(1, 2))
    long, strange = "x" * 300, 'a$b_{c}<&>"\x00\x1b[31m/../\n\u7e41'
    for c in result["cells"]:
        c["runtime"] = {"tbb": long, "heartbeat": strange}.get(c["runtime"], c["runtime"])
        c["params"]["note"] = "p/../" + "y" * 300
    _, files = draw(result)
    assert all(len(n) < 140 and re.fullmatch(r"[A-Za-z0-9.=_-]+", n) for n in files)
    name = next(n for n in files if "absolute" in n and n.endswith(".svg"))
    texts, _, _ = svg_texts(files[name])
    assert any("\u2026" in t and t.startswith("xxx") and len(t) < 50 for t in texts)
    assert any(t.startswith("a$b_{c}<&>") for t in texts)
    assert long in {r["runtime"] for r in rows_of(files[name.replace(".svg", ".csv")])}


def test_one_sample_has_no_bar_and_says_so(draw):
    _, files = draw(synthetic.tree(synthetic.Maker(trials=1, samples=1), sizes=(1000,)))
    rows = rows_of(files[f"tree-absolute-{PARAMS}.csv"])
    assert {(r["low"], r["interval"], r["note"]) for r in rows} == {("", "", "n=1: no interval")}
    texts, _, _ = svg_texts(files[f"tree-absolute-{PARAMS}.svg"])
    assert any("n = 1 trial of 1 sample" in t and "no bar: n = 1" in t for t in texts)
    assert "not distinguishable" in rows_of(files[f"tree-overhead-{PARAMS}.csv"])[0]["note"]


def test_few_trials_show_their_range(draw):
    _, files = draw(synthetic.tree(synthetic.Maker(trials=3), sizes=(1000,)), "--kind", "absolute,scaling")
    assert {r["interval"] for r in rows_of(files[f"tree-absolute-{PARAMS}.csv"])} == {"range"}
    assert {r["interval"] for r in rows_of(files[f"tree-scaling-{PARAMS}.csv"])} == {"range"}


def test_zero_and_negative_times_do_no_harm(draw):
    result = synthetic.tree(sizes=(1000,))
    for s in next(c for c in result["cells"] if c["runtime"] == "tbb")["samples"]:
        s["v"] = 0
    for s in next(c for c in result["cells"] if c["runtime"] == "static")["samples"]:
        s["v"] = -1.5
    draw(result)
    for s in next(c for c in result["cells"] if c["runtime"] == "serial")["samples"]:
        s["v"] = 0
    done, _ = draw(result, "--kind", "scaling", code=4)
    one_sentence(done, "a time of 0")


def test_two_files_of_the_same_cells_are_told_apart(tmp_path):
    for name, seed in (("before", 1), ("after", 2)):
        (tmp_path / f"{name}.json").write_text(json.dumps(synthetic.tree(synthetic.Maker(seed), sizes=(1000,))))
    done = run(tmp_path / "before.json", tmp_path / "after.json", "-o", tmp_path / "o-", "--kind", "absolute,order")
    assert done.returncode == 0, done.stderr
    series = {r["series"] for r in rows_of(tmp_path / f"o-tree-absolute-{PARAMS}.csv")}
    assert {"heartbeat [before]", "heartbeat [after]", "tbb/cutoff=10000 [after]"} <= series
    assert (tmp_path / "o-tree-order-before.svg").exists()


# --- files that are no results, and outputs that cannot be written

@pytest.mark.parametrize("text, word", [
    ("", "not JSON"), ("{", "cut short"), ("[]", 'no "schema"'), ('{"results": []}', 'no "schema"'),
    ('{"schema": "bb/2", "cells": []}', "reads 'bb/1'"), ('{"schema": "bb/1"}', '"cells"'),
    ('{"schema": "bb/1", "cells": [{"workload": "tree"}]}', "cell 1 has no"),
    ('{"schema": "bb/1", "cells": [7]}', "cell 1"), ("[" * 100000, "not JSON"),
    ('{"schema": "bb/1", "cells": [{"workload": "t", "runtime": "r", "threads": -1, "status": "ok"}]}', "is -1"),
    ('{"schema": "bb/1", "cells": [{"threads": NaN}]}', "NaN"),
    ('{"schema": "bb/1", "cells": [{"workload": "t", "runtime": "r", "threads": 1, "status": "ok", "samples": [1]}]}',
     "cell 1 cannot be read"),
])
def test_no_result(draw, text, word):
    one_sentence(draw(text, code=3)[0], word, "result.json")


def test_unreadable_files(tmp_path):
    one_sentence(run(tmp_path / "none.json", "-o", tmp_path), "cannot read", "No such file")
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00{")
    for path in (tmp_path / "none.json", tmp_path, tmp_path / "raw"):
        done = run(path, "-o", tmp_path)
        assert done.returncode == 3
        one_sentence(done)


def test_standard_input(tmp_path):
    done = run("-", "-o", tmp_path / "o", "--kind", "cpu", "--format", "png",
               stdin=json.dumps(synthetic.tree(sizes=(1000,))))
    assert done.returncode == 0 and [p.suffix for p in map(Path, done.stdout.split())] == [".png", ".csv"]


@pytest.mark.parametrize("out", ["file", "file/below", "/proc/none", "/dev/null", ""])
def test_output_that_cannot_be_written(tmp_path, out):
    (tmp_path / "r.json").write_text(json.dumps(synthetic.tree(sizes=(1000,))))
    (tmp_path / "file").write_text("mine")
    done = run("r.json", "-o", out, cwd=tmp_path)
    assert done.returncode == 6, done.stderr
    one_sentence(done)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("options, word", [(["--kind", "pie"], "overview"), (["--format", "gif"], "svg"),
                                           (["--filter", "("], "regular expression"), (["--kind", ""], "there are")])
def test_usage(draw, options, word):
    done, _ = draw(synthetic.tree(sizes=(1000,)), *options, code=2)
    assert word in done.stderr


def test_filter(draw):
    _, files = draw(synthetic.tree(), "--filter", "size=1000 .*(serial|heartbeat)", "--kind", "scaling")
    assert {r["series"] for r in rows_of(files[f"tree-scaling-{PARAMS}.csv"])} == {"heartbeat"}
    done, _ = draw(synthetic.tree(), "--filter", "nobody", code=4)
    one_sentence(done, "no cells")


def test_one_picture_by_name(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(synthetic.tree()))
    out = tmp_path / "new" / "readme.svg"
    done = run(tmp_path / "r.json", "-o", out, "--kind", "overview")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in out.parent.iterdir()) == ["readme.csv", "readme.png", "readme.svg"]
    assert run(tmp_path / "r.json", "-o", out, "--kind", "overview").returncode == 0  # again, over the old one
    done = run(tmp_path / "r.json", "-o", out, "--kind", "scaling")
    assert done.returncode == 2
    one_sentence(done, "names one picture", "--filter")


def test_the_users_own_settings_change_nothing(tmp_path, tree):
    (tmp_path / "tree.json").write_text(json.dumps(synthetic.tree()))
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nnonsense\nfont.size: 30\n")
    done = run("tree.json", "-o", "out", "--kind", "overview", cwd=tmp_path,
               env={"MPLBACKEND": "nonsense", "HOME": "/nowhere", "XDG_CONFIG_HOME": "/nowhere"})
    assert (done.returncode, done.stderr) == (0, "")
    name = "tree-overview-preorder-balanced-each.svg"
    assert (tmp_path / "out" / name).read_bytes() == tree[name].read_bytes()


def test_bb_plot_draws_what_bb_measured(tmp_path):
    program = Path(os.environ["BB_BINARY_DIR"]) / "harness" / "bb"
    run_bb = subprocess.run([program, "--workload", "tree", "--size", "1K,2K", "--runtime", "serial,static,asio",
                             "--threads", "1,2", "--trials", "2", "--time", "4ms", "--json", tmp_path / "r.json"],
                            capture_output=True, text=True, timeout=120)
    assert run_bb.returncode == 0, run_bb.stderr
    done = subprocess.run([program, "plot", tmp_path / "r.json", "-o", tmp_path / "out"], capture_output=True,
                          text=True, timeout=120, env={**os.environ, "BB_PLOT_SCRIPT": str(PLOT)})
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) == 39 and all(Path(p).stat().st_size for p in done.stdout.split())


# --- Python without matplotlib

@pytest.fixture(name="without")
def fixture_without(tmp_path):
    """A folder that, first on PYTHONPATH, makes matplotlib impossible to import."""
    (tmp_path / "lib" / "matplotlib").mkdir(parents=True)
    (tmp_path / "lib" / "matplotlib" / "__init__.py").write_text("raise ImportError('it is not installed')\n")
    return {"PYTHONPATH": str(tmp_path / "lib")}


def test_no_matplotlib_is_one_sentence(tmp_path, without):
    (tmp_path / "r.json").write_text("{}")
    done = run(tmp_path / "r.json", "-o", tmp_path / "o", env=without)
    assert done.returncode == 1
    one_sentence(done, "apt-get install python3-matplotlib")


def test_another_python_first_on_path_hands_over_to_debians(tmp_path, without):
    """A Python whose own environment lacks matplotlib finds /usr/bin/python3, which does not see that environment."""
    (tmp_path / "r.json").write_text(json.dumps(synthetic.tree(sizes=(1000,))))
    hidden = tmp_path / "other.py"
    hidden.write_text("import sys, runpy\n"
                      f"sys.path.insert(0, {without['PYTHONPATH']!r})\nsys.executable = '/elsewhere/python3'\n"
                      f"sys.path.insert(0, {str(PLOT.parent)!r})\n"
                      f"sys.argv = [{str(PLOT)!r}] + sys.argv[1:]\n"
                      f"runpy.run_path({str(PLOT)!r}, run_name='__main__')\n")
    done = subprocess.run([sys.executable, "-B", hidden, tmp_path / "r.json", "-o", tmp_path / "o", "--kind", "cpu"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and len(done.stdout.split()) == 3, done.stderr
