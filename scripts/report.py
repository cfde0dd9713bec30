#!/usr/bin/env python3
"""Writes the measured figures into README.md from the raw results, so that no figure stands there by hand.

    scripts/report.py            rewrites the blocks between <!-- report:NAME --> and <!-- end -->
    scripts/report.py --check    exits 1 if README.md is not what the results say

Blocks: table (the README's own command), reach (the promises of the tree workload, each row with its formula).
"""
import argparse
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "tree"


class Cells:
    """The cells of one result file, by what identifies them."""

    def __init__(self, path):
        self.name = path.relative_to(ROOT).as_posix()
        self.result = json.loads(path.read_text(encoding="utf-8"))

    def find(self, runtime, size, threads, entry="each", layout="preorder", arm=""):
        for c in self.result["cells"]:
            p = c["params"]
            if (c["runtime"], c["arm"], c["threads"], p["size"], p["entry"], p["layout"], p["shape"]) == (
                    runtime, arm, threads, size, entry, layout, "balanced") and c["status"] == "ok":
                return c
        raise SystemExit(f"report.py: {self.name} has no ok cell {runtime} size={size} threads={threads} entry={entry}")

    def ns(self, *key, **more):
        """The median of the trial medians, from the raw samples."""
        return statistics.median(trial_medians(self.find(*key, **more)))

    def cpu(self, *key, **more):
        return statistics.median(t["cpu_ns_per_op"] for t in self.find(*key, **more)["trials"])


def trial_medians(cell):
    trials = {}
    for s in cell["samples"]:
        if not s["warmup"]:
            trials.setdefault(s["trial"], []).append(s["v"])
    return [statistics.median(v) for v in trials.values()]


def reach_rows():
    """(what, reach, value as text, reached) per promise; `run` is one run, `gcc` the same cells built with g++ 12."""
    run, gcc = Cells(RESULTS / "reach.json"), Cells(RESULTS / "reach-gcc.json")
    serial = run.ns("serial", 1000, 1, "once")
    yield "serial, 1K, ns/node", "<= 1.3", serial, serial <= 1.3
    extra = run.ns("heartbeat", 1000, 1, "once") - serial
    yield "1K, entry once: heartbeat at 1 thread - serial, ns/node", "<= 0.45", extra, extra <= 0.45
    extra = gcc.ns("heartbeat", 1000, 1, "once") - gcc.ns("serial", 1000, 1, "once")
    yield "the same, built with g++ 12", "<= 1.1", extra, extra <= 1.1
    wall = run.ns("heartbeat", 1000, 32) / run.ns("heartbeat", 1000, 1)
    yield "1K, entry each: heartbeat at 32 threads / at 1, ns/node", "<= 1.03", wall, wall <= 1.03
    cpu = run.cpu("heartbeat", 1000, 32) / run.cpu("heartbeat", 1000, 1)
    yield "the same, cpu-ns/node", "<= 1.05", cpu, cpu <= 1.05
    big = 100_000_000
    s, o = run.ns("serial", big, 1), run.ns("heartbeat", big, 1) - run.ns("serial", big, 1)
    bound = 0.97 * s / (s + o)
    ratio = run.ns("static", big, 2) / run.ns("heartbeat", big, 2)
    yield ("100M, 2 threads: static / heartbeat, ns/node", f">= 0.97 s/(s+o) = {bound:.3f}", ratio, ratio >= bound)
    s = run.ns("serial", 1_000_000, 1, layout="shuffled")
    o = run.ns("heartbeat", 1_000_000, 1, layout="shuffled") - s
    ratio = run.ns("static", 1_000_000, 2, layout="shuffled") / run.ns("heartbeat", 1_000_000, 2, layout="shuffled")
    yield "1M shuffled, 2 threads: static / heartbeat, ns/node", ">= 0.95", ratio, ratio >= 0.95


def machine_line(result):
    m, build = result["machine"], result["tool"]["build"]
    return (f"{m['cpu']}, {m['cores']} cores / {m['pus']} PUs, Linux {m['kernel'].split('-')[0]}, {build['compiler']} "
            f"{build['flags']}, commit {result['tool']['commit']}, {result['finished'][:10]}")


def reach_block():
    lines = ["| what | reach | measured | |", "| --- | --- | --: | --- |"]
    for what, reach, value, reached in reach_rows():
        lines.append(f"| {what} | {reach} | {value:.3f} | {'reached' if reached else '**missed**'} |")
    run = Cells(RESULTS / "reach.json").result
    command = "scripts/bb " + " ".join(shell_word(a) for a in run["argv"][1:])
    return "\n".join([*lines, "", f"One run of 7 trials: `{command}`", "", machine_line(run) + "."])


def shell_word(text):
    return text if re.fullmatch(r"[\w.,=/*+-]+", text) else "'" + text + "'"


def ns_text(value):
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def table_block():
    """The README's own command, at 1, 2 and the most threads; a cell without a number stands with its status."""
    result = json.loads((RESULTS / "result.json").read_text(encoding="utf-8"))
    rows = {}
    for c in result["cells"]:
        if c["status"] not in ("absent", "skipped") and c["threads"] in (1, 2, 32):
            rows.setdefault(c["params"]["size"], []).append(c)
    lines = ["| nodes | runtime | threads | ns/op | 95% interval | cpu-ns/op | speed-up |",
             "| --: | :-- | --: | --: | --: | --: | --: |"]
    for size, cells in rows.items():
        base = next(statistics.median(trial_medians(c)) for c in cells if c["runtime"] == "serial")
        lines += [table_line(size, c, base) for c in cells]
    note = "A star marks more threads than PUs; below 6 trials (slow cells) there is no interval."
    return "\n".join([*lines, "", f"{machine_line(result)}. {note}"])


def table_line(size, c, base):
    star = "*" if c["pin"]["oversubscribed"] else ""
    name = c["runtime"] + ("/" + c["arm"] if c["arm"] else "")
    head = f"| {({1000: '1K', 100_000_000: '100M'}).get(size, size)} | {name} | {c['threads']}{star} |"
    if c["status"] != "ok":
        return f"{head} {c['status']} | - | - | - |"
    median = statistics.median(trial_medians(c))
    cpu = statistics.median(t["cpu_ns_per_op"] for t in c["trials"])
    ci95 = c["summary"]["ci95"]
    interval = f"{ns_text(ci95[0])} .. {ns_text(ci95[1])}" if ci95 else "-"
    speed_up = f"{base / median:.3g}x" if base / median >= 0.001 else "< 0.001x"
    return f"{head} {ns_text(median)} | {interval} | {ns_text(cpu)} | {speed_up} |"


BLOCKS = {"table": table_block, "reach": reach_block}


def rewrite(text):
    def block(match):
        return f"<!-- report:{match[1]} -->\n{BLOCKS[match[1]]()}\n<!-- end -->"
    return re.sub(r"<!-- report:(\w+) -->\n.*?<!-- end -->", block, text, flags=re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if README.md is out of date")
    check = parser.parse_args().check
    readme = ROOT / "README.md"
    old = readme.read_text(encoding="utf-8")
    new = rewrite(old)
    if new == old:
        return 0
    if check:
        print("README.md is not what results/ say; run scripts/report.py", file=sys.stderr)
        return 1
    readme.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
