"""The rules of lint.py for memory orders, and docs/ORDERS.md, which is made from the ORDER comments."""
import functools
import re

from lint_tree import CPP, functions, library_of, rule

# An operation of std::atomic, a wrapper of one that has the order in its name (store_release), or a free function.
OPERATION = re.compile(r"(?:\.|->)\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+|test_and_set"
                       r"|wait(?=\s*\([^;()]*memory_order)"  # of an atomic; others take no order
                       r"|\w+_(?:relaxed|acquire|release|acq_rel|seq_cst))\s*\("
                       r"|\b(atomic_thread_fence|atomic_signal_fence|__atomic_\w+|io_uring_smp_\w+)\s*\(")
ORDER_IN_NAME = re.compile(r"_(relaxed|acquire|release|acq_rel|seq_cst)$")
ORDER_WORD = re.compile(r"\bmemory_order(?:_|::)(\w+)|\b__ATOMIC_(\w+)"
                        r"|(?<![\w.>])(relaxed|consume|acquire|release|acq_rel|seq_cst)(?=\s*[,)])")
TAG = re.compile(r"\bORDER\(\s*([^)\s]*)\s*\)\s*:?\s*(\w*)")
TAG_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
RELEASES, ACQUIRES = {"release", "acq_rel", "seq_cst"}, {"acquire", "consume", "acq_rel", "seq_cst"}


def _object_begin(code, end):
    """Where the object of a member call begins: identifiers, `.`, `->`, `::` and balanced brackets before `end`."""
    depth, at = 0, end
    while at > 0 and (depth or re.match(r"[\w.:)\]>]|-(?=>)|[(\[]", code[at - 1:at + 1])):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[at - 1], 0)
        if depth < 0:
            break
        at -= 1
    return at


class Operation:
    """One atomic operation or fence with the comments that stand at it."""

    def __init__(self, source, match):
        code = source.code
        self.source, self.line = source, source.line_of(match.start(match.lastindex))
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        self.arguments, self.last_line = code[match.end():end], source.line_of(end - 1)
        self.name = match[match.lastindex]
        begin = _object_begin(code, match.start()) if match[1] else match.start()
        self.text = " ".join(source.text[begin:end].split())
        self.member = (re.findall(r"\w+", code[begin:match.start()]) or [""])[-1]
        orders = {next(filter(None, m.groups())).lower() for m in ORDER_WORD.finditer(self.arguments)}
        in_name = ORDER_IN_NAME.search(self.name)
        orders |= {in_name[1]} if in_name else set()
        self.has_order = bool(orders) or re.search(r"\border\b", self.arguments)
        self.orders = orders - {"relaxed", "order"}

    @property
    def releases(self):
        return bool(self.orders & RELEASES)

    @property
    def acquires(self):
        return bool(self.orders & ACQUIRES)

    @functools.cached_property
    def own_comment(self):
        """What stands on the lines of its statement, or beside the brace that closes behind it."""
        code, line = self.source.code_lines, self.line
        text = []
        while line <= len(code):
            text.append(self.source.comments.get(line, ""))
            ended = line >= self.last_line and re.search(r"[;{}]\s*$", code[line - 1])
            line += 1
            if ended and not (line <= len(code) and code[line - 1].strip() == "}"):
                break
        return " ".join(text)

    def comment(self, wanted, beside_code=False):
        """Its own comment, or else the nearest block above, past at most 3 lines of code, that holds `wanted`."""
        if re.search(wanted, self.own_comment):
            return self.own_comment
        comments, code = self.source.comments, self.source.code_lines
        line, passed = self.line - 1, 0
        while line > 0 and passed <= 3:
            block = []
            while line in comments and not code[line - 1].strip():
                block.insert(0, comments[line].lstrip("/* "))
                line -= 1
            if beside_code:
                block.append(comments.get(line, ""))
            if re.search(wanted, " ".join(block)):
                return " ".join(block)
            line, passed = line - 1, passed + 1
        return ""

    @functools.cached_property
    def tags(self):
        """[(tag, side named in the comment, explanation)]"""
        comment = " ".join(self.comment(TAG).replace("//", " ").split())
        found = list(TAG.finditer(comment))
        ends = [m.start() for m in found[1:]] + [len(comment)]
        return [(m[1], m[2], comment[m.start(2):end].strip()) for m, end in zip(found, ends)]


def operations(tree):
    """Those of the product; in a wrapper that has the order in its name, the callers stand for the body."""
    for source in tree.under("harness/", "workloads/", "runtimes/", suffixes=CPP):
        wrappers = [(first, last) for name, first, last in functions(source) if ORDER_IN_NAME.search(name)]
        for match in OPERATION.finditer(source.code):
            operation = Operation(source, match)
            if not any(first <= operation.line <= last for first, last in wrappers):
                yield operation


def tagged(tree):
    """{tag: [(operation, side, explanation)]}"""
    tags = {}
    for operation in operations(tree):
        for tag, side, explanation in operation.tags if operation.orders else []:
            tags.setdefault(tag, []).append((operation, side, explanation))
    return dict(sorted(tags.items()))


@rule("orders")
def check_orders(tree):
    """A non-relaxed atomic operation carries ORDER(tag): side, partner, what breaks without; relaxed says why."""
    for op in operations(tree):
        where = op.source.path, op.line
        if op.orders and not op.tags:
            yield *where, (f"`{op.text}` has no ORDER(tag) comment on its line or within 3 lines above; write "
                           "`// ORDER(lib.thing) release|acquire: ... pairs with ... without it ...`")
        elif library_of(op.source.path) and not op.has_order:
            yield *where, f"`{op.text}` takes the default order; name the order that the protocol needs"
        elif op.has_order and not op.orders and library_of(op.source.path) and not _is_justified(tree, op):
            yield *where, f"`{op.text}` is relaxed without a reason; add half a line: `// relaxed: single writer`"


def _is_justified(tree, op):
    """A comment at the operation, or one of the library about all of the member: `relaxed: ..., as all of seen`."""
    if op.comment(r"\w") or op.comment(r"\brelaxed\b", beside_code=True):
        return True
    about = re.compile(rf"\brelaxed\b.*\b{re.escape(op.member or '?')}\b")
    library = tree.under(f"runtimes/{library_of(op.source.path)}/", suffixes=CPP)
    return any(about.search(comment + source.comments.get(line + 1, ""))
               for source in library for line, comment in source.comments.items())


@rule("order-tags")
def check_order_tags(tree):
    """A tag is named lib.thing, belongs to one library, and has both sides (or the kernel is the other)."""
    for tag, sites in tagged(tree).items():
        first = sites[0][0].source.path, sites[0][0].line
        if not TAG_NAME.fullmatch(tag):
            yield *first, f"ORDER({tag}) is not named lib.thing in lower case; rename it as in ORDER(hb.park)"
        folders = sorted({library_of(op.source.path) or op.source.path.split("/")[0] for op, _, _ in sites})
        if len(folders) > 1:
            yield *first, f"ORDER({tag}) is used in {' and '.join(folders)}; a tag names one protocol: rename one"
        for op, side, _ in sites:
            if (side in RELEASES and not op.releases) or (side in ACQUIRES and not op.acquires):
                yield op.source.path, op.line, f"ORDER({tag}) says {side}, but `{op.text}` does not: mend one"
        kernel = any("kernel" in explanation for _, _, explanation in sites)
        if not kernel and not any(op.releases for op, _, _ in sites):
            yield *first, f"ORDER({tag}) has no release side; tag the partner, or say that it is the kernel"
        if not kernel and not any(op.acquires for op, _, _ in sites):
            yield *first, f"ORDER({tag}) has no acquire side; tag the partner, or say that it is the kernel"


def orders_text(tree):
    """docs/ORDERS.md. Sites are named by file and statement, not by line, so that other edits leave it alone."""
    out = ["# Memory orders", "", "Every atomic operation that is not relaxed, by tag: both sides of each pair, and",
           "what breaks without it. Written by `scripts/lint.py --write` from the ORDER comments in the code.", ""]
    for tag, sites in tagged(tree).items():
        out += [f"## {tag}", ""]
        before = None
        for op, _, explanation in sites:
            out.append(f"- **{'/'.join(sorted(op.orders))}** `{op.source.path}`: `{op.text}`")
            out += [f"  {explanation}"] if explanation not in ("", before) else []
            before = explanation
        out.append("")
    return "\n".join(out).rstrip("\n") + "\n"


@rule("orders-page")
def check_orders_page(tree):
    """docs/ORDERS.md is what --write would write."""
    page = tree.sources.get("docs/ORDERS.md")
    if page is None or page.text != orders_text(tree):
        yield "docs/ORDERS.md", 1, "is not up to date; run scripts/lint.py --write"
