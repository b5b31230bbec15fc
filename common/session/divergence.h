// Owns the divergence report: what two sessions, or a session and its replay, differ in at the
// first tick that differs, how much of that is known, and what the cause looks like.
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
#include "common/world/command.h"
#include "common/world/state_difference.h"
#include "common/world/world.h"

namespace orrery {

// One of the two: what is recorded of the tick, or what this build makes of it.
struct Account {
  std::span<const Command> commands;
  std::optional<std::uint64_t> hash;  // recorded; nothing: what this build's step() gives
  std::string_view build;             // of the header
  std::string_view fault;             // of the header
  Bytes image = {};                   // of a checkpoint of this very tick, if there is one,
  std::uint64_t image_hash = 0;       // and the hash that stands beside it
};

// A log holds the hash of a state, not the state. How its numbers are known all the same:
enum class Source : std::uint8_t {
  checkpoint,  // the tick has one
  replay,      // stepping gives the recorded hash
  hash,        // one change of what stepping gives would give it (world/hash_search.h)
  unknown,     // they are not
};

// The first phase of a tick (world/step.cpp) whose results differ, as far as states tell.
enum class Phase : std::uint8_t { commands, contacts, forces, solve, integrate, sleep };
std::string_view phase_name(Phase phase);

enum class Cause : std::uint8_t {
  scene,       // sessions of two scenes
  rules,       // recorded under other rules than those of this build
  length,      // the one ends where the other goes on, or is damaged there
  fault,       // broken on purpose
  commands,    // other commands, or commands that do nothing
  swap,        // two bodies have each other's state
  checkpoint,  // all is equal but a checkpoint
  number,      // one number of one body, and nothing else
  build,       // recorded by two builds
  machine,     // nothing above: what is left is a changed log, the machine, and what it ran
};
std::string_view cause_name(Cause cause);

// A command that one of the two has and the other has not, or has otherwise.
struct CommandDifference {
  Command command;
  bool in_a = false;  // else in b
};

struct Divergence {
  Tick tick;
  std::uint64_t hash_a = 0;
  std::uint64_t hash_b = 0;
  Cause cause = Cause::machine;
  std::string why;      // the cause as a sentence for a person
  std::string unknown;  // why values are not known; empty if they are
  std::optional<Phase> phase;
  Source source_a = Source::unknown;
  Source source_b = Source::unknown;

  // The states as far as they are known, and, if both are, how they differ.
  std::optional<World> a;
  std::optional<World> b;
  StateDifference state;
  // The body to look at: the one that different commands are about if it differs, else the lowest.
  std::optional<BodyId> body;
  std::optional<FieldDifference> field;  // the first of that body

  std::vector<Command> commands_a;
  std::vector<Command> commands_b;
  std::vector<CommandDifference> command_differences;
};

// Explains `tick`, whose commands or states are the first that differ; `before` is the state before
// it, or null if that is not known. Account b of a log's own replay has the commands of a and no
// hash.
Divergence explain(const World* before, Tick tick, const Account& a, const Account& b,
                   Executor& executor);

}  // namespace orrery
