"""Charts over the number of threads: speed-up, efficiency, absolute time, cores used, and the picture of the README."""
from dataclasses import dataclass, replace

import plot_axes as ax
import plot_stats as stats
import plot_style as style
from plot_sheet import Sheet

IDEAL = style.Style(style.FAINT, "", style.SOLID)


class Nothing(Exception):
    """Why a kind of chart cannot be drawn from a case."""


@dataclass
class Panel:
    """What one panel shows: `quantity` of each cell, and of the base as a level line."""
    key: str
    title: str
    unit: str
    quantity: callable
    base_line: bool = True
    log: bool = None


def curve_points(case, panel, skip):
    """[(series, [(threads, value, interval)])] of everything but `skip`."""
    out = []
    for s in case.series:
        if s is skip:
            continue
        points = [(t, *point) for t, c in s.measured().items() if (point := panel.quantity(c)) is not None]
        out.append((s, points))
    return [(s, p) for s, p in out if p]


def base_series(case, base):
    """The series whose only cell is the base: drawn as a level, not as one point."""
    for s in case.series:
        if base is not None and s.cells.get(1) is base and len(s.measured()) == 1:
            return s
    return None


def draw_threads(sheet, axes, case, panel, looks, base, extra=()):
    """One panel over threads. `extra`: values that must be within the axis. Returns whether a region was shaded."""
    level_series = base_series(case, base)
    curves = curve_points(case, panel, level_series)
    drawn = [(v, i) for _, points in curves for _, v, i in points]
    level = panel.quantity(base) if base and panel.base_line else None
    if level_series is None or level is None:
        level = None
    else:
        drawn.append(level)
    if not drawn:
        raise Nothing(f"no cell has {panel.title}")
    ax.log2_axis(axes, case.threads(), "threads")
    ax.value_axis(axes, ax.with_bars(drawn) + list(extra), panel.log)
    ax.panel_title(axes, panel.title)
    shaded = ax.mark_machine(axes, case)
    if level:
        ax.level(axes, looks[level_series.label], level)
        ax.record(sheet, panel.key, case, level_series, base, 1, level, panel.key, panel.unit)
    for i, (s, points) in enumerate(curves):
        gaps = [t for t, c in s.cells.items() if not c.measured]
        ax.draw_curve(axes, looks[s.label], points, i * 0.01 + (0.5 if s.plain else 0), gaps,
                      ax.aside(axes, i, len(curves)) if len(case.threads()) <= 16 else 1)
        for threads, value, interval in points:
            ax.record(sheet, panel.key, case, s, s.cells[threads], threads, (value, interval), panel.key, panel.unit)
    return shaded


def legend_of(series, looks, shaded, level=None, ideal=None):
    """`level` is the series drawn as a level line, without markers; `ideal` the words for the ideal line."""
    entries = [(replace(looks[s.label], marker="") if s is level else looks[s.label], label_of(s))
               for s in series if s.measured()]
    if ideal:
        entries.append((IDEAL, ideal))
    return entries + ([ax.SHADED] if shaded else [])


def label_of(series):
    return style.shortened(series.label) + (" (one split per thread)" if series.label == "static" else "")


def described(sheet, what, most=40):
    """The alt text: what the chart is, then its values series by series."""
    lines, seen = [], {}
    for r in sheet.records:
        seen.setdefault((r["panel"], r["series"]), []).append(f"{style.number(r['value'])} at {r['x']}")
    for (panel, series), values in list(seen.items())[:most]:
        lines.append(f"{panel}, {series}: {', '.join(values)}.")
    sheet.description = f"{what} {' '.join(lines)}"


def measured_cells(case):
    return [c for s in case.series for c in s.measured().values()]


def need_threads(case):
    threads = case.threads()
    if not threads:
        raise Nothing("no cell has a number: " + (ax.unshown_text(case.unshown) or "it holds no samples"))
    if not case.has_curve():
        raise Nothing(f"each runtime has one thread count ({threads[-1]}), which makes no curve; "
                      "run with --threads 1..N")


def need_base(case, runtime):
    base = case.base(runtime)
    if base is None:
        raise Nothing(f"there is no {runtime} cell at 1 thread to count from; run with --runtime {runtime},... "
                      "or name another by --base")
    if base.median <= 0:
        raise Nothing(f"the {runtime} cell at 1 thread has a time of {base.median}, so nothing can be divided by it")
    return base


def heading(case):
    return style.params_text(case.params) + (f"; pin {case.policy}" if case.policy not in ("", "core") else "")


def one_panel(case, panel, title, base, ideal, ideal_words):
    """A chart of one panel with everything beside it. `ideal`: threads -> value."""
    looks = style.styles_of(case.series)
    sheet = Sheet(f"{case.workload}: {title}", heading(case), (6.7, 3.5), left=0.55)
    shaded = draw_threads(sheet, sheet.axes(), case, panel, looks, base, [ideal(t) for t in case.threads()])
    pus, most = ax.pus_of(case), max(case.threads())
    xs = sorted({*case.threads(), *([pus] if pus and pus < most else [])})
    sheet.axes().plot(xs, [ideal(x) for x in xs], color=IDEAL.colour, linewidth=1, zorder=2)
    sheet.entries = legend_of(case.series, looks, shaded, base_series(case, base), ideal_words)
    sheet.caption = ax.caption(case, measured_cells(case), base)
    described(sheet, f"Line chart: {title} over threads {case.threads()[0]} to {most}.")
    return sheet


def at_most_pus(case):
    """What threads can be worth."""
    pus = ax.pus_of(case)
    return lambda threads: min(threads, pus) if pus else threads


def scaling(case, options):
    """Speed-up against the serial code, with the ideal line and the static bound."""
    need_threads(case)
    base = need_base(case, options.base)
    limit = at_most_pus(case)
    panel = Panel("speed-up", f"speed-up against {base.arm_label} (x)", "x", speed_up(base), base_line=False,
                  log=limit(max(case.threads())) >= 8)
    sheet = one_panel(case, panel, f"speed-up against {base.arm_label}", base, limit, "ideal")
    if base_series(case, base):
        sheet.axes().axhline(1, color=style.BLACK, linestyle=(0, style.DOTTED), linewidth=1.4, zorder=3)
    return sheet


def speed_up(base):
    return lambda c: present(c.against(base, stats.ratio))


def present(point):
    return None if point[0] is None else point


def efficiency(case, options):
    """Speed-up divided by the CPUs that the threads can have."""
    need_threads(case)
    base, pus = need_base(case, options.base), ax.pus_of(case)

    def quantity(cell):
        point = present(cell.against(base, stats.ratio))
        share = 100 / min(cell.threads, pus or cell.threads)
        return point and (point[0] * share, scaled(point[1], share))

    per = "min(threads, PUs)" if pus and pus < max(case.threads()) else "threads"
    panel = Panel("efficiency", f"speed-up / {per} (%)", "%", quantity, base_line=False, log=False)
    sheet = one_panel(case, panel, f"parallel efficiency against {base.arm_label}", base, lambda _: 100, "100 %")
    sheet.axes().set_ylim(0, max(110, sheet.axes().get_ylim()[1]))
    return sheet


def scaled(interval, factor):
    return interval and stats.Interval(interval.low * factor, interval.high * factor, interval.kind)


def cpu(case, options):
    """CPU time over wall time: how many cores a runtime keeps busy, working or spinning."""
    need_threads(case)
    if not any(c.cpu for c in measured_cells(case)):
        raise Nothing("no cell has its CPU time")
    limit = at_most_pus(case)
    panel = Panel("cores used", "CPU time / wall time (cores used)", "cores", ax.cores_used,
                  log=limit(max(case.threads())) >= 8)
    return one_panel(case, panel, "cores kept busy", case.base(options.base), limit, "all there are")


# ---------------------------------------------------------------------------------------------------------------------
# Absolute time

def time_panels(case, base):
    wall = Panel("wall time", f"wall time ({case.unit})", case.unit, ax.wall)
    if not any(c.cpu for c in measured_cells(case)):
        return [wall]
    return [wall, Panel("CPU time", f"CPU time of all threads (cpu-{case.unit})", f"cpu-{case.unit}", ax.cpu)]


def absolute(case, options):
    """Wall and CPU time per operation, side by side."""
    need_threads(case)
    base = case.base(options.base)
    panels, looks = time_panels(case, base), style.styles_of(case.series)
    sheet = Sheet(f"{case.workload}: time per {case.operation}", heading(case), (7.6 / len(panels) - 0.2, 3.4),
                  columns=len(panels), left=0.55)
    every = [p.quantity(c) for p in panels for c in measured_cells(case)]
    values = [p[0] for p in every if p]
    log = min(values) > 0 and max(values) / min(values) > ax.LOG_FROM
    shaded = False
    for i, panel in enumerate(panels):
        panel.log = log
        shaded |= draw_threads(sheet, sheet.axes(0, i), case, panel, looks, base)
    ax.shared_scale(sheet.all_axes())
    sheet.entries = legend_of(case.series, looks, shaded, base_series(case, base))
    notes = [] if len(panels) == 2 else ["CPU time was not measured."]
    sheet.caption = ax.caption(case, measured_cells(case), base, notes)
    described(sheet, f"Line charts: wall time and CPU time per {case.operation} over threads.")
    return sheet


def overview_columns(cases):
    """The cases of one workload that differ in one numeric parameter: a column each, at most three."""
    groups = {}
    for case in cases:
        numeric = [k for k, v in case.params.items() if isinstance(v, int)]
        varied = next((k for k in numeric if len({c.params.get(k) for c in cases if c.workload == case.workload}) > 1),
                      numeric[0] if numeric else None)
        rest = tuple((k, v) for k, v in case.params.items() if k != varied)
        groups.setdefault((case.workload, rest, case.policy, varied), []).append(case)
    for (_, rest, _, varied), columns in groups.items():
        columns = [c for c in columns if c.has_curve()]
        columns.sort(key=lambda c: c.params.get(varied, 0))
        if columns:
            yield dict(rest), varied, ax.thinned(columns, 3)


def overview(columns, rest, varied, options):
    """Wall and CPU time over threads, one column for each size: the picture of the README."""
    first = columns[0]
    series = {s.label: s for case in columns for s in case.series if s.measured()}
    looks = style.styles_of(series.values())
    rows = max(len(time_panels(c, None)) for c in columns)
    width = 8.9 / len(columns) - 0.55
    sheet = Sheet(f"{first.workload}: time per {first.operation} over threads", style.params_text(rest),
                  (width, 2.25), columns=len(columns), rows=rows, left=0.55)
    shaded = False
    for c, case in enumerate(columns):
        base = case.base(options.base)
        for r, panel in enumerate(time_panels(case, base)):
            panel.title = f"{varied} {style.count(case.params[varied])}: {panel.unit}" if varied else panel.title
            panel.key = panel.title
            shaded |= draw_threads(sheet, sheet.axes(r, c), case, panel, looks, base)
            sheet.axes(r, c).set_xlabel("threads" if r == rows - 1 else "")
    for column in range(len(columns)):
        ax.shared_scale([sheet.axes(r, column) for r in range(rows)])
    level = base_series(first, first.base(options.base))
    sheet.entries = legend_of(series.values(), looks, shaded, level and series[level.label])
    merged = merged_case(columns)
    sheet.caption = ax.caption(merged, [x for case in columns for x in measured_cells(case)])
    described(sheet, f"Line charts: wall time (above) and CPU time (below) per {first.operation} over threads.")
    return sheet


def merged_case(columns):
    """One case for the caption of several."""
    merged = type(columns[0])(columns[0].workload, {}, columns[0].policy, [], [])
    for case in columns:
        merged.series += case.series
        merged.results += [r for r in case.results if r not in merged.results]
        merged.unshown += case.unshown
    return merged
