#!/usr/bin/env bash
# Builds a CMake preset and runs its quick tests. For tsan it runs only the unit and loopback tests,
# and for fuzz it runs none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
cmake --preset "$preset"
build() { cmake --build --preset "$preset" --parallel "$(nproc)" "$@"; }
run_tests() { exec ctest --preset "$preset" --output-on-failure --parallel "$(nproc)" "$@"; }
case $preset in
  fuzz) build --target fuzz_targets matrix_program ;;
  tsan)
    build --target unit_tests orreryd orrery matrix_program matrix_threads
    run_tests --label-exclude 'slow|soak' --tests-regex '^(loopback|unit)\.'
    ;;
  *) build && run_tests --label-regex quick ;;
esac
