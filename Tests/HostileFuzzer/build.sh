#!/usr/bin/env bash
# Builds the fuzzer with the address sanitizer. It links libFuzzer's library without a main function,
# because the package manager renames the main function of an executable.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$(dirname "$(readlink -f "$(command -v swift)")")
library=$(ls "$tools"/../lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-x86_64.a)
DAYBOOK_FUZZ=1 swift build -c release --product hostile-fuzzer --build-path .build/fuzz \
  --sanitize=address -Xswiftc -parse-as-library -Xswiftc -use-ld=lld \
  -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
  -Xlinker "$library" -Xlinker -lstdc++
