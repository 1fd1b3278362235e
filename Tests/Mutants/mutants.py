#!/usr/bin/env python3
"""Applies mutants, deliberate faults in the sources, one at a time, and runs the tests that must fail.

    mutants.py                      runs every mutant; this takes hours
    mutants.py WORD ...             runs the mutants whose path or name contains one of the words: Journal, clock
    mutants.py --changed-since REV  runs the mutants of files that the commits after a revision changed; all mutants
                                    if these commits changed no file of a mutant
    mutants.py --minutes MINUTES    runs mutants of one folder in random order, and starts none after this time
    mutants.py --random COUNT       runs at most this number of mutants of one folder, in random order
    mutants.py --seed SEED          with --minutes or --random: uses the same order again
    mutants.py --list               prints a table of the mutants and of the tests that caught them
    mutants.py --check              checks that each patch applies to the sources; builds nothing
    mutants.py --refresh            rewrites the patches whose surroundings have changed

A mutant is applied to a copy of the sources in a temporary directory, which is built with the tests of the mutant's
folder. Those run, with the counts of a debug build, until the first one fails. Prints one row for each mutant: its
name, the test that caught it, and the seconds from the start of the tests until then.

Exits with 1 if a mutant survives, and with 2 if a patch does not apply or a mutant does not compile, or if the
arguments are wrong.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPIED = ("Package.swift", "Sources", "Tests", "Journal", "README.md")

# The test targets that run for the mutants of a folder.
TARGETS = {
    "Journal": ["DaybookPlatformTests", "DaybookJournalTests"],
    "Store": ["DaybookStoreTests", "DaybookTextTests"],
    "Lists": ["DaybookResultsTests", "DaybookTests"],
}

# What ended the process, where no test failed.
NO_TEST = ("a precondition:", "the suite ")

# A mutant that makes a test wait for ever counts as caught after this time.
LIMIT_SECONDS = 600


class Mutant:
    """One patch, with the name in its first line and the test that caught it last in its second."""

    def __init__(self, path):
        self.path = path
        self.folder = path.parent.name
        self.text = path.read_text(encoding="utf-8")
        self.name = self.field("Mutant")
        self.catcher = self.field("Caught by")
        if self.name is None:
            raise SystemExit(f"{path.relative_to(ROOT)}: the first line must be 'Mutant: NAME'")

    def field(self, key):
        found = re.search(rf"^{key}: (.+)$", self.text.split("\n--- ")[0], re.MULTILINE)
        return found.group(1) if found else None

    def files(self):
        return re.findall(r"^\+\+\+ b/(.+)$", self.text, re.MULTILINE)

    def apply(self, root, *options):
        """Applies the patch below a directory. Returns what git says if that fails, and nothing otherwise."""
        # One line of context on each side is enough, so that a patch survives edits nearby.
        result = subprocess.run(
            ["git", "apply", "-C1", *options, str(self.path)], cwd=root, capture_output=True, text=True,
            # A directory inside another repository is treated as if it were in none.
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(Path(root).parent)})
        return result.stderr.strip() if result.returncode != 0 else ""


def mutants():
    found = [Mutant(path) for path in sorted(HERE.glob("*/*.patch"))]
    unknown = {mutant.folder for mutant in found} - set(TARGETS)
    if unknown:
        raise SystemExit(f"no tests are known for the folders {', '.join(sorted(unknown))}")
    return found


def table(chosen):
    print("| folder | mutant | caught by |\n| --- | --- | --- |")
    for mutant in chosen:
        print(f"| {mutant.folder} | {mutant.name} | {mutant.catcher or 'not recorded'} |")
    return 0


def test_names():
    """The names of all tests."""
    names = set()
    for path in (ROOT / "Tests").glob("**/*.swift"):
        text = path.read_text(encoding="utf-8")
        names.update(re.findall(r"\bfunc\s+`([^`]+)`", text))
        names.update(re.findall(r"@Test\b[^\n]*\bfunc\s+(\w+)", text))
    return names


def check(chosen):
    defects = 0
    names = test_names()
    for mutant in chosen:
        problem = mutant.apply(ROOT, "--check")
        if problem:
            defects += 1
            print(f"{mutant.path.relative_to(ROOT)} does not apply:\n{problem}")
        elif mutant.catcher and not mutant.catcher.startswith(NO_TEST) and mutant.catcher not in names:
            defects += 1
            print(f"{mutant.path.relative_to(ROOT)}: no test is named '{mutant.catcher}'.")
    print(f"{len(chosen) - defects} of {len(chosen)} mutants apply.")
    return 2 if defects else 0


def refresh(chosen):
    """Rewrites each patch with the lines that surround it in the sources."""
    rewritten = 0
    with tempfile.TemporaryDirectory(prefix="daybook-mutants-") as directory:
        root = Path(directory)
        for mutant in chosen:
            for side in ("a", "b"):
                for file in mutant.files():
                    (root / side / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / file, root / side / file)
            problem = mutant.apply(root / "b")
            if problem:
                raise SystemExit(f"{mutant.path.relative_to(ROOT)} does not apply:\n{problem}")
            text = mutant.text[: mutant.text.index("\n--- ") + 1]
            for file in mutant.files():
                difference = subprocess.run(
                    ["diff", "-u", "--label", f"a/{file}", "--label", f"b/{file}", f"a/{file}", f"b/{file}"],
                    cwd=root, capture_output=True, text=True)
                text += difference.stdout
            if text != mutant.text:
                rewritten += 1
                mutant.path.write_text(text, encoding="utf-8")
    print(f"{rewritten} of {len(chosen)} patches rewritten.")
    return 0


def copy_sources(root):
    """Copies the package, with a manifest in which warnings are not errors."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name)
        else:
            shutil.copy(ROOT / name, root)
    manifest = root / "Package.swift"
    # A mutant may leave something unused.
    manifest.write_text(manifest.read_text().replace(".treatAllWarnings(as: .error),", ""))


def environment(folder):
    """The environment in which only the tests of a folder, and what they need, are in the package."""
    return {**os.environ, "DAYBOOK_TESTS": ",".join(TARGETS[folder])}


def build(root, folder):
    result = subprocess.run(
        ["swift", "build", "--build-tests"], cwd=root, env=environment(folder), capture_output=True, text=True)
    errors = [line for line in (result.stdout + result.stderr).splitlines() if "error:" in line]
    return "" if result.returncode == 0 else "\n".join(errors[:3]) or "the build failed"


def first_failure(root, folder):
    """Returns the first test that fails, or nothing if all pass, and the seconds until then."""
    start = time.monotonic()
    process = subprocess.Popen(
        ["stdbuf", "-oL", "swift", "test", "--skip-build"], cwd=root, env=environment(folder),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    # Reading the output does not end while a test waits for ever.
    limit = threading.Timer(LIMIT_SECONDS, end, [process])
    limit.start()
    try:
        for line in process.stdout:
            failed = re.search(r'✘ Test "(.+)" (?:with|recorded|failed)', line)
            trapped = re.search(r"(?:Precondition failed|Fatal error): (.*)", line)
            if failed or trapped:
                caught = failed.group(1) if failed else "a precondition: " + trapped.group(1)[:60].rstrip()
                return caught, time.monotonic() - start
        seconds = time.monotonic() - start
        if seconds > LIMIT_SECONDS:
            return "the time limit", seconds
        return ("the end of the test process" if process.wait() != 0 else ""), seconds
    finally:
        limit.cancel()
        end(process)
        process.wait()


def end(process):
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass


def changed_files(revision):
    """The files that differ between a revision and the sources in the working directory."""
    result = subprocess.run(
        ["git", "diff", "--name-only", revision, "--"], cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        print(f"git cannot compare the sources with '{revision}': {result.stderr.strip()}", file=sys.stderr)
        raise SystemExit(2)
    return set(result.stdout.splitlines())


def of_changed_files(chosen, revision):
    """The mutants of files that changed after a revision; all if there are none."""
    changed = changed_files(revision)
    found = [mutant for mutant in chosen if changed.intersection(mutant.files())]
    if not found:
        print(f"No file of a mutant changed since {revision}. All mutants can be chosen.")
    return found or chosen


def in_random_order(chosen, seed):
    """The mutants of a folder that is chosen at random, in random order."""
    print(f"The seed of the choice is {seed}.")
    generator = random.Random(seed)
    folder = generator.choice(sorted({mutant.folder for mutant in chosen}))
    of_folder = [mutant for mutant in chosen if mutant.folder == folder]
    return generator.sample(of_folder, len(of_folder))


def run(chosen, minutes=None):
    start = time.monotonic()
    caught_count = run_count = 0
    print("| mutant | caught by | after |\n| --- | --- | --- |", flush=True)
    for folder in TARGETS:
        of_folder = [mutant for mutant in chosen if mutant.folder == folder]
        if not of_folder:
            continue
        with tempfile.TemporaryDirectory(prefix="daybook-mutants-") as directory:
            root = Path(directory)
            copy_sources(root)
            for mutant in of_folder:
                if minutes is not None and time.monotonic() - start > minutes * 60:
                    break
                problem = mutant.apply(root) or build(root, folder)
                if problem:
                    print(f"{mutant.path.relative_to(ROOT)}: {problem}")
                    return 2
                caught, seconds = first_failure(root, folder)
                run_count += 1
                caught_count += bool(caught)
                print(f"| {mutant.name} | {caught or '**no test**'} | {seconds:.0f} s |", flush=True)
                for file in mutant.files():
                    shutil.copyfile(ROOT / file, root / file)
    print(f"\n{caught_count} of {run_count} mutants were caught.")
    if run_count < len(chosen):
        print(f"{len(chosen) - run_count} more were chosen, and not started after {minutes} minutes.")
    return 1 if caught_count < run_count else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    for option in ("--list", "--check", "--refresh"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    for option in ("--random", "--seed"):
        parser.add_argument(option, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--changed-since", metavar="REV", help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [
        mutant for mutant in mutants()
        if not options.words
        or any(word in mutant.name or word in str(mutant.path.relative_to(HERE)) for word in options.words)
    ]
    if not chosen:
        parser.error(f"no mutant contains {' or '.join(options.words)}; --list prints all")
    if options.changed_since is not None:
        chosen = of_changed_files(chosen, options.changed_since)
    if options.list:
        return table(chosen)
    if options.check:
        return check(chosen)
    if options.refresh:
        return refresh(chosen)
    if options.random is not None or options.minutes is not None:
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
        chosen = in_random_order(chosen, seed)[:options.random]
    return run(chosen, options.minutes)


if __name__ == "__main__":
    sys.exit(main())
