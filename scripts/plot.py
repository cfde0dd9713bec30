#!/usr/bin/env python3
"""Draws the charts of result files: SVG with real text, PNG, and the plotted numbers as CSV beside them.

  scripts/plot.py RESULT.json [MORE.json ...] -o charts
  bb plot RESULT.json -o charts                 the same

The same results give the same bytes. Exit codes: 0 drawn, 1 no matplotlib, 2 usage, 3 a file that is no result,
4 nothing to draw, 6 a picture that cannot be written.
"""
import argparse
import logging
import os
import re
import sys
import warnings
import zlib

DEBIAN_PYTHON = "/usr/bin/python3"
KINDS = {
    "overview": "wall and CPU time over threads, a column for each size",
    "scaling": "speed-up against the serial code over threads",
    "absolute": "wall and CPU time per operation over threads",
    "efficiency": "speed-up divided by the CPUs that the threads can have",
    "cpu": "CPU time over wall time: cores kept busy",
    "overhead": "time per operation above the serial code, at one thread",
    "bars": "wall and CPU time at one thread count",
    "heatmap": "speed-up over threads x size",
    "order": "samples in the order in which they were taken",
    "latency": "latency by percentile",
    "parameter": "time over a parameter such as size or fibers",
}


FORMATS = ["svg", "png"]


def say(text):
    print(f"plot: {text}", file=sys.stderr)


def find_matplotlib():
    """Debian's matplotlib belongs to /usr/bin/python3; another python3 first on PATH may lack it."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    os.environ["MPLBACKEND"] = "Agg"  # whatever the user's is, it may not exist here
    try:
        import matplotlib  # noqa: F401
        return
    except ImportError as fault:
        reason = fault
    here = os.path.realpath(sys.executable or "")
    if "BB_PLOT_PYTHON" not in os.environ and os.path.realpath(DEBIAN_PYTHON) != here and os.path.exists(DEBIAN_PYTHON):
        os.environ["BB_PLOT_PYTHON"] = DEBIAN_PYTHON
        sys.stdout.flush()
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, os.path.abspath(__file__), *sys.argv[1:]])
    say(f"charts need matplotlib, which this Python has not ({reason}); apt-get install python3-matplotlib")
    sys.exit(1)


def list_of(known, word):
    def parse(text):
        chosen = [t for t in text.split(",") if t]
        unknown = [t for t in chosen if t not in known]
        if unknown or not chosen:
            raise argparse.ArgumentTypeError(f"unknown {word} '{text if not chosen else unknown[0]}'; "
                                             f"there are {', '.join(known)}")
        return chosen
    return parse


def arguments():
    parser = argparse.ArgumentParser(
        prog="plot", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        epilog="kinds:\n" + "\n".join(f"  {name:<11} {text}" for name, text in KINDS.items()))
    parser.add_argument("results", nargs="+", metavar="RESULT.json", help="result of `bb --json FILE`; - is stdin")
    parser.add_argument("-o", "--output", required=True, metavar="OUT",
                        help="folder, made if it is not there; ending in - or _: the beginning of the file names; "
                             "ending in .svg or .png: the one picture")
    parser.add_argument("--kind", default=["all"], type=list_of(["all", *KINDS], "kind"), metavar="LIST",
                        help="all (what the results have numbers for), or some of the kinds below")
    parser.add_argument("--format", default=["svg", "png"], type=list_of(FORMATS, "format"), metavar="LIST",
                        help="svg,png")
    parser.add_argument("--base", default="serial", metavar="RUNTIME",
                        help="what speed-up and overhead are counted from (serial)")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only cells whose name matches")
    return parser, parser.parse_args()


# ---------------------------------------------------------------------------------------------------------------------
# Names of files

def slug(*parts):
    text = "-".join(re.sub(r"[^A-Za-z0-9.=_]+", "-", str(p)).strip("-") for p in parts if str(p))
    if len(text) > 120:
        text = f"{text[:110]}-{zlib.crc32(text.encode()):08x}"
    return text


def case_slug(kind, case, leave_out=()):
    import plot_style as style
    values = [style.count(v) for k, v in case.params.items() if k not in leave_out]
    policy = [] if case.policy in ("", "core") else [case.policy]
    return slug(case.workload, kind, *values, *policy)


def is_one_picture(output):
    return os.path.splitext(output)[1][1:] in FORMATS and not os.path.isdir(output)


def stem_of(output, name):
    if is_one_picture(output):
        return os.path.splitext(output)[0]
    return output + name if output[-1] in "-_" else os.path.join(output, name)


# ---------------------------------------------------------------------------------------------------------------------
# Charts

def tasks(kind, cases, options):
    """(name, function that draws it) for each picture of a kind."""
    import plot_cost
    import plot_curves
    import plot_scaling
    every = "all" not in options.kind
    if kind in ("overview", "heatmap"):
        draw = plot_scaling.overview if kind == "overview" else plot_cost.heatmap
        for rest, varied, columns in plot_scaling.overview_columns(cases):
            if len(columns) > 1 or columns and every and kind == "overview":
                yield case_slug(kind, columns[0], (varied,)), lambda: draw(columns, rest, varied, options)
    elif kind == "parameter":
        for name, group in plot_curves.parameter_groups(cases):
            yield (slug(case_slug("by", group[0], (name,)), name),
                   lambda: plot_curves.parameter(name, group, options))
    elif kind == "order":
        for workload, result in dict.fromkeys((c.workload, r) for c in cases for r in c.results):
            chosen = [c for c in cases if c.workload == workload and result in c.results]
            many = len({id(r) for c in cases for r in c.results}) > 1
            yield slug(workload, kind, result.name if many else ""), lambda: plot_cost.order(chosen, result)
    else:
        draw = {"scaling": plot_scaling.scaling, "absolute": plot_scaling.absolute, "cpu": plot_scaling.cpu,
                "efficiency": plot_scaling.efficiency, "overhead": plot_cost.overhead, "bars": plot_cost.bars,
                "latency": plot_curves.latency}[kind]
        in_curve = [c for _, group in plot_curves.parameter_groups(cases) for c in group]
        for case in cases:
            if kind != "bars" or every or not (case.has_curve() or case in in_curve):
                yield case_slug(kind, case), lambda: draw(case, options)


def sheets(kind, cases, options):
    """[(name, sheet)] and the reasons why a case has none."""
    from plot_scaling import Nothing
    made, reasons = [], []
    for name, draw in tasks(kind, cases, options):
        try:
            made.append((name, draw()))
        except Nothing as reason:
            reasons.append(f"{name}: {reason}")
    return made, reasons


class TwoPictures(Exception):
    """A sentence about a name for two."""


NEEDS = {"overview": "a workload with two thread counts", "heatmap": "two thread counts and two sizes",
         "parameter": "three values of a number such as size"}


def draw_all(results, cases, options):
    """Returns the paths written."""
    import plot_sheet
    kinds = list(KINDS) if "all" in options.kind else options.kind
    command = "; ".join(dict.fromkeys(r.command for r in results if r.command))
    written, reasons, stems = [], [], {}
    for kind in kinds:
        made, said = sheets(kind, cases, options)
        for name, sheet in made:
            stem = stem_of(options.output, name)
            if stem in stems:
                raise TwoPictures(f"-o '{options.output}' names one picture, but there are {stems[stem]}, {name}"
                                  " and maybe more; choose by --kind and --filter, or name a folder")
            stems[stem] = name
            plot_sheet.folder_of(stem)
            written += sheet.save(stem, options.format, command)
        if not made:
            reasons += said or [f"{kind} needs {NEEDS.get(kind, 'a cell with a number')}"]
    return written, reasons


def empty_reason(results):
    cells = [c for r in results for c in r.cells]
    if not cells:
        return "the result holds no cells"
    import plot_axes
    return f"no cell has a number. {plot_axes.unshown_text(cells)}"


def run(options):
    import plot_data as data
    import plot_sheet
    plot_sheet.use_style()
    try:
        results = [data.read_result(path) for path in options.results]
        for result in results:
            result.cells = [c for c in result.cells if re.search(options.filter, cell_name(c))]
        cases = [c for c in data.make_cases(results) if c.threads()]
        if not cases:
            say(f"nothing to draw: {empty_reason(results)}")
            return 4
        written, reasons = draw_all(results, cases, options)
    except data.ResultError as fault:
        say(fault)
        return 3
    except plot_sheet.OutputError as fault:
        say(fault)
        return 6
    except TwoPictures as fault:
        say(fault)
        return 2
    if not written:
        say("nothing to draw: " + "; ".join(reasons))
        return 4
    if "all" not in options.kind:
        for reason in reasons:
            say(reason)
    print("\n".join(written))
    return 0


def cell_name(cell):
    params = " ".join(f"{k}={v}" for k, v in cell.params.items())
    return f"{cell.workload} {params} {cell.arm_label} threads={cell.threads} pin={cell.policy}"


def main():
    parser, options = arguments()
    try:
        re.compile(options.filter)
    except re.error as fault:
        parser.error(f"--filter: '{options.filter}' is not a regular expression: {fault}")
    if not options.output or (os.path.exists(options.output) and not os.path.isdir(options.output)
                              and not is_one_picture(options.output)):
        say(f"-o '{options.output}' is a file; name a folder, or a beginning of file names that ends in -")
        return 6
    find_matplotlib()
    warnings.filterwarnings("ignore", module="matplotlib")
    sys.dont_write_bytecode = True
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
