#!/usr/bin/env python3
"""Makes mistakes in the journal and in the store, one at a time, and asks the test suite which of them it finds.

    Tests/Sabotage/sabotage.py               every mistake
    Tests/Sabotage/sabotage.py --store       those in the store alone; --journal, --lists: other parts
    Tests/Sabotage/sabotage.py clock salt    those whose name contains one of the words
    Tests/Sabotage/sabotage.py --list        their names
    Tests/Sabotage/sabotage.py --check       whether each still applies to the sources; builds nothing

Each mistake is made in a copy of the sources below a temporary directory, built, and the tests of the module that it is
in are run, at the counts of a debug build, until the first one fails. What is printed is a row of the table in README.md:
the mistake, the test that caught it, and the seconds from the start of the tests until then. A mistake that does not
apply to the sources any more, or does not compile, is an error: it has to be brought up to date. Exits with 1 if a
mistake survives, or if one does not apply.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import list_mistakes
import mistakes
import store_mistakes

# By the word that chooses it: the tests that are run for each list, and the list.
LISTS = {
    "--journal": ("DaybookPlatformTests|DaybookJournalTests", mistakes.MISTAKES),
    "--store": ("DaybookStoreTests", store_mistakes.MISTAKES),
    "--lists": ("DaybookResultsTests|DaybookTests", list_mistakes.MISTAKES),
}
LIMIT_SECONDS = 600


class Misfit(Exception):
    """A mistake that does not apply to the sources any more."""


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
    raise Misfit(f"there is no file {name}")


def edited(root, edits):
    """What the files hold before and after the edits, by path."""
    before, after = {}, {}
    for name, old, new in edits:
        path = find(root, name)
        if path not in before:
            with open(path, encoding="utf-8") as file:
                before[path] = after[path] = file.read()
        if old not in after[path]:
            raise Misfit(f"{name} does not contain:\n{old}")
        after[path] = after[path].replace(old, new)
    return before, after


def write(texts):
    for path, text in texts.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def build(root):
    result = subprocess.run(
        ["swift", "build", "--build-tests"], cwd=root, capture_output=True, text=True)
    return result.returncode == 0, result.stdout + result.stderr


def first_failure(root, tests):
    """The first test that fails, and after how many seconds; None for the test if all pass."""
    start = time.time()
    process = subprocess.Popen(
        ["swift", "test", "--skip-build", "--filter", tests],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    # A test that waits for ever says nothing, so that reading its output cannot notice it.
    limit = threading.Timer(LIMIT_SECONDS, end, [process])
    limit.start()
    try:
        for line in process.stdout:
            seconds = time.time() - start
            found = re.search(r'✘ Test "(.+)" (?:with|recorded|failed)', line)
            if found:
                return found.group(1), seconds
            stopped = re.search(r'.*(?:Precondition failed|Fatal error): (.*)', line)
            if stopped:
                return "a precondition: " + stopped.group(1)[:60].rstrip(), seconds
        seconds = time.time() - start
        if seconds > LIMIT_SECONDS:
            return "no end within the limit", seconds
        return ("the suite ended with an error" if process.wait() != 0 else None), seconds
    finally:
        limit.cancel()
        end(process)
        process.wait()


def end(process):
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass


def check(chosen):
    """Says of each mistake that does not apply to the sources why not."""
    misfits = 0
    for _, name, edits in chosen:
        try:
            edited(ROOT, edits)
        except Misfit as misfit:
            misfits += 1
            print(f"{name}: {misfit}")
    print(f"{len(chosen) - misfits} of {len(chosen)} mistakes apply.")
    return 1 if misfits else 0


def run(chosen):
    """Makes each mistake, and prints who catches it."""
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="sabotage-") as root:
        copy_sources(root)
        # Warnings are errors in the package; what a mistake leaves unused is beside the point here.
        manifest = os.path.join(root, "Package.swift")
        text = open(manifest).read().replace(".treatAllWarnings(as: .error),", "")
        open(manifest, "w").write(text)
        print("| mistake | caught by | after |\n| ------- | --------- | ----- |", flush=True)
        for tests, name, edits in chosen:
            try:
                before, after = edited(root, edits)
            except Misfit as misfit:
                raise SystemExit(f"{name}: {misfit}")
            write(after)
            built, output = build(root)
            if not built:
                errors = [line for line in output.splitlines() if "error:" in line]
                raise SystemExit(f"{name}: does not compile: {errors[:3]}")
            test, seconds = first_failure(root, tests)
            if test is None:
                survivors += 1
                print(f"| {name} | **nobody** | {seconds:.1f} s |", flush=True)
            else:
                print(f"| {name} | `{test}` | {seconds:.1f} s |", flush=True)
            write(before)
    print(f"\n{len(chosen) - survivors} of {len(chosen)} mistakes were caught.")
    return 1 if survivors else 0


def main():
    unknown = [
        word for word in sys.argv[1:]
        if word.startswith("-") and word not in [*LISTS, "--list", "--check"]]
    if unknown:
        print(f"usage: sabotage.py [{'] ['.join(LISTS)}] [--list] [--check] [WORD ...]")
        return 0 if unknown[0] in ("-h", "--help") else 2
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    keys = [key for key in LISTS if key in sys.argv] or list(LISTS)
    chosen = [
        (LISTS[key][0], name, edits) for key in keys for name, edits in LISTS[key][1]
        if not words or any(word in name for word in words)]
    if "--list" in sys.argv:
        print("\n".join(name for _, name, _ in chosen))
        return 0
    return check(chosen) if "--check" in sys.argv else run(chosen)


if __name__ == "__main__":
    sys.exit(main())
