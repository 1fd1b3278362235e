"""Reads a long result of a server in parts, and compares it with the output of the command."""

import json
import subprocess
import sys

journal = sys.argv[1]
server = subprocess.Popen(
    ["daybook", "serve", "--stdio", journal], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def call(name, arguments):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    line = server.stdout.readline()
    return json.loads(line)["result"], len(line.encode()) - len('{"jsonrpc":"2.0","id":1,"result":}\n')


for name, arguments, command in [
    ("log", {"journal": journal}, ["log", journal]),
    ("show", {"journal": journal, "entity": "Note", "format": "json"}, ["show", journal, "Note", "--format", "json"]),
    ("show", {"journal": journal, "entity": "Note", "format": "csv"}, ["show", journal, "Note", "--format", "csv"]),
]:
    text, cursor, count, longest = "", None, 0, 0
    while True:
        result, length = call(name, arguments if cursor is None else {**arguments, "cursor": cursor})
        text, count, longest = text + result["content"][0]["text"], count + 1, max(longest, length)
        cursor = result.get("_meta", {}).get("nextCursor")
        if cursor is None:
            break
    whole = subprocess.run(["daybook", *command], capture_output=True, text=True, check=True).stdout
    print(name, "same" if text == whole else "different", count, "parts", 60000 < longest <= 65536)

server.stdin.close()
print("exit", server.wait())
