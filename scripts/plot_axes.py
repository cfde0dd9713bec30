"""What the charts share: the axes of threads and values, curves with intervals, and the caption."""
import math

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

import plot_stats as stats
import plot_style as style

LOG_FROM = 10            # a spread of values beyond which the axis is logarithmic
RULE_SIZE = 7.5


# ---------------------------------------------------------------------------------------------------------------------
# Axes

def plain(value, _=None):
    return f"{value:.10f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:g}"


def thinned(values, most):
    """At most `most` of the values, evenly, the first and the last among them."""
    if len(values) <= most:
        return values
    step = math.ceil((len(values) - 1) / (most - 1))
    return values[:-1][::step][:most - 1] + values[-1:]


def log2_ticks(values, most):
    """All values, if they are few and apart; else the powers of two and the last."""
    values = sorted(values)
    apart = all(b / a > 1.2 for a, b in zip(values, values[1:]))
    if not apart or len(values) > most:
        whole = [v for v in values[:-1] if math.log2(v).is_integer() and values[-1] / v > 1.3]
        values = (whole or values[:1]) + values[-1:]
    return thinned(values, most)


def log2_axis(axes, values, label, words=plain, most=9):
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(values) * 2**-0.3, max(values) * 2**0.3)
    axes.xaxis.set_major_locator(FixedLocator(log2_ticks(values, most)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(words))
    axes.set_xlabel(label)


def with_bars(points):
    """What an axis must hold of [(value, interval)]: the values, and bars unless they are absurdly long."""
    values = [v for v, _ in points]
    low, high = min(values), max(values)
    ends = [e for _, i in points if i for e in (i.low, i.high)]
    return values + [min(max(e, low / 4), high * 2) for e in ends if low > 0]


def value_axis(axes, values, log=None):
    """Zero-based, or logarithmic where the values spread over more than a factor of ten. Returns whether it is."""
    above = [v for v in values if v > 0]
    if log is None:
        log = len(above) > 0 and len(above) == len(values) and max(above) / min(above) > LOG_FROM
    if log:
        axes.set_yscale("log")
        axes.set_ylim(min(above) / 1.35, max(above) * 1.35)
        log_ticks(axes)
    else:
        axes.set_ylim(min([0, *values]) * 1.08, max([0, *values]) * 1.08 or 1)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    return log


CLOSE = {"above": 0.32}  # of a sheet whose panels have no rules


def log_ticks(axes):
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(10, (1, 2, 5) if high / low < 500 else (1,)))
    axes.yaxis.set_minor_locator(NullLocator())


def shared_scale(panels):
    """Panels of the same unit get the same axis, so that wall and CPU time can be compared by eye."""
    if len({a.get_yscale() for a in panels}) > 1:
        return
    low, high = min(a.get_ylim()[0] for a in panels), max(a.get_ylim()[1] for a in panels)
    for a in panels:
        a.set_ylim(low, high)
        if a.get_yscale() == "log":
            log_ticks(a)


def panel_title(axes, text, raised=True):
    """`raised` leaves room for the words at the rules of mark_machine."""
    axes.annotate(text, (0, 1), (0, 18 if raised else 8), xycoords="axes fraction", textcoords="offset points", size=10,
                  weight="bold", va="baseline")


def rules_of(machine):
    """[(threads, words)] of cores, PUs and quota, as far as they are known and differ."""
    cores, pus, quota = (machine.get(k) for k in ("cores", "pus", "quota"))
    rules = []
    if is_count(cores) and cores != pus:
        rules.append((cores, f"{cores} cores" if cores != 1 else "1 core"))
    if is_count(pus):
        rules.append((pus, f"{pus} PUs" if pus != 1 else "1 PU"))
    if isinstance(quota, (int, float)) and not isinstance(quota, bool) and 0 < quota:
        rules.append((quota, f"quota {plain(quota)}"))
    return rules


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def pus_of(case):
    """The PUs of the machine, if all files are from one that says."""
    found = {r.machine.get("pus") for r in case.results}
    return found.pop() if len(found) == 1 and all(is_count(p) for p in found) else None


def mark_machine(axes, case):
    """Rules at cores and PUs; more threads than PUs shaded. Returns whether something is shaded."""
    low, high = axes.get_xlim()
    for at, words in rules_of(case.results[0].machine) if pus_of(case) else []:
        if low < at < high:
            place = math.log(at / low) / math.log(high / low)
            axes.axvline(at, color=style.PALE, linewidth=1, zorder=1)
            axes.annotate(words, (at, 1), (0, 3), xycoords=("data", "axes fraction"), textcoords="offset points",
                          ha="right" if place > 0.85 else "center", size=RULE_SIZE, color=style.FAINT)
    pus = pus_of(case)
    if pus is None or pus >= max(case.threads()):
        return False
    axes.axvspan(max(pus, low), high, color=style.SHADE, zorder=0, linewidth=0)
    return True


SHADED = ({"facecolor": style.SHADE, "edgecolor": style.RULE}, "more threads than PUs")


# ---------------------------------------------------------------------------------------------------------------------
# Curves

def record(sheet, panel, case, series, cell, x, point, quantity, unit, x_name="threads"):
    """One line of the CSV beside the picture."""
    value, interval = point
    sheet.records.append({
        "panel": panel, "series": series.label, "runtime": cell.runtime, "arm": cell.arm, "variant": cell.variant,
        "workload": case.workload, "params": " ".join(f"{k}={v}" for k, v in cell.params.items()),
        "pin": case.policy, "x_name": x_name, "x": x, "quantity": quantity, "unit": unit, "value": value,
        "low": interval and interval.low, "high": interval and interval.high, "interval": interval and interval.kind,
        "trials": len(cell.rounds), "samples": cell.sample_count, "note": "" if interval else "n=1: no interval"})


def aside(axes, rank, count):
    """A factor that moves the curves of a chart a little apart, so that their bars do not hide one another."""
    low, high = axes.get_xlim()
    step = min(0.008, 0.05 / max(1, count))
    return (high / low)**((rank - (count - 1) / 2) * step)


def draw_curve(axes, look, points, front, gaps=(), shift=1):
    """`points`: [(x, value, interval)]. The line is broken at the x of `gaps`, where a cell gave no number."""
    points, gaps = [(x * shift, v, i) for x, v, i in points], [g * shift for g in gaps]
    xs = sorted([p[0] for p in points] + [g for g in gaps if g not in {p[0] for p in points}])
    by_x = {p[0]: p[1] for p in points}
    axes.plot(xs, [by_x.get(x, math.nan) for x in xs], color=look.colour, linestyle=look.line, marker=look.marker,
              markerfacecolor=look.face, markeredgecolor=look.colour, zorder=4 + front,
              markersize=5.5 if len(xs) <= 16 else 3.2)
    for x, value, interval in points:
        if interval:
            whisker(axes, x, value, interval, look.colour, 3 + front)


def whisker(axes, x, value, interval, colour, zorder, horizontal=False):
    """A 95 % interval has caps; a mere range of fewer than 6 trials has none and is thin."""
    sure = interval.kind == "ci95"
    ends = [[max(0, value - interval.low)], [max(0, interval.high - value)]]
    how = {"ecolor": colour, "elinewidth": 1.2 if sure else 0.8, "capsize": 2.5 if sure else 0, "fmt": "none",
           "zorder": zorder}
    if horizontal:
        axes.errorbar([value], [x], xerr=ends, **how)
    else:
        axes.errorbar([x], [value], yerr=ends, **how)


def level(axes, look, point):
    """A value that no thread count changes: the serial line, with its interval as a band."""
    value, interval = point
    axes.axhline(value, color=look.colour, linestyle=look.line, linewidth=1.4, zorder=3)
    if interval:
        axes.axhspan(interval.low, interval.high, color=look.colour, alpha=0.1, zorder=1, linewidth=0)


# ---------------------------------------------------------------------------------------------------------------------
# Quantities: Cell -> (value, Interval or None), or None where there is no number

def wall(cell):
    return cell.median, cell.interval


def cpu(cell):
    values = list(cell.cpu.values())
    return (stats.median(values), stats.interval_of(values)) if values else None


def cores_used(cell):
    values = [cell.cpu[r] / stats.median(v) for r, v in cell.rounds.items() if r in cell.cpu and stats.median(v) > 0]
    return (stats.median(values), stats.interval_of(values)) if values else None


# ---------------------------------------------------------------------------------------------------------------------
# Caption

def said(value, yes="on", no="off", unknown="unknown"):
    return unknown if value is None else {True: yes, False: no}.get(value, str(value))


def machine_text(machine, policy):
    cores, pus = machine.get("cores"), machine.get("pus")
    parts = [str(machine.get("cpu") or "CPU unknown"), f"{said(cores)} cores / {said(pus)} PUs"]
    if machine.get("quota"):
        parts.append(f"quota {machine['quota']} CPUs")
    if policy:
        parts.append(f"pin {policy}")
    parts.append(f"governor {said(machine.get('governor'))}, turbo {said(machine.get('turbo'))}")
    kernel = said(machine.get("kernel")).split("-")[0]  # the rest names builds, not behaviour
    parts.append(f"Linux {kernel}" + (", virtualised" if machine.get("virtualised") else ""))
    return "; ".join(parts) + "."


def build_text(result):
    build = result.tool.get("build") if isinstance(result.tool.get("build"), dict) else {}
    compiler = " ".join(str(build[k]) for k in ("compiler", "flags") if build.get(k)) or "compiler unknown"
    words = [compiler, f"commit {said(result.tool.get('commit'))}", result.started[:10] or "date unknown"]
    if build.get("debug") is True:
        words.insert(1, "DEBUG BUILD")
    if result.partial:
        words.append("partial: interrupted")
    return "; ".join(words) + "."


def span(values, words, one):
    low, high = min(values), max(values)
    return f"{low} {one if low == 1 else words}" if low == high else f"{low} to {high} {words}"


def counts_text(cells):
    trials = span([len(c.rounds) for c in cells], "trials", "trial")
    return f"n = {trials} of {span([len(t) for c in cells for t in c.trials], 'samples', 'sample')}"


def bars_text(cells):
    kinds = {c.interval.kind if c.interval else "none" for c in cells}
    said_of = {"ci95": "bars: 95 % interval of the median", "range": "bars without caps: lowest to highest of fewer "
               "than 6 trials", "none": "no bar: n = 1"}
    return "; ".join(said_of[k] for k in said_of if k in kinds)


def variants_text(cells):
    """Which runtimes ran an idiomatic body of their own, where some did."""
    native = list(dict.fromkeys(c.arm_label for c in cells if c.variant == "native"))
    generic = any(c.variant == "generic" for c in cells)
    return f"Native bodies: {', '.join(map(style.shortened, native))}." if native and generic else ""


def unshown_text(cells):
    """What has no number, and why in a word: `Not shown: asio, fio (absent); tbb at 8 threads (timeout).`"""
    words = {}
    for c in cells:
        status = c.status if c.status != "ok" else "no samples"
        name = c.arm_label if status == "absent" else f"{c.arm_label} at {c.threads}"
        words.setdefault(status.replace("_", " "), []).append(style.shortened(name, 30))
    parts = []
    for status, names in words.items():
        names = list(dict.fromkeys(names))
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        parts.append(f"{', '.join(names[:6])}{more} ({status})")
    return f"Not shown: {'; '.join(parts)}." if parts else ""


def caption(case, cells, base=None, notes=(), bars=True):
    """Paragraphs: machine, build, what was counted. One machine and build line per different one, two at most.

    `bars` says that there are error bars to be explained.
    """
    results = case.results
    machines = list(dict.fromkeys(machine_text(r.machine, case.policy) for r in results))
    builds = list(dict.fromkeys(build_text(r) for r in results))
    lines = machines[:2] + builds[:2]
    if len(machines) > 2 or len(builds) > 2:
        lines.append(f"{len(results)} files from {len(machines)} machines and {len(builds)} builds.")
    counted = []
    if base:
        counted.append(f"Base: {base.arm_label} at 1 thread, {style.number(base.median)} {case.unit}.")
    if cells:
        counted.append("; ".join([counts_text(cells), *([bars_text(cells)] if bars else [])]) + ".")
    counted += [*notes, variants_text(cells), unshown_text(case.unshown)]
    return lines + [" ".join(filter(None, counted))]
