// Finds the most likely cause of a divergence, and states it in a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/core/result.h"
#include "common/session/explain/divergence.h"

namespace orrery::session {

// The result of stepping with the recorded commands of one side.
struct ReplayCheck {
  std::size_t idle_commands = 0;  // recorded commands that the replayed step did not apply
  bool gives_hash = true;         // the step gives the recorded hash
  std::string checkpoint_fault;   // result of describe_checkpoint(); empty: no fault
};

// Compares a checkpoint with the recorded hash of its tick. Returns its fault, or an empty text if
// they agree. `state` is the state in its image, and `stored_hash` the hash stored with the image.
std::string describe_checkpoint(const Result<World>& state, std::uint64_t stored_hash,
                                std::uint64_t recorded_hash);

// Sets found.cause and found.why. Clears found.phase if only a checkpoint differs. REQUIRES: the
// rest of `found` is complete.
void find_cause(const TickSide& a, const TickSide& b, const ReplayCheck& of_a,
                const ReplayCheck& of_b, Divergence& found);

}  // namespace orrery::session
