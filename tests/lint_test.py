"""Each rule of scripts/lint.py finds what is planted and passes what is clean."""
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

import lint  # noqa: E402
import lint_orders  # noqa: E402
import lint_tree  # noqa: E402


@pytest.fixture(name="found")
def fixture_found(tmp_path):
    """found(rule, {path: text}) -> ["path:line message", ...] in a tree of only these files."""
    def find(rule, files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return [f"{path}:{line} {message}" for path, line, message in lint.RULES[rule](lint_tree.Tree(tmp_path))]
    return find


def include(*targets):
    return "#pragma once\n" + "".join(f'#include "{t}"\n' for t in targets)


STORE = "x.store(1, std::memory_order_release);\n"
LOAD = "y = x.load(std::memory_order_acquire);\n"
LIBRARY = "runtimes/lib/a.hpp"
MARK, WORK = "TO" + "DO", "/wo" + "rk/main"
PAIR = "// ORDER(lib.share) release: x\n" + STORE + "// ORDER(lib.share) acquire: y\n" + LOAD

# rule, files, where it is found ("path:line"), a word of the message
PLANTED = [
    ("layers", {"harness/trial.hpp": include("plan.hpp"), "harness/plan.hpp": ""}, "harness/trial.hpp:2", "plan"),
    ("layers", {"harness/row.cpp": include("harness/help.hpp"), "harness/help.hpp": include("harness/cli.hpp"),
                "harness/cli.hpp": ""}, "harness/row.cpp:2", "through harness/help.hpp"),
    ("layers", {"workloads/a.hpp": include("harness/row.hpp"), "harness/row.hpp": ""}, "workloads/a.hpp:2", "workload"),
    ("layers", {LIBRARY: include("harness/error.hpp")}, LIBRARY + ":2", "adapter"),
    ("layers", {LIBRARY: include("../../workloads/all.hpp"), "workloads/all.hpp": ""}, LIBRARY + ":2", "adapter"),
    ("layers", {"harness/a.cpp": include("heartbeat/pool.hpp"), "runtimes/heartbeat/pool.hpp": ""},
     "harness/a.cpp:2", "runtime"),
    ("layers", {"harness/a.cpp": "#include <tbb/tbb.h>\n"}, "harness/a.cpp:1", "runtime"),
    ("layers", {"harness/a.hpp": include("b.hpp"), "harness/b.hpp": include("a.hpp")}, "harness/a.hpp:1", "itself"),
    ("lists", {"runtimes/tbb.cpp": "", "runtimes/CMakeLists.txt": "# bb_runtime(tbb)\n"}, "runtimes/tbb.cpp:1",
     "bb_runtime(tbb"),
    ("lists", {"workloads/tree.hpp": "", "workloads/all.hpp": '// #include "tree.hpp"\n'}, "workloads/tree.hpp:1",
     "all.hpp"),
    ("orders", {LIBRARY: "int a;\n" + STORE}, LIBRARY + ":2", "ORDER"),
    ("orders", {LIBRARY: "// ORDER(l.x) release\n;\n;\n;\n;\n" + STORE}, LIBRARY + ":6", "ORDER"),
    ("orders", {LIBRARY: "std::atomic_thread_fence(std::memory_order::seq_cst);\n"}, LIBRARY + ":1", "ORDER"),
    ("orders", {LIBRARY: "x.store_release(1);\n"}, LIBRARY + ":1", "ORDER"),
    ("orders", {LIBRARY: "ok = x.compare_exchange_weak(\n    a, b,\n    std::memory_order_acq_rel);\n"}, LIBRARY + ":1",
     "ORDER"),
    ("orders", {LIBRARY: "y = x->load();\n"}, LIBRARY + ":1", "default order"),
    ("orders", {LIBRARY: "y = x.load(std::memory_order_relaxed);\n"}, LIBRARY + ":1", "relaxed"),
    ("orders", {LIBRARY: "// relaxed: counter\n" + ";\n" * 9 + "n.store_relaxed(1);\n"}, LIBRARY + ":11",
     "n.store_relaxed(1)"),
    ("orders", {LIBRARY: "f(a, b->c[1].store_relaxed(2));\n"}, LIBRARY + ":1", "`b->c[1].store_relaxed(2)`"),
    ("orders", {"harness/a.cpp": STORE}, "harness/a.cpp:1", "ORDER"),
    ("order-tags", {LIBRARY: PAIR.replace("lib.share", "share")}, LIBRARY + ":2", "lib.thing"),
    ("order-tags", {LIBRARY: "// ORDER(l.x) release: a\n" + STORE}, LIBRARY + ":2", "no acquire side"),
    ("order-tags", {LIBRARY: "// ORDER(l.x) acquire: a\n" + LOAD}, LIBRARY + ":2", "no release side"),
    ("order-tags", {LIBRARY: PAIR.replace("release: x", "acquire: x")}, LIBRARY + ":2", "says acquire"),
    ("order-tags", {LIBRARY: PAIR, "runtimes/other/a.hpp": PAIR}, LIBRARY + ":2", "lib and other"),
    ("orders-page", {LIBRARY: PAIR, "docs/ORDERS.md": "# Memory orders\n"}, "docs/ORDERS.md:1", "--write"),
    ("orders-page", {LIBRARY: PAIR}, "docs/ORDERS.md:1", "--write"),
    ("sizes", {"harness/a.cpp": "int a;\n" * 501}, "harness/a.cpp:1", "501 lines"),
    ("sizes", {"harness/a.cpp": "\nint long_one(int x) {\n" + "  ++x;\n" * 59 + "}\n"}, "harness/a.cpp:2", "long_one"),
    ("sizes", {"scripts/a.py": "def f():\n" + "    pass\n" * 60}, "scripts/a.py:1", "f is 61 lines"),
    ("sizes", {"scripts/run": "#!/bin/sh\n" + "a" * 121 + "\n"}, "scripts/run:2", "121 columns"),
    ("comments", {LIBRARY: "int a;\n" * 199 + "// why\n"}, "runtimes/lib:1", "contracts"),
    ("comments", {LIBRARY: "int a;  // what\n" * 200}, "runtimes/lib:1", "100%"),
    ("words", {"README.md": f"{MARK}: write\n"}, "README.md:1", "issue"),
    ("words", {"docs/a.md": f"see {WORK}\n"}, "docs/a.md:1", "path of one machine"),
    ("words", {"results/a.json": f'{{"path": "{WORK}"}}\n'}, "results/a.json:1", "path of one machine"),
    ("words", {"runtimes/threads.cpp": "\nstd::condition_variable wake;\n"}, "runtimes/threads.cpp:2", "futex"),
    ("words", {"harness/a.cpp": 'std::set' 'locale(LC_ALL, "");\n'}, "harness/a.cpp:1", "to_chars"),
    ("words", {"harness/primitives.hpp": "virtual void f();\n"}, "harness/primitives.hpp:1", "concepts"),
    ("shape", {"harness/a.hpp": "// #pragma once\n"}, "harness/a.hpp:1", "pragma once"),
    ("shape", {"harness/a.cpp": "int a;"}, "harness/a.cpp:1", "newline"),
    ("shape", {"harness/a.cpp": "int a;\n\n"}, "harness/a.cpp:3", "newline"),
    ("shape", {"scripts/a.py": "if 1:\n\tpass\n"}, "scripts/a.py:2", "tab"),
    ("markdown", {"README.md": "no title\n"}, "README.md:1", "0 titles"),
    ("markdown", {"README.md": "# One\n# Two\n"}, "README.md:1", "2 titles"),
    ("markdown", {"docs/a.md": "# A\n\n[b](../b.md#part)\n"}, "docs/a.md:3", "../b.md"),
    ("markdown", {"docs/a.md": '# A\n<img src="a.svg">\n'}, "docs/a.md:2", "a.svg"),
    ("test-names", {"tests/unit/pool.cpp": ""}, "tests/unit/pool.cpp:1", "pool_test.cpp"),
    ("test-names", {"tests/stress/pool_test.cpp": ""}, "tests/stress/pool_test.cpp:1", "stress"),
    ("test-names", {"tests/pool_test.cpp": ""}, "tests/pool_test.cpp:1", "folders"),
    ("test-names", {"tests/lint_tests.py": ""}, "tests/lint_tests.py:1", "lint_tests_test.py"),
]

CLEAN = [
    ("layers", {"harness/main.cpp": include("harness/cli.hpp"), "harness/cli.hpp": include("harness/trial.hpp"),
                "harness/trial.hpp": include("harness/error.hpp", "row.hpp"), "harness/error.hpp": "",
                "harness/row.hpp": include("workloads/all.hpp"), "workloads/all.hpp": include("tree.hpp"),
                "workloads/tree.hpp": include("harness/primitives.hpp"), "harness/primitives.hpp": "",
                "harness/trial_child.cpp": include("harness/trial.hpp"),
                "runtimes/tbb.cpp": "#include <tbb/tbb.h>\n" + include("harness/row.hpp", "heartbeat/pool.hpp"),
                "runtimes/heartbeat/pool.hpp": include("heartbeat/entry.hpp"), "runtimes/heartbeat/entry.hpp": ""}),
    ("lists", {"runtimes/tbb.cpp": "", "runtimes/template.cpp": "", "runtimes/lib/pool.cpp": "",
               "runtimes/CMakeLists.txt": "bb_runtime(tbb FIND TBB)\nadd_library(t OBJECT template.cpp)\n",
               "workloads/tree.hpp": "", "workloads/all.hpp": '#include "workloads/tree.hpp"\n'}),
    ("orders", {LIBRARY: PAIR + "y = x.load(std::memory_order_relaxed);  // relaxed: counter\n"
                + "// a story\n// ORDER(l.y) acquire: one line\n// and many\n// more\n// of it\nif (a &&\n    "
                + LOAD + "// " + STORE + 'f("' + STORE.strip() + '");\n'
                + "// ORDER(l.y) release: a\nx.store_release(1);\n"
                + "T load_acquire() { return x.load(std::memory_order_acquire); }\n"}),
    ("orders", {LIBRARY: "void f() {\n  x.store_release(1);\n}  // ORDER(l.x) release: a\n"
                "return x.load_relaxed() <\n    y.load_relaxed();  // relaxed: a hint\n"
                "z.store_relaxed(1);  // relaxed: a heuristic, as all of n\n;\n;\n;\n;\nn.store_relaxed(0);\n"}),
    ("orders", {"harness/a.cpp": "y = topology.load(path);\n", "tests/unit/a_test.cpp": STORE}),
    ("order-tags", {LIBRARY: PAIR}),
    ("order-tags", {LIBRARY: "// ORDER(l.cq) acquire: pairs with the kernel's store of the tail\n" + LOAD}),
    ("order-tags", {LIBRARY: "// ORDER(l.x) both sides\nx.exchange(1, std::memory_order_acq_rel);\n"}),
    ("sizes", {"harness/a.cpp": "int f() {\n" + "  g();\n" * 58 + "}\n" + "// " + "x" * 117 + "\n",
               "tests/data/long.txt": "x" * 500, "README.md": "x" * 500}),
    ("comments", {LIBRARY: "int a;\n" * 160 + "// why\n" * 40, "runtimes/small/a.hpp": "int a;\n"}),
    ("words", {"runtimes/threads.cpp": "// not std::condition_variable\nint virtual_cpus;\n",
               "docs/a.md": "mkstemp XXXXXX\n",
               "tests/unit/a_test.cpp": 'std::set' 'locale(LC_ALL, "");\n', "a.sh": f"cd ..{WORK} $root{WORK}\n"}),
    ("shape", {"harness/a.hpp": "// what\n#pragma once\nint a;\n", "empty.txt": ""}),
    ("markdown", {"README.md": "# Title\n\n## Part\n\n```\n# comment\n[x](nowhere)\n```\n[a](docs/a.md#x) `[b](c)`\n"
                  "[web](https://example.org) [part](#part)\n", "docs/a.md": "# A\n[up](../README.md)\n"}),
    ("test-names", {"tests/unit/a_test.cpp": "", "tests/stress/a_stress.cpp": "", "tests/unit/help.hpp": "",
                    "tests/faults/crash.cpp": "", "tests/lint_test.py": "", "tests/conftest.py": "",
                    "tests/data/make.py": ""}),
]


@pytest.mark.parametrize("rule, files, where, word", PLANTED)
def test_finds(found, rule, files, where, word):
    findings = found(rule, files)
    assert any(f.startswith(where + " ") and word in f for f in findings), findings


@pytest.mark.parametrize("rule, files", CLEAN)
def test_passes(found, rule, files):
    assert found(rule, files) == []


def test_every_rule_has_both():
    assert {p[0] for p in PLANTED} == set(lint.RULES)
    assert {p[0] for p in CLEAN} | {"orders-page"} == set(lint.RULES)


def test_page_as_written_passes(tmp_path, found):
    found("orders-page", {LIBRARY: PAIR})
    page = lint_orders.orders_text(lint_tree.Tree(tmp_path))
    assert "## lib.share" in page and "`x.store(1, std::memory_order_release)`" in page
    assert found("orders-page", {"docs/ORDERS.md": page}) == []
    assert found("orders-page", {LIBRARY: "int moved_down;\n" + PAIR}) == []


def test_ratchet_holds_and_comes_down(found, monkeypatch):
    monkeypatch.setitem(lint.LONG_FILES, "harness/a.cpp", 600)
    assert found("sizes", {"harness/a.cpp": "int a;\n" * 600}) == []
    assert "600 are allowed" in found("sizes", {"harness/a.cpp": "int a;\n" * 601})[0]
    assert "lower its entry" in found("sizes", {"harness/a.cpp": "int a;\n" * 590})[0]


def test_host_name_in_results(found, monkeypatch):
    monkeypatch.setattr(lint.socket, "gethostname", lambda: "buildbox.example.org")
    assert "host name" in found("words", {"results/a.json": '{"host": "buildbox"}\n'})[0]


FUNCTIONS = """
#define LONG_MACRO(x) \\
  void x() {          \\
  }
namespace a::b {
struct alignas(64) worker : base<int> {
  explicit worker(int n) : n_{n}, m_(n) { start(); }
  bool operator==(const worker&) const = default;
  template <class T>
    requires std::integral<T>
  auto get(T x) const noexcept -> int {
    for (int i = 0; i < 3; ++i) { f([&] { return i; }); }
    return 1'000;
  }
  int n_{0};
};
constexpr int table[] = {1, 2};
extern "C" {
int plain(struct stat* s) {
  char c = '{'; const char* t = "}{"; /* } */  // }
  return R"(})"[0];
}
}
}
TEST(suite, name) {
}
"""


def test_functions_are_found(tmp_path):
    source = lint_tree.Source("a.cpp", FUNCTIONS)
    assert [(name, last - first + 1) for name, first, last in lint_tree.functions(source)] == [
        ("worker", 1), ("get", 6), ("plain", 4), ("TEST", 2)]


def test_git_decides_which_files_count(tmp_path):
    def git(*arguments):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True)
    git("init")
    (tmp_path / ".gitignore").write_text("/ignored.md\n")
    for name in ("ignored.md", "new.md", "gone.md"):
        (tmp_path / name).write_text("x\n")
    git("add", ".")
    (tmp_path / "gone.md").unlink()
    assert set(lint_tree.Tree(tmp_path).sources) == {".gitignore", "new.md"}


def test_program_says_where_and_fails(tmp_path):
    (tmp_path / "a.md").write_text("no title\n")
    run = subprocess.run([sys.executable, SCRIPTS / "lint.py", "--root", tmp_path, "--rule", "markdown"],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stdout.startswith("a.md:1: 0 titles")
    (tmp_path / "a.md").write_text("# Title\n")
    run = subprocess.run([sys.executable, SCRIPTS / "lint.py", "--root", tmp_path, "--write"],
                         capture_output=True, text=True, check=False)
    assert (run.returncode, (tmp_path / "docs/ORDERS.md").exists()) == (0, True), run.stdout
