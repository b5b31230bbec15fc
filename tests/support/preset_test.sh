#!/usr/bin/env bash
# Owns the tests of other builds: configures and builds a preset, and runs its quick tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
preset=$1
cmake --preset "$preset"
if [ "$preset" = fuzz ]; then
  exec cmake --build --preset fuzz --parallel "$(nproc)" --target fuzz_targets
fi
cmake --build --preset "$preset" --parallel "$(nproc)"
exec ctest --preset "$preset" --label-regex quick --output-on-failure --parallel "$(nproc)"
