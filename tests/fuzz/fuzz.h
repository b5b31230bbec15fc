// Owns what the fuzz targets share: the entry point, and what must hold whatever comes in.
//
// Each target is one source: with clang's libFuzzer it invents inputs, with replay_main.cpp it runs
// those of tests/fuzz/corpus again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/world/world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace orrery::fuzz {

// Worlds of more bodies than this tell no more and take longer.
inline constexpr std::size_t kBodiesMax = 256;

// Aborts unless every number of the state is finite.
void require_finite(const World& world);

// Aborts if stepping the world twice from the same image does not give the same hash.
void require_repeatable(const World& world, std::uint64_t ticks);

}  // namespace orrery::fuzz
