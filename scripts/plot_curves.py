"""Charts over what a workload varies: latency by percentile, and time by a parameter."""
import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import plot_axes as ax
import plot_stats as stats
import plot_style as style
from plot_data import is_number
from plot_scaling import Nothing, described, label_of
from plot_sheet import Sheet

PERCENTILES = (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
TIMES = ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s"))
KINDS = (("response", "response time, from the planned start"), ("service", "service time"))


# ---------------------------------------------------------------------------------------------------------------------
# Latency

def quantiles(histogram):
    """([(p, ns)] at the upper edge of each bin, observations), or None where there is no histogram to read."""
    if not isinstance(histogram, dict) or not isinstance(histogram.get("bins"), list):
        return None
    bins = [(b[0], b[1]) for b in histogram["bins"]
            if isinstance(b, list) and len(b) == 2 and all(is_number(x) and x >= 0 for x in b)]
    beyond = histogram.get("overflow") if is_number(histogram.get("overflow")) else 0
    total = sum(n for _, n in bins) + beyond
    if total <= 0 or not bins:
        return None
    points, seen = [], 0
    for value, n in sorted(bins):
        points.append((seen / total, max(value, 1)))
        seen += n
    if is_number(histogram.get("max")):
        points.append((1 - 1 / (2 * total), max(histogram["max"], 1)))
    return points, int(total)


def split_where_resolved(points, total):
    """The part that the observations resolve, and the rest, drawn dotted."""
    sure = [p for p in points if stats.resolved(total, p[0])]
    unsure = points[max(0, len(sure) - 1):]
    return sure, unsure


def latency(case, options):
    """Percentile curve after G. Tene's HdrHistogram plots: x = 1 / (1 - p), so that the tail has room."""
    threads = [t for t in case.threads() if any(histograms(s.cells.get(t)) for s in case.series)]
    if not threads:
        raise Nothing("no cell has a latency histogram")
    at = threads[-1]
    curves = [(s, kind, found) for s in case.series for kind, found in histograms(s.cells.get(at)).items()]
    kinds = [k for k in KINDS if any(kind == k[0] for _, kind, _ in curves)]
    looks = style.styles_of(case.series)
    open_loop = any(s.cells[at].open_loop for s, _, _ in curves)
    sheet = Sheet(f"{case.workload}: latency by percentile, {'open' if open_loop else 'closed'} loop",
                  f"{style.params_text(case.params)}; {at} {'thread' if at == 1 else 'threads'}",
                  (8.3 / len(kinds) - 0.55, 3.3), columns=len(kinds), left=0.6, **ax.CLOSE)
    for column, (kind, words) in enumerate(kinds):
        chosen = [(s, found) for s, k, found in curves if k == kind]
        latency_panel(sheet, sheet.axes(0, column), case, at, kind, words, chosen, looks)
    shown = list({s.label: s for s, _, _ in curves}.values())
    sheet.entries = [(looks[s.label], label_of(s)) for s in shown]
    sheet.caption = ax.caption(case, [s.cells[at] for s in shown], None,
                               ["Dotted: fewer observations than the percentile needs."], bars=False)
    described(sheet, "Line chart: latency by percentile.")
    return sheet


def histograms(cell):
    if cell is None or not cell.measured:
        return {}
    found = {kind: quantiles(cell.latency.get(kind)) for kind, _ in KINDS}
    return {kind: q for kind, q in found.items() if q}


def latency_panel(sheet, axes, case, threads, kind, words, curves, looks):
    highest = max(points[-1][1] for _, (points, _) in curves)
    factor, unit = next(t for t in reversed(TIMES) if highest >= t[0] * 10 or t[0] == 1)
    tail = max(1 / (1 - points[-1][0]) for _, (points, _) in curves)
    values = []
    for s, (points, total) in curves:
        look = looks[s.label]
        sure, unsure = split_where_resolved(points, total)
        for part, dash in ((sure, look.line), (unsure, ":")):
            axes.plot([1 / (1 - p) for p, _ in part], [v / factor for _, v in part], color=look.colour, linestyle=dash,
                      drawstyle="steps-post", zorder=3)
        values += [v / factor for _, v in points]
        for p in PERCENTILES:
            if p <= points[-1][0]:
                value = [v for q, v in points if q <= p][-1]
                axes.plot([1 / (1 - p)], [value / factor], color=look.colour, marker=look.marker,
                          markerfacecolor=look.face, zorder=4)
                latency_record(sheet, kind, case, s, s.cells[threads], p, value, total)
    axes.set_xscale("log")
    axes.set_xlim(1, max(20, tail * 1.3))
    axes.xaxis.set_major_locator(FixedLocator([1 / (1 - p) for p in PERCENTILES if 1 / (1 - p) <= max(20, tail * 1.3)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: ax.plain(round(100 * (1 - 1 / x), 6))))
    axes.set_xlabel("percentile")
    ax.value_axis(axes, values, log=True if min(values) > 0 and max(values) / min(values) > 4 else None)
    ax.panel_title(axes, f"{words} ({unit})", raised=False)


def latency_record(sheet, kind, case, series, cell, p, value, total):
    ax.record(sheet, kind, case, series, cell, ax.plain(round(100 * p, 6)), (value, None), f"{kind} time", "ns",
              x_name="percentile")
    sheet.records[-1].update(samples=total, note="" if stats.resolved(total, p) else "not resolved")


# ---------------------------------------------------------------------------------------------------------------------
# Time by a parameter

def parameter_groups(cases):
    """(parameter, cases that differ in it alone, ascending) for each numeric parameter with three values or more."""
    names = dict.fromkeys(k for c in cases for k, v in c.params.items() if isinstance(v, int))
    for name in names:
        groups = {}
        for case in cases:
            if isinstance(case.params.get(name), int):
                rest = tuple((k, v) for k, v in case.params.items() if k != name)
                groups.setdefault((case.workload, rest, case.policy), []).append(case)
        for group in groups.values():
            group = [c for c in group if c.threads()]
            if len(group) >= 3:
                yield name, sorted(group, key=lambda c: c.params[name])


def parameter(name, cases, options):
    """Time per operation over one parameter at each runtime's least thread count: one curve for each runtime."""
    first = cases[0]
    threads = min(t for c in cases for t in c.threads())
    series = {s.label: s for c in cases for s in c.series if threads in s.measured()}
    looks = style.styles_of(series.values())
    words = f"{threads} thread" + ("s" if threads > 1 else "")
    rest = style.params_text(first.params, (name,))
    sheet = Sheet(f"{first.workload}: time per {first.operation} by {name}", f"{rest}; {words}" if rest else words,
                  (6.7, 3.4), left=0.6, **ax.CLOSE)
    axes, values, cells = sheet.axes(), [], []
    for i, (label, s) in enumerate(series.items()):
        points = []
        for case in cases:
            cell = next((x.cells[threads] for x in case.series if x.label == label and threads in x.measured()), None)
            if cell:
                points.append((case.params[name], *ax.wall(cell)))
                ax.record(sheet, "wall time", case, s, cell, case.params[name], ax.wall(cell), "wall time", case.unit,
                          x_name=name)
                cells.append(cell)
        ax.draw_curve(axes, looks[label], points, 0.01 * i + (0.5 if s.plain else 0))
        values += [(v, i) for _, v, i in points]
    xs = [c.params[name] for c in cases]
    if min(xs) > 0:
        ax.log2_axis(axes, xs, name, words=lambda v, _: style.count(int(round(v))), most=11)
    else:
        axes.set_xlabel(name)
    ax.value_axis(axes, ax.with_bars(values))
    ax.panel_title(axes, f"wall time ({first.unit})", raised=False)
    sheet.entries = [(looks[label], label_of(s)) for label, s in series.items()]
    sheet.caption = ax.caption(first, cells)
    described(sheet, f"Line chart: time per {first.operation} over {name}.")
    return sheet
