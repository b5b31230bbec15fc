// Declares the entry point of the fuzz targets and the checks that they share.
//
// Each target is one source file. With clang's libFuzzer it searches for inputs. With
// replay_main.cpp it runs the inputs in tests/fuzz/corpus.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/world/world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace orrery::fuzz {

// Maximum number of bodies in a world that is stepped, spare bodies included. Larger worlds take
// longer and find nothing more.
inline constexpr std::size_t kBodiesMax = 256;

// Aborts unless all state fields of all bodies are finite.
void require_finite(const World& world);

// Aborts unless two worlds, restored from the world's image and stepped `ticks` ticks, have equal
// hashes.
void require_repeatable(const World& world, std::uint64_t ticks);

}  // namespace orrery::fuzz
