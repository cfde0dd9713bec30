"""README.md says what the raw results say, and the check notices when it does not."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ["BB_SOURCE_DIR"])


def check(root):
    script = str(root / "scripts" / "report.py")
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=60)


def test_the_readme_is_what_the_results_say():
    done = check(ROOT)
    assert done.returncode == 0, done.stderr


def test_a_figure_by_hand_is_noticed(tmp_path):
    for part in ("scripts/report.py", "README.md"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / part, tmp_path / part)
    shutil.copytree(ROOT / "results", tmp_path / "results")
    assert check(tmp_path).returncode == 0
    readme = tmp_path / "README.md"
    readme.write_text(readme.read_text().replace("| reached |", "| all well |", 1))
    done = check(tmp_path)
    assert done.returncode == 1 and "report.py" in done.stderr
