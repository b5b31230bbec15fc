// Records the random session of a seed, while a follower joins in every tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/ids.h"
#include "common/world/command.h"
#include "common/world/scenes/scene.h"
#include "tests/fuzz/attack/seeded.h"

namespace orrery::attack {

// The reference session that all other runs must reproduce.
struct Session {
  Scene scene;
  std::vector<std::vector<Command>> given;  // for ticks 1, 2, ...
  std::vector<std::uint64_t> hashes;        // of states 0, 1, ...
  std::vector<std::uint8_t> log;
  std::vector<std::uint8_t> image;  // of the state in the middle
  std::vector<BodyId> movable;      // the dynamic bodies in that state

  std::size_t ticks() const { return given.size(); }
  std::size_t middle() const { return given.size() / 2; }
};

// Returns "tick 7".
std::string tick_text(std::size_t tick);

// Makes the scene of the attempt's seed, and steps it on one thread under random commands. In every
// tick a follower restores the image of the state before it and repeats the tick. Sets the
// attempt's problem if a follower cannot join or differs, or if a sampled state has a number that
// is not finite, or a wrong hash.
Session record(Attempt& attempt);

}  // namespace orrery::attack
