"""The files that lint.py checks: their text, code without comments, includes and functions."""
import ast
import bisect
import functools
import os
import re
import subprocess
from pathlib import Path, PurePosixPath

CPP = {".cpp", ".hpp", ".h", ".cc", ".c"}
HEADERS = {".hpp", ".h"}
CODE = CPP | {".py", ".sh", ".cmake", ".rs"}
TOKEN = re.compile(  # comments, raw strings, strings, characters (a quote after a digit is a digit separator)
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<mark>[^(\s"]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)


def blanked(match):
    return re.sub(r"[^\n]", " ", match[0])


class Source:
    """One text file. `code` is its text with comments blanked and strings filled with `_`, of the same length."""

    def __init__(self, path, text):
        self.path, self.text, self.suffix = path, text, PurePosixPath(path).suffix
        self.is_script = not self.suffix and text.startswith("#!")
        self.is_code = self.suffix in CODE or self.is_script or path.endswith("CMakeLists.txt")

    @functools.cached_property
    def lines(self):
        return self.text.split("\n")

    @functools.cached_property
    def line_starts(self):
        return [0] + [m.end() for m in re.finditer("\n", self.text)]

    def line_of(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    @functools.cached_property
    def _split(self):
        code, comments, at = [], {}, 0
        for token in TOKEN.finditer(self.text):
            body = token.group()
            code.append(self.text[at:token.start()])
            at = token.end()
            if token["comment"]:
                code.append(blanked(token))
                for i, line in enumerate(body.split("\n"), self.line_of(token.start())):
                    comments[i] = comments.get(i, "") + line
            else:
                code.append(body[0] + re.sub(r"[^\n]", "_", body[1:-1]) + body[-1])
        return "".join(code) + self.text[at:], comments

    @property
    def code(self):
        return self._split[0] if self.suffix in CPP else self.text

    @property
    def comments(self):
        """C++ only: {line number: comment text on that line}."""
        return self._split[1]

    @functools.cached_property
    def code_lines(self):
        return self.code.split("\n")

    @functools.cached_property
    def includes(self):
        pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
        return [(self.line_of(m.start(1)), m[1], m[2]) for m in pattern.finditer(self.text)]


class Tree:
    def __init__(self, root):
        self.root = Path(root).resolve()
        self.sources = {}
        for path in sorted(self._paths()):
            try:
                self.sources[path] = Source(path, (self.root / path).read_bytes().decode())
            except (UnicodeDecodeError, OSError):  # a binary, or listed but deleted
                continue

    def _paths(self):
        """What git knows or would add; in a source archive without .git, every file outside build/."""
        if (self.root / ".git").exists():
            listed = subprocess.run(["git", "-C", self.root, "ls-files", "-zco", "--exclude-standard"],
                                    capture_output=True, check=False)
            if listed.returncode == 0:
                return set(os.fsdecode(listed.stdout).split("\0")) - {""}
        paths = set()
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__", ".pytest_cache")]
            paths |= {(Path(folder) / name).relative_to(self.root).as_posix() for name in names}
        return paths

    def under(self, *folders, suffixes=None):
        return [s for p, s in self.sources.items()
                if p.startswith(folders) and (suffixes is None or s.suffix in suffixes)]

    def written(self):
        """What people write: all but recorded data."""
        return [s for p, s in self.sources.items() if not p.startswith(("results/", "tests/data/"))]

    def resolve(self, source, target):
        """The file of the tree that `#include "target"` in `source` names, or None."""
        folder = PurePosixPath(source.path).parent
        for base in (folder, PurePosixPath("."), PurePosixPath("runtimes"), PurePosixPath("harness")):
            path = os.path.normpath(base / target)
            if path in self.sources:
                return path
        return None


def library_of(path):
    """runtimes/<name>/... is a library; its name, else None."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == "runtimes" else None


RULES = {}


def rule(name):
    def add(function):
        RULES[name] = function
        return function
    return add


CONTAINER = re.compile(r"^(?:(?:inline|export|static|constexpr|const|typedef)\s+)*"
                       r"(?:namespace|class|struct|union|enum)\b|^extern\s*\"_*\"$")
BODY = re.compile(r"\)\s*(?:(?:const|volatile|noexcept|override|final|mutable|try|&&?)\s*)*(?:(?:->|requires\b).*)?$"
                  r"|\)\s*(?:noexcept\s*)?:.*\}$", re.S)


def _head_kind(head):
    head = re.sub(r"\[\[.*?\]\]", "", head, flags=re.S).strip()
    while head.startswith("template"):
        depth, i = 0, head.find("<")
        while i < len(head):
            depth += {"<": 1, ">": -1}.get(head[i], 0)
            i += 1
            if depth == 0:
                break
        head = head[i:].strip()
        head = re.sub(r"^requires\s+[\w:]+(?:<[^<>]*>)?\s+(?=\w)", "", head)
    if CONTAINER.match(head) and not head.endswith(")"):
        return "container"
    return "function" if BODY.search(head) and not re.search(r"\bconcept\b", head) else "other"


def functions(source):
    """[(name, first line, last line)] by matching braces: the outermost blocks that follow a parameter list."""
    if source.suffix == ".py":
        try:
            nodes = ast.walk(ast.parse(source.text))
        except SyntaxError:  # its own tests say so better
            return []
        return [(n.name, n.lineno, n.end_lineno) for n in nodes
                if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.)*", blanked, source.code, flags=re.M | re.S)
    found, stack, begin, parentheses = [], [], 0, 0
    for match in re.finditer(r"[(){};]", code):
        mark, at = match[0], match.start()
        if mark in "()":
            parentheses += 1 if mark == "(" else -1
        elif mark == "{":
            outer = all(kind == "container" for kind, _, _ in stack) and parentheses == 0
            stack.append((_head_kind(code[begin:at]) if outer else "inner", begin, parentheses))
            if stack[-1][0] != "other":
                begin = at + 1
            parentheses = 0
        elif mark == "}" and stack:
            kind, head, parentheses = stack.pop()
            if kind == "function":
                first = head + len(code[head:]) - len(code[head:].lstrip())
                name = re.search(r"([\w:~]*operator\W+?|[\w:~]+)\s*\(", code[head:at])
                found.append((name[1] if name else "?", source.line_of(first), source.line_of(at)))
            if kind != "other":
                begin = at + 1
        elif mark == ";" and parentheses == 0:
            begin = at + 1
    return found
