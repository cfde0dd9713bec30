"""Result files of bb as the charts see them: checked, and grouped into cases (one input) of series (one runtime)."""
import json
import math
import os
import shlex
import sys
from dataclasses import dataclass, field

import plot_stats as stats

# What one operation of a workload is called. A cell's own word for it comes first.
OPERATIONS = {"tree": "node", "fork": "fork", "switch": "switch", "spawn": "fiber", "pingpong": "round trip",
              "wake": "wake-up", "file": "read", "echo": "request", "http": "request", "rpc": "call", "fault": "fault"}


class ResultError(Exception):
    """A sentence about a file that is not a result."""


@dataclass(eq=False)
class Cell:
    workload: str
    params: dict
    runtime: str
    variant: str
    arm: str
    threads: int
    status: str
    reason: str
    unit: str
    operation: str
    policy: str
    oversubscribed: bool
    rounds: dict      # round -> its timed samples
    order: dict       # round -> place in the round
    cpu: dict         # round -> cpu-ns per operation
    latency: dict
    open_loop: bool
    source: "Result" = None

    @property
    def trials(self):
        return list(self.rounds.values())

    @property
    def measured(self):
        return self.status == "ok" and bool(self.rounds)

    @property
    def trial_medians(self):
        return [stats.median(t) for t in self.trials]

    @property
    def median(self):
        return stats.median(self.trial_medians)

    @property
    def interval(self):
        return stats.interval_of(self.trial_medians)

    @property
    def sample_count(self):
        return sum(map(len, self.trials))

    @property
    def arm_label(self):
        """`tbb`, `tbb/cutoff=1000`."""
        return f"{self.runtime}/{self.arm}" if self.arm else self.runtime

    def against(self, base, compare):
        """compare(base, this) as stats.ratio and stats.difference do, by rounds where both have the same ones."""
        shared = [r for r in base.rounds if r in self.rounds]
        if base.source is self.source and len(shared) >= stats.TRIALS_FOR_INTERVAL:
            return compare([base.rounds[r] for r in shared], [self.rounds[r] for r in shared], paired=True)
        return compare(base.trials, self.trials)


@dataclass(eq=False)
class Result:
    name: str         # the file's, without folder and ending
    tool: dict
    machine: dict
    started: str
    partial: bool
    command: str
    cells: list = field(default_factory=list)


@dataclass(eq=False)
class Series:
    """One runtime, arm and variant over the thread counts of a case. The variant is named where there are two."""
    label: str
    runtime: str
    plain: bool       # the default arm: drawn in the runtime's own style
    cells: dict       # threads -> Cell, measured or not

    def measured(self):
        return {t: c for t, c in sorted(self.cells.items()) if c.measured}


@dataclass(eq=False)
class Case:
    """Cells with the same workload, parameters and pin policy, which may be compared."""
    workload: str
    params: dict
    policy: str
    series: list
    results: list
    unshown: list = field(default_factory=list)  # absent, skipped and failed cells

    @property
    def unit(self):
        return f"ns/{self.operation}"

    @property
    def operation(self):
        return next((c.operation for s in self.series for c in s.cells.values()), "op")

    def threads(self):
        return sorted({t for s in self.series for t in s.measured()})

    def has_curve(self):
        """Whether something was measured at two thread counts; a serial cell at 1 beside others at N makes no curve."""
        return any(len(s.measured()) > 1 for s in self.series)

    def base(self, runtime):
        """The one-thread cell that speed-up and overhead are counted from."""
        found = [s.cells[1] for s in self.series if s.runtime == runtime and 1 in s.measured()]
        return min(found, key=lambda c: bool(c.arm)) if found else None


# ---------------------------------------------------------------------------------------------------------------------
# Reading

def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def clean(value, otherwise=""):
    """Text without what neither a picture nor XML can hold."""
    if not isinstance(value, str):
        return otherwise
    return "".join(c if c.isprintable() else "\ufffd" for c in value)


def refuse_constant(token):
    raise ValueError(f"it holds {token}, which JSON does not have")


def parse(text, name):
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except json.JSONDecodeError as fault:
        raise ResultError(f"'{name}' is not JSON (line {fault.lineno}): cut short, or not a result file") from None
    except (ValueError, RecursionError) as fault:
        raise ResultError(f"'{name}' is not JSON: {fault}") from None


def read_text(path):
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except OSError as fault:
        raise ResultError(f"cannot read '{path}': {fault.strerror}") from None
    except UnicodeDecodeError:
        raise ResultError(f"'{path}' is not JSON: it is not UTF-8 text, so it is no result file") from None


def read_result(path):
    """Raises ResultError with one sentence."""
    name = "stdin" if path == "-" else path
    document = parse(read_text(path), name)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str):
        raise ResultError(f"'{name}' is not a result of bb: it has no \"schema\"")
    if schema != "bb/1":
        raise ResultError(f"'{name}' has schema '{clean(schema)}', this script reads 'bb/1'; use the bb that wrote it")
    if not isinstance(document.get("cells"), list):
        raise ResultError(f"'{name}' is not a valid result of bb: it has no list \"cells\"")
    stem = os.path.splitext(os.path.basename(name))[0]
    result = Result(clean(stem), as_object(document, "tool"), as_object(document, "machine"),
                    clean(document.get("started")), document.get("partial") is True, command_of(document))
    for i, record in enumerate(document["cells"]):
        try:
            result.cells.append(read_cell(record))
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            what = f"has no {fault}" if isinstance(fault, KeyError) else f"cannot be read ({fault})"
            raise ResultError(f"'{name}' is not a valid result of bb: cell {i + 1} {what}") from None
        result.cells[-1].source = result
    return result


def as_object(document, key):
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def command_of(document):
    """The command line, without the folders of whoever ran it."""
    words = document.get("argv")
    if not isinstance(words, list):
        return ""
    words = [clean(w) for w in words]
    words = [os.path.basename(w) or w if w.startswith("/") else w for w in words]
    return shlex.join(words if words[:1] == ["bb"] else ["bb", *words])


def read_cell(record):
    if not isinstance(record, dict):
        raise TypeError("it is not an object")
    pin = as_object(record, "pin")
    threads = record["threads"]
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads is {json.dumps(threads)}")
    workload = clean(record["workload"], "?")
    operation = clean(record.get("operation")) or OPERATIONS.get(workload, "op")
    rounds, order = read_samples(record.get("samples"))
    return Cell(
        workload=workload, params={clean(k): clean(v, v) for k, v in as_object(record, "params").items()},
        runtime=clean(record["runtime"], "?"), variant=clean(record.get("variant")), arm=clean(record.get("arm")),
        threads=threads, status=clean(record["status"], "?"), reason=clean(record.get("reason")),
        unit=clean(record.get("unit"), "ns/op"), operation=operation, policy=clean(pin.get("policy")),
        oversubscribed=pin.get("oversubscribed") is True, rounds=rounds, order=order,
        cpu=read_cpu(record.get("trials")), latency=as_object(record, "latency"),
        open_loop=isinstance(record.get("rate"), dict) and is_number(record["rate"].get("offered")))


def read_samples(records):
    """(round -> timed values, round -> place): what is null, warm-up or not finite is left out."""
    rounds, order = {}, {}
    for s in records or []:
        if s.get("warmup") is True or not is_number(s.get("v")):
            continue
        key = s.get("round", s.get("trial", 0))
        rounds.setdefault(key, []).append(float(s["v"]))
        order[key] = s.get("order") if is_number(s.get("order")) else 0
    return rounds, order


def read_cpu(records):
    return {t.get("round", i): float(t["cpu_ns_per_op"])
            for i, t in enumerate(records or []) if is_number(t.get("cpu_ns_per_op"))}


# ---------------------------------------------------------------------------------------------------------------------
# Grouping

def make_cases(results):
    """Cases in the order of the files; a runtime that two files measured in one case is named with its file."""
    groups, silent = {}, {}
    for cell in (c for r in results for c in r.cells):
        key = (cell.workload, json.dumps(cell.params, sort_keys=True))
        if cell.status in ("absent", "skipped") or not (cell.policy or cell.measured):
            silent.setdefault(key, []).append(cell)
        else:
            groups.setdefault((*key, cell.policy), []).append(cell)
    cases = []
    for (workload, params, policy), cells in groups.items():
        case = Case(workload, cells[0].params, policy, make_series(cells), sources_of(cells))
        case.unshown = [c for c in cells if not c.measured] + silent.get((workload, params), [])
        cases.append(case)
    return cases


def sources_of(cells):
    return list({id(c.source): c.source for c in cells}.values())


def make_series(cells):
    variants, seen = {}, {}
    for c in cells:
        variants.setdefault(c.arm_label, set()).add(c.variant)
        seen.setdefault((c.arm_label, c.variant, c.threads), []).append(c)
    doubled = {label for (label, _, _), same in seen.items() if len(same) > 1}
    names = file_names(sources_of(cells))
    series = {}
    for c in cells:
        label = c.arm_label
        if len(variants[label]) > 1 and c.variant != "generic":
            label += f" ({c.variant})"
        if c.arm_label in doubled:
            label += f" [{names[id(c.source)]}]"
        series.setdefault(label, Series(label, c.runtime, label == c.runtime, {})).cells[c.threads] = c
    first = {"serial": 0, "static": 1}
    return sorted(series.values(), key=lambda s: first.get(s.runtime, 2))


def file_names(results):
    names, used = {}, set()
    for r in results:
        name, n = r.name, 2
        while name in used:
            name, n = f"{r.name} {n}", n + 1
        used.add(name)
        names[id(r)] = name
    return names
