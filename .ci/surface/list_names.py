#!/usr/bin/env python3
"""Lists the public types of Apple's frameworks, from the interface files and headers of an SDK.

    list_names.py SDK [MODULE=FOLDER ...] > names.txt

A folder contains the Swift sources of a module. Each line of the output is a module, a kind, a name and the number of
generic parameters. Only names are read.
"""
import pathlib
import re
import sys

MODULES = {
    "SwiftUI": ["SwiftUI", "CoreTransferable"], "SwiftUICore": ["SwiftUICore"],
    "UIKit": ["UIKit"], "SwiftData": ["SwiftData"], "CoreData": ["CoreData"],
    "Combine": ["Combine"], "Observation": ["Observation"], "Charts": ["Charts"],
    "RegexBuilder": ["RegexBuilder"], "Foundation": ["Foundation"],
}
TYPE = re.compile(
    r"^(?:@[\w.]+(?:\([^)]*\))? )*(?:nonisolated )?(?:public|open) (?:final |indirect )?"
    r"(struct|class|enum|protocol|actor|typealias) (\w+)(<.*)?")
CLASS = re.compile(r"^@(interface|protocol) (\w+)\b(?!.*;\s*$)")
ENUM = re.compile(r"\b(?:NS_ENUM|NS_OPTIONS|NS_CLOSED_ENUM|NS_ERROR_ENUM)\((?:\w+, )?(\w+)\)")
TYPEDEF = re.compile(r"^typedef .*\b(\w+) NS_(?:TYPED|STRING|EXTENSIBLE)\w*ENUM")


def arity(parameters):
    """Returns the number of parameters in a list that starts with `<`."""
    depth, count = 0, 0
    for character in parameters or "":
        depth += {"<": 1, ">": -1}.get(character, 0)
        if depth == 1 and character in "<,":
            count += 1
        if depth == 0:
            break
    return count


def swift_types(path):
    for line in path.read_text(encoding="utf8").splitlines():
        if found := TYPE.match(line):
            yield found[1], found[2], arity(found[3])


def renames(folder):
    """Returns the Swift names that API notes give to types."""
    names = {}
    for path in folder.glob("*.apinotes"):
        name = None
        for line in path.read_text(encoding="utf8").splitlines():
            if found := re.match(r"- Name: *(\w+)", line):
                name = found[1]
            elif name and (found := re.match(r"  SwiftName: *'?([\w.]+)'?$", line)):
                names[name] = found[1]
    return names


def header_types(folder):
    swift_names = renames(folder)
    for path in sorted(folder.glob("**/*.h")):
        next_name = None
        for line in path.read_text(encoding="utf8", errors="replace").splitlines():
            if found := re.search(r"NS_SWIFT_NAME\((\w+)\)", line):
                next_name = found[1]
            kind, name = None, None
            if found := CLASS.match(line):
                kind, name = {"interface": "class", "protocol": "protocol"}[found[1]], found[2]
            elif found := ENUM.search(line):
                kind, name = "enum", found[1]
            elif found := TYPEDEF.match(line):
                kind, name = "struct", found[1]
            if not name:
                continue
            name, next_name = next_name or swift_names.get(name, name), None
            if "." not in name and not (kind == "class" and "(" in line.split(":")[0]):
                yield kind, name, 0


def main(root, *packages):
    root = pathlib.Path(root)
    found_types = {}

    def add(module, types):
        for kind, name, count in types:
            # A protocol is declared twice if older compilers do not know its parameters.
            if not name.startswith("_"):
                count = max(count, found_types.get((module, name), (kind, 0))[1])
                found_types[module, name] = (kind, count)

    for module, sources in MODULES.items():
        for source in sources:
            for pattern in (
                f"**/{source}.swiftmodule/arm64-apple-ios.swiftinterface",
                f"**/{source}.swiftmodule/arm64-apple-macos.swiftinterface",
            ):
                for path in root.glob(pattern):
                    add(module, swift_types(path))
            for folder in root.glob(f"**/{source}.framework/Headers"):
                add(module, header_types(folder))
    for package in packages:
        module, folder = package.split("=", 1)
        for path in pathlib.Path(folder).glob("**/*.swift"):
            add(module, swift_types(path))
    for (module, name), (kind, count) in sorted(found_types.items()):
        print(module, kind, name, count)


if __name__ == "__main__":
    main(*sys.argv[1:])
