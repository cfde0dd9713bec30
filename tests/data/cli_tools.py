"""How the tests of the program run it."""
import json
import os
import pathlib
import subprocess

BUILD = pathlib.Path(os.environ["BB_BINARY_DIR"])
BB = BUILD / "harness" / "bb"
FAULTY = BUILD / "tests" / "bb_faulty"


def quick(trials):
    return ["--workload", "tree", "--trials", str(trials), "--time", "4ms", "--warmup", "0", "--size", "1K",
            "--seed", "7"]


QUICK = quick(2)


def run(*arguments, program=BB, cwd=None, env=None, timeout=120, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BB_")} | (env or {})
    return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                          env=environment, timeout=timeout, **more)


def result_of(tmp_path, *arguments, program=BB, code=0):
    out = tmp_path / "out.json"
    done = run("--json", out, *arguments, program=program)
    assert done.returncode == code, done.stderr
    return json.loads(out.read_text()), done


def cells(result, **wanted):
    return [c for c in result["cells"] if all(c[k] == v for k, v in wanted.items())]


def start(*arguments, program=BB):
    return subprocess.Popen([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)
