// Explains the first tick in which two sessions, or a session and its replay, differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/session/explain/command_difference.h"
#include "common/world/command.h"
#include "common/world/image/state_difference.h"
#include "common/world/world.h"

namespace orrery::session {

// One side of a comparison: the recorded tick of a log, or the tick as this build computes it.
struct TickSide {
  std::span<const Command> commands;
  std::optional<std::uint64_t> hash;  // recorded hash; nothing: use the hash that step() gives
  std::string_view build;             // the build that computed the tick
  std::string_view fault;             // deliberate fault in the log's header; may be empty
  Bytes image = {};                   // image of a checkpoint of this tick, if any
  std::uint64_t image_hash = 0;       // hash stored with that image
};

// The way in which a state became known. A log stores hashes of states and only a few whole states.
enum class Source : std::uint8_t {
  checkpoint,  // the log has a checkpoint of this tick
  replay,      // stepping gives the recorded hash
  hash,     // one change to the stepped state gives the recorded hash (world/image/hash_search.h)
  unknown,  // the state is not known
};

// The first phase of a tick (world/step.cpp) with different results, as far as the states show it.
enum class Phase : std::uint8_t { commands, contacts, forces, solve, integrate, sleep };
// Returns the name of a phase for reports.
std::string_view phase_name(Phase phase);

// The most likely cause of a divergence.
enum class Cause : std::uint8_t {
  scene,       // the logs have different scenes
  rules,       // two logs have different rules and different initial states
  length,      // one log ends earlier, or is damaged after the ticks that both have
  fault,       // a deliberate fault (fault.h), made with `orrery run --break`
  commands,    // different commands, or recorded commands that a replay does not apply
  swap,        // two bodies have exchanged their states
  checkpoint,  // only a checkpoint differs
  number,      // one number of one body, and nothing else
  build,       // recorded by different builds
  machine,     // none of these: a changed log, or an error of the machine or of its program
};
// Returns the name of a cause for reports.
std::string_view cause_name(Cause cause);

// The report on the first tick that differs.
struct Divergence {
  Tick tick;
  std::uint64_t hash_a = 0;
  std::uint64_t hash_b = 0;
  Cause cause = Cause::machine;
  std::string why;  // the cause as a sentence for people
  // The reason why a state is unknown, as a sentence. It is empty if both states are known, or if
  // an unknown state has the same hash as the other one. If explain() is called without the state
  // before the tick, it leaves this text empty (except for tick 0), because only the caller knows
  // the reason. The caller then sets this text.
  std::string unknown;
  std::optional<Phase> phase;
  Source source_a = Source::unknown;
  Source source_b = Source::unknown;

  // The two states, as far as they are known. `state` is their difference if both are known.
  std::optional<World> a;
  std::optional<World> b;
  StateDifference state;
  // The body to look at: the target of a different command if that body differs, else the differing
  // body with the lowest slot.
  std::optional<BodyId> body;
  std::optional<FieldDifference> field;  // first different field of that body

  std::vector<Command> commands_a;
  std::vector<Command> commands_b;
  std::vector<CommandDifference> command_differences;
};

// Compares the two sides of `tick` and explains the difference. `before` is the state before the
// tick, or null if it is not known; then states are not compared. To compare a log with its own
// replay, give side b the commands of a and no hash. REQUIRES: `tick` is the first that differs.
Divergence explain(const World* before, Tick tick, const TickSide& a, const TickSide& b,
                   Executor& executor);

}  // namespace orrery::session
