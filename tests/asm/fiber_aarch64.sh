#!/bin/sh
# Compiles the switch for aarch64 and runs its check in an emulator: fiber_aarch64.sh CXX QEMU SOURCE BINARY FLAG
set -eu
program="$4/fiber_aarch64_asm$5"
"$1" -std=c++20 -Wall -Wextra -Werror "$5" -I"$3" "$3/tests/asm/fiber_aarch64_asm.cpp" \
  "$3/runtimes/fiber/detail/context.cpp" "$3/runtimes/fiber/detail/strand.cpp" -o "$program"
exec "$2" -L /usr/aarch64-linux-gnu "$program"
