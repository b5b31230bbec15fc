// Owns replay: the same step() over recorded commands, and the comparison of every hash.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/core/executor.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery {

// What a replay found.
struct Verification {
  std::uint64_t ticks = 0;        // complete tick records
  std::uint64_t verified = 0;     // of them, from the first on, those that came out equal
  std::uint64_t checkpoints = 0;  // whose image is, byte by byte, that of the replayed world
  // The first tick whose state hash, applied commands or checkpoint differ; 0: the initial state.
  std::optional<std::uint64_t> first_divergent_tick;
  std::uint64_t hash = 0;  // recorded, of the last tick
  LogTail tail;

  bool sound() const { return !first_divergent_tick && !tail.damaged && !tail.unreadable; }
};

// The scene that a header holds, whatever its rules are; an Error if it is unusable.
Result<Scene> recorded_scene(const LogHeader& header);

// The world that a header describes; an Error if its scene is unusable or its rules are not those
// of this build.
Result<World> initial_world(const LogHeader& header);

// Makes `world` that of a checkpoint. False if there is no such state of this world: then the world
// is to be made anew.
bool restore_checkpoint(World& world, const Checkpoint& checkpoint);

// The same of a log of other rules, which this build cannot judge: the hash stays the recorded one.
// An Error says why the image cannot be read.
Status restore_of_other_rules(World& world, const Checkpoint& checkpoint);

// Steps through one record; true if state and commands come out as recorded.
bool step_as_recorded(World& world, const TickRecord& record, Executor& executor);

// Steps `world`, made by initial_world() from the header of `log`, through all ticks, and compares
// every hash, the commands applied and the checkpoints. Where ticks are lost it goes on from the
// checkpoint behind them. `progress` is called after each tick.
Verification verify(LogReader& log, const LogHeader& header, World& world, Executor& executor,
                    const std::function<void()>& progress);

// Steps `world`, whose tick is that of `log`, to state `last`, or to the end of the log if it ends
// before; the state is where world.tick says, which is behind `last` if that tick is lost. An Error
// names the first tick whose hash differs. `progress` is called at each state come to: after each
// tick, and behind lost ones.
Status replay_to(LogReader& log, const LogHeader& header, World& world, Executor& executor,
                 Tick last, const std::function<void()>& progress);

}  // namespace orrery
