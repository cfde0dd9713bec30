"""Charts of cost at a glance: overhead per operation, time at one thread count, threads x size, order of the run."""
import math

from matplotlib.colors import LogNorm, TwoSlopeNorm, to_rgb
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

import plot_axes as ax
import plot_stats as stats
import plot_style as style
from plot_scaling import Nothing, described, heading, measured_cells, need_base, need_threads, speed_up
from plot_sheet import Sheet, text_width

HATCHED = {"facecolor": "white", "edgecolor": style.FAINT, "hatch": "////", "linewidth": 0.8}
BAR, WORDS = 0.62, 8.5


# ---------------------------------------------------------------------------------------------------------------------
# Bars

def bar_sheet(title, subtitle, labels, columns=1):
    left = 0.1 + max(text_width(label, 9.5) for label in labels)
    width = max(1.6, (8.3 - left) / columns - 0.25)
    sheet = Sheet(title, subtitle, (width, max(0.9, 0.33 * len(labels))), columns=columns, left=left, gap=0.3,
                  above=0.32 if columns > 1 else 0.14)
    for axes in sheet.all_axes():
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
    return sheet


def bar_scale(axes, points, clear, label, width):
    """Bars start at 0; where they differ tenfold, at a power of ten on a logarithmic axis. Returns the start.

    The axis is `width` inches long, and so much longer than the bars that the words beside each find room.
    """
    ends = [max(v, i.high if i else v) for v, i in points]
    rest = [max(0.25, 1 - (text_width(bar_text(*p), WORDS) + 0.2) / width) for p in points]
    if len(clear) > 0 and min(clear) > 0 and max(ends) / min(clear) > ax.LOG_FROM:
        start = 10**math.floor(math.log10(min(clear) / 1.5))
        axes.set_xscale("log")
        axes.set_xlim(start, start * max((max(e, start * 1.01) / start)**(1 / r) for e, r in zip(ends, rest)))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        start, low = 0, 1.1 * min(0, *(i.low if i else v for v, i in points))
        axes.set_xlim(low, low + max((max(e, 0) - low) / r for e, r in zip(ends, rest)) or 1)
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 2.5, 5, 10)))
        axes.axvline(0, color=style.FAINT, linewidth=0.9)
    axes.xaxis.set_major_formatter(FuncFormatter(ax.plain))
    axes.set_xlabel(label)
    return start


def draw_bar(axes, row, look, point, start, unsure):
    value, interval = point
    end = max(value, interval.high if interval else value)
    if unsure and start > 0:  # a logarithmic axis has no 0: the bar is as long as the interval allows
        end = max(end, start * (axes.get_xlim()[1] / start)**0.03)
    if unsure:
        axes.barh(row, (end if start > 0 else value) - start, BAR, left=start, zorder=3, **HATCHED)
    else:
        axes.barh(row, value - start, BAR, left=start, facecolor=look.fill, edgecolor=look.colour, zorder=3)
    if interval and not (unsure and start > 0):
        ax.whisker(axes, row, value, interval, style.INK, 4, horizontal=True)
    axes.annotate(bar_text(value, interval), (max(end, start), row), (6, 0), textcoords="offset points",
                  va="center", size=WORDS, zorder=5)


def bar_text(value, interval):
    if interval is None:
        return f"{style.number(value)}  n = 1"
    between = f"{style.number(interval.low)} .. {style.number(interval.high)}"
    return f"{style.number(value)}  ({between})" if interval.kind == "ci95" else f"{style.number(value)}  [{between}]"


def distinguishable(point):
    """A difference is one only when its interval leaves out 0; one sample tells nothing."""
    return point[1] is not None and (point[1].low > 0 or point[1].high < 0)


def overhead(case, options):
    """What a runtime adds to each operation at one thread: its time minus the serial one."""
    if not case.threads():
        need_threads(case)
    base = need_base(case, options.base)
    found = [(s, s.cells[1].against(base, stats.difference)) for s in case.series
             if 1 in s.measured() and s.cells[1] is not base]
    if not found:
        raise Nothing(f"only {base.arm_label} was measured at 1 thread; overhead needs a second runtime")
    looks = style.styles_of(case.series)
    sheet = bar_sheet(f"{case.workload}: overhead per {case.operation} at 1 thread", heading(case),
                      [style.shortened(s.label, 40) for s, _ in found])
    axes, points = sheet.axes(), [p for _, p in found]
    clear = [p[0] for p in points if distinguishable(p)]
    above = f"{case.unit} above {base.arm_label} ({style.number(base.median)})"
    start = bar_scale(axes, points, clear, above, sheet.panel[0])
    for row, (s, point) in enumerate(found):
        unsure = not distinguishable(point)
        draw_bar(axes, row, looks[s.label], point, start, unsure)
        ax.record(sheet, "overhead", case, s, s.cells[1], 1, point, "overhead", case.unit)
        if unsure:
            notes = [sheet.records[-1]["note"], "not distinguishable from 0"]
            sheet.records[-1]["note"] = "; ".join(filter(None, notes))
    if any(not distinguishable(p) for p in points):
        sheet.entries = [(HATCHED, "not distinguishable from 0")]
    sheet.caption = ax.caption(case, [s.cells[1] for s, _ in found], base)
    described(sheet, f"Bar chart: time per {case.operation} above {base.arm_label} at 1 thread.")
    return sheet


def bars(case, options):
    """Wall and CPU time per operation at one thread count: that of most runtimes, the largest of several."""
    if not case.threads():
        need_threads(case)
    threads = max(case.threads(), key=lambda t: (sum(t in s.measured() for s in case.series), t))
    shown = [s for s in case.series if threads in s.measured() or s.cells.get(1) is case.base(options.base)]
    cells = [s.measured().get(threads) or s.cells[1] for s in shown]
    labels = [style.shortened(s.label, 40) + ("" if c.threads == threads else " (1 thread)")
              for s, c in zip(shown, cells)]
    columns = 2 if any(c.cpu for c in cells) else 1
    words = "1 thread" if threads == 1 else f"{threads} threads"
    sheet = bar_sheet(f"{case.workload}: time per {case.operation} at {words}", heading(case), labels, columns)
    looks = style.styles_of(case.series)
    for column, (key, unit, quantity) in enumerate([("wall time", case.unit, ax.wall),
                                                    ("CPU time", f"cpu-{case.unit}", ax.cpu)][:columns]):
        axes, points = sheet.axes(0, column), [quantity(c) for c in cells]
        known = [p for p in points if p]
        start = bar_scale(axes, known, [p[0] for p in known], unit, sheet.panel[0])
        ax.panel_title(axes, key, raised=False)
        for row, (s, c, point) in enumerate(zip(shown, cells, points)):
            if point:
                draw_bar(axes, row, looks[s.label], point, start, unsure=False)
                ax.record(sheet, key, case, s, c, c.threads, point, key, unit)
        if column:
            axes.set_yticklabels([])
    sheet.caption = ax.caption(case, cells, case.base(options.base))
    described(sheet, f"Bar chart: wall and CPU time per {case.operation} at {words}.")
    return sheet


# ---------------------------------------------------------------------------------------------------------------------
# Heat map

def heatmap(columns, rest, varied, options):
    """Speed-up (without a base: time) over threads x size, one panel for each runtime."""
    series = {}
    for case in columns:
        for s in case.series:
            if len(s.measured()) > 1:
                series.setdefault(s.label, []).append((case, s))
    if not series:
        raise Nothing("no runtime has two thread counts")
    threads = sorted({t for case in columns for t in case.threads()})
    bases = [case.base(options.base) for case in columns]
    divided = all(b is not None and b.median > 0 for b in bases)
    first, width = columns[0], max(1.2, 0.42 * len(threads))
    across = max(1, min(len(series), int(8.5 / (width + 0.7))))
    what = f"speed-up against {bases[0].arm_label}" if divided else f"time per {first.operation} ({first.unit})"
    height = max(0.8, 0.3 * len(columns))
    sheet = Sheet(f"{first.workload}: {what}, threads x {varied}", style.params_text(rest),
                  (width, height), columns=across, rows=math.ceil(len(series) / across), left=0.6, gap=0.7, **ax.CLOSE)
    values = heat_values(sheet, series, columns, bases if divided else None, varied)
    norm = heat_norm(list(values.values()), divided)
    for i, label in enumerate(series):
        heat_panel(sheet.axes(i // across, i % across), label, threads, columns, varied, values, norm, divided)
    for axes in sheet.all_axes()[len(series):]:
        axes.set_visible(False)
    cells = [c for pairs in series.values() for _, s in pairs for c in s.measured().values()]
    sheet.caption = ax.caption(first, cells, None, [f"Base: {bases[0].arm_label} of each {varied}."] if divided else [],
                               bars=False)
    described(sheet, f"Heat map: {what} over threads and {varied}.")
    return sheet


def heat_values(sheet, series, columns, bases, varied):
    """(label, row, threads) -> number."""
    values = {}
    for label, pairs in series.items():
        for case, s in pairs:
            row = columns.index(case)
            for t, cell in s.measured().items():
                point = speed_up(bases[row])(cell) if bases else ax.wall(cell)
                if point and point[0] > 0:
                    values[label, row, t] = point[0]
                    ax.record(sheet, f"{varied}={case.params[varied]}", case, s, cell, t, point,
                              "speed-up" if bases else "wall time", "x" if bases else case.unit)
    if not values:
        raise Nothing("no value is above zero")
    return values


def heat_norm(values, divided):
    """Speed-up: on a log scale with 1 in the middle, orange slower and blue faster. Time: log, darker is longer."""
    if divided:
        most = max(0.3, *(abs(math.log2(v)) for v in values))
        return TwoSlopeNorm(0, -most, most)
    return LogNorm(min(values), max(values) * 1.0001)


def heat_panel(axes, label, threads, columns, varied, values, norm, divided):
    from matplotlib import cm
    colours = cm.get_cmap("PuOr" if divided else "cividis_r")
    for (name, row, t), value in values.items():
        if name != label:
            continue
        colour = colours(norm(math.log2(value) if divided else value))
        x = threads.index(t)
        axes.bar(x, 1, 1, row - 0.5, color=colour, edgecolor="white", linewidth=1, zorder=2)
        dark = sum(w * c for w, c in zip((0.299, 0.587, 0.114), to_rgb(colour))) < 0.55
        axes.text(x, row, style.number(value, 2), ha="center", va="center", size=7.5,
                  color="white" if dark else style.INK, zorder=3)
    axes.set_xlim(-0.5, len(threads) - 0.5)
    axes.set_ylim(len(columns) - 0.5, -0.5)
    axes.set_xticks(range(len(threads)), threads)
    axes.set_yticks(range(len(columns)), [style.count(c.params[varied]) for c in columns])
    axes.grid(False)
    axes.tick_params(length=0)
    axes.set_xlabel("threads")
    ax.panel_title(axes, style.shortened(label, 30), raised=False)


# ---------------------------------------------------------------------------------------------------------------------
# Order of the run

def order(cases, result):
    """Every sample against the median of its cell, in the order in which the trials ran: shows drift and steps."""
    cells = [(case, s, c) for case in cases for s in case.series for c in s.measured().values() if c.source is result]
    moments = sorted({(r, c.order.get(r, 0)) for _, _, c in cells for r in c.rounds})
    if len(moments) < 2:
        raise Nothing("one trial has no order")
    place = {m: i for i, m in enumerate(moments)}
    series = {s.label: s for _, s, _ in cells}
    looks = style.styles_of(series.values())
    title = f"{cases[0].workload}: samples in the order of the run"
    sheet = Sheet(title, f"{len(cells)} cells", (7.7, 3.0), **ax.CLOSE)
    axes, values = sheet.axes(), []
    for case, s, c in cells:
        values += draw_trials(axes, sheet, case, s, c, looks[s.label], place)
    draw_rounds(axes, sheet, moments)
    high = order_scale(axes, values, len(moments))
    sheet.entries = [(looks[label], style.shortened(label)) for label in series]
    beyond = sum(v > high for v in values)
    notes = [f"{beyond} samples are above the axis, the largest {style.number(max(values))}."] if beyond else []
    sheet.caption = ax.caption(cases[0], [c for _, _, c in cells], None, notes, bars=False)
    described(sheet, "Scatter plot: each sample divided by the median of its cell, in the order of the run.", most=0)
    return sheet


def order_scale(axes, values, trials):
    low, high = max(0, min(0.97, min(values) - 0.01)), min(2, max(1.03, max(values) + 0.01))
    axes.set_ylim(low, high)
    axes.set_xlim(-1, trials)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(ax.plain))
    axes.grid(False, axis="x")
    axes.set_xlabel("trials in the order in which they ran; black: the median of each round")
    ax.panel_title(axes, "sample / median of its cell", raised=False)
    return high


def draw_trials(axes, sheet, case, series, cell, look, place):
    """The samples of each trial, side by side within its place. One CSV line for each trial: its median."""
    middle, drawn = cell.median, []
    if middle <= 0:
        return [1]
    for r, samples in cell.rounds.items():
        at = place[r, cell.order.get(r, 0)]
        few = ax.thinned(samples, 40)
        ratios = [v / middle for v in few]
        xs = [at - 0.35 + 0.7 * (i + 0.5) / len(few) for i in range(len(few))]
        axes.plot(xs, ratios, linestyle="", marker=".", markersize=2.6, color=look.colour, alpha=0.45, zorder=2)
        axes.plot([at], [stats.median(ratios)], linestyle="", marker=look.marker, markersize=5, color=look.colour,
                  markerfacecolor=look.face, zorder=4)
        ax.record(sheet, f"{cell.threads} threads", case, series, cell, at, (stats.median(samples) / middle, None),
                  "trial median / cell median", "1", x_name=f"order (round {r})")
        sheet.records[-1].update(note="", samples=len(samples), trials=1)
        drawn += ratios
    return drawn


def draw_rounds(axes, sheet, moments):
    by_round = {}
    for r in sheet.records:
        by_round.setdefault(r["x_name"], []).append((r["x"], r["value"]))
    starts = [i for i, m in enumerate(moments) if i > 0 and moments[i - 1][0] != m[0]]
    for i in starts:
        axes.axvline(i - 0.5, color=style.RULE, linewidth=0.9, zorder=0)
    for points in by_round.values():
        xs = [x for x, _ in points]
        axes.hlines(stats.median([v for _, v in points]), min(xs) - 0.5, max(xs) + 0.5, color=style.INK,
                    linewidth=1.4, zorder=5)
    axes.axhline(1, color=style.FAINT, linewidth=0.8, zorder=1)
