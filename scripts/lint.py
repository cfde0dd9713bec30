#!/usr/bin/env python3
"""Checks what the compiler does not: layers, lists, memory orders, sizes, words and shape of the files.

  scripts/lint.py              check everything; exit 1 if something is found
  scripts/lint.py --write      write docs/ORDERS.md first (it is generated from the ORDER comments)
  scripts/lint.py --rule NAME  only this rule (may be repeated)
  scripts/lint.py --list       the rules
  scripts/lint.py --stats      sizes and comment shares by folder

A rule is a generator over the tree that yields (file, line, message); the message says how to mend it. A rule of sizes
has a ratchet: what is longer today stands in LONG_FILES or LONG_FUNCTIONS with its length and may only shrink.
"""
import argparse
import re
import socket
import statistics
import sys
from pathlib import Path, PurePosixPath

from lint_orders import orders_text
from lint_tree import CPP, HEADERS, RULES, Source, Tree, blanked, functions, library_of, rule

LONG_FILES = {}      # path: lines
LONG_FUNCTIONS = {}  # "path:function": lines

FILE_LINES_MAX, FUNCTION_LINES_MAX, COLUMNS_MAX = 500, 60, 120
COMMENT_SHARE_REPORTED, COMMENT_SHARE_ALLOWED, COMMENT_SHARE_FROM_LINES = (0.15, 0.30), (0.10, 0.45), 200

# ---------------------------------------------------------------------------------------------------------------------
# Layers and lists

CHAIN = ("main", "cli", "plan", "runner", "trial", "row", "workload", "primitives")
PEER_HEADERS = ("tbb/", "oneapi/tbb", "asio", "boost/context", "boost/fiber", "omp.h")


def rank(path):
    """Place in the chain of includes; None for the helpers beside it."""
    if path.startswith("workloads/"):
        return CHAIN.index("workload")
    stem = PurePosixPath(path).stem
    if path.startswith("harness/"):
        for i, name in enumerate(CHAIN):
            if stem == name or stem.startswith(name + "_"):
                return i
    return None


@rule("layers")
def check_layers(tree):
    """Includes point one way: main, cli, plan, runner, trial, row, workload, primitives; libraries stand alone."""
    for source in tree.under("harness/", "workloads/", "runtimes/", suffixes=CPP):
        for line, quote, target in source.includes:
            path = tree.resolve(source, target) if quote == '"' else None
            yield from _check_sides(source, line, target, path or target)
            yield from _check_chain(tree, source, line, path)
    yield from _check_cycles(tree)


def _check_sides(source, line, target, path):
    if library_of(source.path) and path.startswith(("harness/", "workloads/")):
        yield source.path, line, (f"a runtime library includes {target}; libraries know nothing of the harness: "
                                  "move what joins the two into the adapter runtimes/*.cpp")
    if source.path.startswith(("harness/", "workloads/")) and path.startswith(("runtimes/", *PEER_HEADERS)):
        yield source.path, line, f"{target} is a runtime's; the harness knows none: use it in its adapter"


def _check_chain(tree, source, line, path):
    """Looks through helpers: a helper that drags in an upper layer counts as the upper layer."""
    own, seen, queue = rank(source.path), set(), [path]
    while own is not None and queue:
        reached = queue.pop()
        if reached is None or reached in seen or reached == source.path:
            continue
        seen.add(reached)
        if rank(reached) is None:
            queue += [tree.resolve(tree.sources[reached], t) for _, q, t in tree.sources[reached].includes if q == '"']
        elif rank(reached) < own:
            via = "" if reached == path else f" (through {path})"
            yield source.path, line, (f"includes {reached}{via}: {CHAIN[own]} stands below {CHAIN[rank(reached)]} in "
                                      f"{' -> '.join(CHAIN)}; move what is needed down, or pass it as an argument")


def _check_cycles(tree):
    done, stack = set(), []

    def visit(path):
        if path in stack:
            yield path, 1, f"includes itself: {' -> '.join(stack[stack.index(path):] + [path])}; split one of them"
        if path in stack or path in done:
            return
        stack.append(path)
        for _, quote, target in tree.sources[path].includes:
            reached = tree.resolve(tree.sources[path], target) if quote == '"' else None
            if reached and reached != path:
                yield from visit(reached)
        stack.pop()
        done.add(path)

    for source in tree.under("harness/", "workloads/", "runtimes/", suffixes=CPP):
        yield from visit(source.path)


@rule("lists")
def check_lists(tree):
    """Every adapter is in runtimes/CMakeLists.txt, every workload in workloads/all.hpp."""
    def text(path):
        return tree.sources[path].text if path in tree.sources else ""

    cmake = re.sub(r"#[^\n]*", "", text("runtimes/CMakeLists.txt"))
    for source in tree.under("runtimes/", suffixes={".cpp"}):
        stem = PurePosixPath(source.path).stem
        listed = re.search(rf"\bbb_runtime\(\s*{re.escape(stem)}\b|\b{re.escape(stem)}\.cpp\b", cmake)
        if not library_of(source.path) and not listed:
            yield source.path, 1, f"not in the list: add `bb_runtime({stem} ...)` to runtimes/CMakeLists.txt"
    all_workloads = {PurePosixPath(t).name for _, _, t in Source("all.hpp", text("workloads/all.hpp")).includes}
    for source in tree.under("workloads/", suffixes=HEADERS):
        name = PurePosixPath(source.path).name
        if name != "all.hpp" and name not in all_workloads:
            yield source.path, 1, f'not in the list: add `#include "workloads/{name}"` to workloads/all.hpp'


# ---------------------------------------------------------------------------------------------------------------------
# Sizes

def _ratchet(known, key, size, limit):
    """None if fine, else what to say."""
    allowed = known.get(key, limit)
    if size > allowed:
        return f"is {size} lines, {allowed} are allowed; split it"
    if key in known and size < allowed:
        return f"has shrunk to {size} lines; lower its entry in scripts/lint.py ({allowed})"
    return None


@rule("sizes")
def check_sizes(tree):
    """Files up to 500 lines, functions up to 60, lines up to 120 columns; what is longer is in the ratchet lists."""
    for source in tree.written():
        if not source.is_code:
            continue
        said = _ratchet(LONG_FILES, source.path, source.text.count("\n"), FILE_LINES_MAX)
        if said:
            yield source.path, 1, f"the file {said}"
        for number, line in enumerate(source.lines, 1):
            if len(line) > COLUMNS_MAX:
                yield source.path, number, f"{len(line)} columns, {COLUMNS_MAX} are allowed; break the line"
        for name, first, last in functions(source) if source.suffix in CPP | {".py"} else []:
            said = _ratchet(LONG_FUNCTIONS, f"{source.path}:{name}", last - first + 1, FUNCTION_LINES_MAX)
            if said:
                yield source.path, first, f"{name} {said}"


def comment_share(sources):
    """(lines that hold a comment / lines that are not blank, lines)"""
    lines = sum(1 for s in sources for line in s.lines if line.strip())
    return sum(len(s.comments) for s in sources) / max(1, lines), lines


@rule("comments")
def check_comments(tree):
    """15 to 30 % of a library's lines hold a comment; below 10 % or above 45 % is an error."""
    for library in sorted({library_of(p) for p in tree.sources} - {None}):
        share, lines = comment_share(tree.under(f"runtimes/{library}/", suffixes=CPP))
        low, high = COMMENT_SHARE_ALLOWED
        if lines >= COMMENT_SHARE_FROM_LINES and not low <= share <= high:
            advice = "write down contracts and invariants" if share < low else "keep design, why, invariant, contract"
            yield f"runtimes/{library}", 1, (f"{share:.0%} of its lines hold a comment, {low:.0%} to {high:.0%} are "
                                             f"allowed; {advice}")


# ---------------------------------------------------------------------------------------------------------------------
# Words and shape

PRODUCT = ("harness/", "workloads/", "runtimes/")
BANNED = (  # what, pattern, folders, in code only (not in comments and strings), remedy
    ("a left-over mark", r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b", ("",), False, "do it now, or file an issue"),
    ("std::condition" "_variable", r"\bcondition_variable(?:_any)?\b", ("runtimes/",), True,
     "glibc 2.36 can lose its wake-ups; wait on a futex"),
    ("the locale", r"\bset" r"locale\b|\bstd::locale\b|\.imbue\s*\(", PRODUCT, True,
     "numbers do not depend on it; use fmt or std::to_chars"),
    ("a virtual function", r"\bvirtual\b", ("harness/primitives.hpp",), True, "primitives are concepts"),
    ("a path of one machine", r"(?<![\w.~*\])}>-])/(?:wo" r"rk|ho" r"me|ro" r"ot|tmp/bu" r"ild)/[\w.]", ("",), False,
     "use a relative path or a variable"),
)


@rule("words")
def check_words(tree):
    """No left-over marks, machine paths or host names; no condition variables, locale, virtual primitives."""
    for what, pattern, folders, code_only, remedy in BANNED:
        for source in tree.sources.values():
            if source.path.startswith(folders) and (not code_only or source.suffix in CPP):
                for match in re.finditer(pattern, source.code if code_only else source.text):
                    yield source.path, source.line_of(match.start()), f"{what} (`{match[0]}`): {remedy}"
    host = socket.gethostname().split(".")[0]
    for source in tree.under("results/") if len(host) > 3 and host != "localhost" else []:
        for match in re.finditer(rf"\b{re.escape(host)}\b", source.text):
            yield source.path, source.line_of(match.start()), "this machine's host name: results hold none; take it out"


@rule("shape")
def check_shape(tree):
    """Headers have #pragma once; files end in one newline, hold no tabs and no carriage returns."""
    for source in tree.written():
        if source.suffix in HEADERS and not re.search(r"^#pragma once$", source.code, re.M):
            yield source.path, 1, "no `#pragma once`; add it before the first include"
        if not (source.is_code or source.suffix in (".md", ".json", ".txt", ".toml")):
            continue
        if source.text and not re.search(r"[^\n]\n\Z", source.text):
            yield source.path, len(source.lines), "does not end in exactly one newline; mend the end of the file"
        for number, line in enumerate(source.lines, 1):
            if "\t" in line or "\r" in line:
                yield source.path, number, "a tab or carriage return; indent with spaces, end lines with \\n"


@rule("markdown")
def check_markdown(tree):
    """A page has one `# Title`; its relative links lead to files."""
    link = re.compile(r'\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)|(?:src|srcset)="([^"]+)"', re.M)
    for source in tree.written():
        if source.suffix != ".md":
            continue
        text = re.sub(r"^(```|~~~).*?^\1|`[^`\n]+`", blanked, source.text, flags=re.M | re.S)
        titles = len(re.findall(r"^# \S", text, re.M))
        if titles != 1:
            yield source.path, 1, f"{titles} titles of the form `# Title`; a page has one"
        for match in link.finditer(text):
            target = next(filter(None, match.groups())).split("#")[0]
            if re.match(r"[a-z]+:", target) or not target:
                continue
            if target.startswith("/") or not (tree.root / source.path).parent.joinpath(target).exists():
                yield source.path, source.line_of(match.start()), f"the link {target} leads nowhere; mend its path"


@rule("test-names")
def check_test_names(tree):
    """The name of a test ends in its kind; a file that does not is never built or run."""
    kinds = {"unit": "test", "stress": "stress", "model": "model", "fuzz": "fuzz", "asm": "asm"}
    for source in tree.under("tests/", suffixes={".cpp", ".py"}):
        path = PurePosixPath(source.path)
        folder = path.parts[1] if len(path.parts) > 2 else ""
        kind = "test" if source.suffix == ".py" else kinds.get(folder)
        is_test = not folder or (folder in kinds and source.suffix == ".cpp")
        if is_test and path.name != "conftest.py" and not path.stem.endswith(f"_{kind}"):
            wanted = f"{path.stem}_{kind}{path.suffix}" if kind else "one of the folders " + ", ".join(kinds)
            yield source.path, 1, f"is no test by its name, so nothing runs it; rename or move it to {wanted}"


# ---------------------------------------------------------------------------------------------------------------------
# The program

def print_stats(tree):
    print(f"{'folder':<24}{'files':>6}{'lines':>8}{'comments':>10}   function lines: median / 95 % / longest")
    libraries = sorted({f"runtimes/{library_of(p)}/" for p in tree.sources if library_of(p)})
    for folder in ["harness/", "workloads/", *libraries, "tests/", "scripts/"]:
        sources = tree.under(folder, suffixes=CPP | {".py"})
        lengths = sorted(last - first + 1 for s in sources for _, first, last in functions(s)) or [0]
        share, _ = comment_share([s for s in sources if s.suffix in CPP])
        p95 = lengths[min(len(lengths) - 1, len(lengths) * 95 // 100)]
        print(f"{folder:<24}{len(sources):>6}{sum(s.text.count(chr(10)) for s in sources):>8}{share:>10.0%}"
              f"   {statistics.median_low(lengths)} / {p95} / {lengths[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent, help="the tree to check")
    parser.add_argument("--write", action="store_true", help="write docs/ORDERS.md first")
    parser.add_argument("--rule", action="append", choices=sorted(RULES), help="only this rule")
    parser.add_argument("--list", action="store_true", help="print the rules")
    parser.add_argument("--stats", action="store_true", help="print sizes and comment shares")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{name:<13}{function.__doc__}" for name, function in RULES.items()))
        return 0
    tree = Tree(options.root)
    if options.stats:
        print_stats(tree)
        return 0
    if options.write:
        (tree.root / "docs").mkdir(exist_ok=True)
        (tree.root / "docs/ORDERS.md").write_text(orders_text(tree))
        tree = Tree(options.root)
    found = [(*finding, name) for name in options.rule or RULES for finding in RULES[name](tree)]
    for path, line, message, name in sorted(found):
        print(f"{path}:{line}: {message} [{name}]")
    print(f"lint: {len(found) or 'nothing'} found in {len(tree.sources)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
