#!/usr/bin/env python3
"""Checks that each public type of `import Daybook` can be named beside the frameworks of an app.

Builds a stub module with the types of each framework in names.txt, and names each type of Daybook in a file that
imports all of them. Prints the names that Daybook shares with other packages, and checks the file with both that the
page on other libraries shows. Needs `swift build` before.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
EXPORTED = ["DaybookJournal", "DaybookStore", "DaybookResults", "Daybook"]
PACKAGES = ["GRDB", "SQLiteData", "FluentKit"]
# A file that imports both modules writes Daybook.Record and Daybook.Reference. Their pages say so.
ALLOWED = {"Record": "Combine", "Reference": "RegexBuilder"}
# Names that apps and frameworks use for their own types.
RESERVED = {"Subscription", "Subscriber", "Section", "Table", "Query", "Model"}


def run(*command, allowed=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def read_names():
    """Returns the types of each module: the kind and the number of generic parameters, by name."""
    modules = {}
    for line in (HERE / "names.txt").read_text(encoding="utf8").splitlines():
        if not line.startswith("#"):
            module, kind, name, count = line.split()
            modules.setdefault(module, {})[name] = (kind, int(count))
    return modules


def declaration(kind, name, count):
    """Returns a type without members."""
    parameters = ", ".join(f"T{index}" for index in range(count))
    if kind == "protocol":
        members = "".join(f" associatedtype T{index};" for index in range(count))
        return f"public protocol `{name}`{f'<{parameters}>' if count else ''} {{{members} }}"
    return f"public enum `{name}`{f'<{parameters}>' if count else ''} {{}}"


def build_stubs(modules, folder):
    for module, types in modules.items():
        source = folder / f"{module}.swift"
        lines = [declaration(kind, name, count) for name, (kind, count) in types.items()]
        source.write_text("\n".join(lines), encoding="utf8")
        run("swiftc", "-emit-module", "-parse-as-library", "-suppress-warnings", "-module-name", module,
            "-emit-module-path", folder / f"{module}.swiftmodule", source)


def public_types(modules, folder):
    """Returns the names of the public top-level types of Daybook."""
    target = json.loads(run("swiftc", "-print-target-info").stdout)["target"]["triple"]
    names = set()
    for module in EXPORTED:
        run("swift-symbolgraph-extract", "-module-name", module, "-target", target, "-I", modules,
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder)
        graph = json.loads((folder / f"{module}.symbols.json").read_text(encoding="utf8"))
        for symbol in graph["symbols"]:
            unavailable = any(item.get("isUnconditionallyUnavailable") for item in symbol.get("availability", []))
            if len(symbol["pathComponents"]) == 1 and symbol["kind"]["identifier"] in (
                "swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias", "swift.actor",
            ) and not unavailable:
                names.add(symbol["pathComponents"][0])
    return sorted(names)


def shown_file():
    """Returns the file of the page that imports Daybook and a different package."""
    page = (ROOT / "Sources/Daybook/Daybook.docc/ComingFrom.md").read_text(encoding="utf8")
    return page.split("### A file that imports both", 1)[1].split("```swift\n", 1)[1].split("```", 1)[0]


def main():
    built = ROOT / ".build/debug/Modules"
    if not (built / "Daybook.swiftmodule").exists():
        sys.exit(f"{built} has no module Daybook: run 'swift build' first")
    lists = read_names()
    frameworks = {module: types for module, types in lists.items() if module not in PACKAGES}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        build_stubs(lists, folder)
        names = public_types(built, folder)
        lines = [f"import {module}" for module in frameworks] + ["import Daybook"]
        uses = {len(lines) + place + 1: name for place, name in enumerate(names)}
        lines += [f"typealias Use{place} = {name}" for place, name in enumerate(names)]
        lines += [f"typealias Qualified{name} = Daybook.{name}" for name in ALLOWED]
        source = folder / "main.swift"
        source.write_text("\n".join(lines), encoding="utf8")
        # The stubs come first, so that they replace a framework of this system.
        done = run("swiftc", "-typecheck", "-diagnostic-style", "llvm", "-I", folder, "-I", built, source,
            allowed=(0, 1))
        both = folder / "both.swift"
        both.write_text(shown_file(), encoding="utf8")
        run("swiftc", "-typecheck", "-parse-as-library", "-I", folder, "-I", built, both)
    errors = {}
    for number, message in re.findall(r"main\.swift:(\d+):\d+: error: (.*)", done.stderr):
        errors[uses.get(int(number), f"line {number}")] = message
    status = 0
    for name in names:
        owners = [module for module, types in frameworks.items() if name in types]
        if name in RESERVED:
            print(f"{name} is a name for the types of apps")
            status = 1
        elif name in errors and [ALLOWED.get(name)] != owners:
            print(f"{name}: {errors[name]} {owners}")
            status = 1
        elif name not in errors and owners:
            print(f"{name} is in {owners}, and is not ambiguous: the stubs do not work")
            status = 1
    for name in errors.keys() - set(names):
        print(f"{name}: {errors[name]}")
        status = 1
    for package in PACKAGES:
        shared = [name for name in names if name in lists[package]]
        print(f"Shared with {package}: {', '.join(shared) or 'none'}.")
    print(f"{len(names)} public types beside {sum(map(len, frameworks.values()))} types of {len(frameworks)} modules.")
    sys.exit(status)


if __name__ == "__main__":
    main()
