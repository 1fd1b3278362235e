#!/usr/bin/env python3
"""Makes mistakes in the journal, one at a time, and asks the test suite which of them it finds.

    Tests/Sabotage/sabotage.py               every mistake
    Tests/Sabotage/sabotage.py clock salt    those whose name contains one of the words
    Tests/Sabotage/sabotage.py --list        their names

Each mistake is made in a copy of the sources below a temporary directory, built, and the suite is run,
at the counts of a debug build, until the first test fails. What is printed is a row of the table in README.md: the mistake,
the test that caught it, and the seconds from the start of the tests until then. A mistake that does not
apply to the sources any more, or does not compile, is an error: it has to be brought up to date. Exits
with 1 if a mistake survives.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
from mistakes import MISTAKES

LIMIT_SECONDS = 600


def copy_sources(target):
    for name in ("Package.swift", "Sources", "Tests", "Journal", "README.md"):
        source = os.path.join(ROOT, name)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(target, name))
        else:
            shutil.copy(source, target)


def find(root, name):
    for base, _, files in os.walk(os.path.join(root, "Sources")):
        if name in files:
            return os.path.join(base, name)
    raise SystemExit(f"there is no file {name}")


def apply(root, edits):
    """Makes the edits, and answers with what the files held before."""
    before = {}
    for name, old, new in edits:
        path = find(root, name)
        text = open(path, encoding="utf-8").read()
        before.setdefault(path, text)
        if text.count(old) < 1:
            raise SystemExit(f"{name} does not contain:\n{old}")
        open(path, "w", encoding="utf-8").write(text.replace(old, new))
    return before


def build(root):
    # A mistake may leave a name unused, which is no reason not to make it.
    result = subprocess.run(
        ["swift", "build", "--build-tests"], cwd=root, capture_output=True, text=True)
    return result.returncode == 0, result.stdout + result.stderr


def first_failure(root):
    """The first test that fails, and after how many seconds, or None."""
    start = time.time()
    process = subprocess.Popen(
        ["swift", "test", "--skip-build", "--filter", "DaybookJournalTests"],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    try:
        for line in process.stdout:
            seconds = time.time() - start
            found = re.search(r'✘ Test "(.+)" (?:with|recorded|failed)', line)
            if found:
                return found.group(1), seconds
            if "Precondition failed" in line or "Fatal error" in line:
                return "a precondition: " + line.strip().split(": ", 1)[-1][:80], seconds
            if seconds > LIMIT_SECONDS:
                return "no end within the limit", seconds
        if process.wait() != 0:
            return "the suite ended with an error", time.time() - start
        return None, time.time() - start
    finally:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    chosen = [m for m in MISTAKES if not words or any(word in m[0] for word in words)]
    if "--list" in sys.argv:
        print("\n".join(name for name, _ in chosen))
        return 0
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="sabotage-") as root:
        copy_sources(root)
        # Warnings are errors in the package; what a mistake leaves unused is beside the point here.
        manifest = os.path.join(root, "Package.swift")
        text = open(manifest).read().replace(".treatAllWarnings(as: .error),", "")
        open(manifest, "w").write(text)
        print("| mistake | caught by | after |\n| ------- | --------- | ----- |", flush=True)
        for name, edits in chosen:
            before = apply(root, edits)
            built, output = build(root)
            if not built:
                errors = [line for line in output.splitlines() if "error:" in line]
                raise SystemExit(f"{name}: does not compile: {errors[:3]}")
            test, seconds = first_failure(root)
            if test is None:
                survivors += 1
                print(f"| {name} | **nobody** | {seconds:.1f} s |", flush=True)
            else:
                print(f"| {name} | `{test}` | {seconds:.1f} s |", flush=True)
            for path, held in before.items():
                open(path, "w", encoding="utf-8").write(held)
    print(f"\n{len(chosen) - survivors} of {len(chosen)} mistakes were caught.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
