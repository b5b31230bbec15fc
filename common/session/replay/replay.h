// Replays recorded commands with step() and compares every state hash.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/core/executor.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery::session {

// The result of verify().
struct Verification {
  std::uint64_t ticks = 0;  // tick records read
  // Number of ticks with equal state and commands, before the first divergent tick.
  std::uint64_t verified = 0;
  // Number of checkpoints that equal the replayed world, or that replaced the world after lost
  // ticks.
  std::uint64_t checkpoints = 0;
  // First tick with a different state hash, commands or checkpoint. Tick 0 is the initial state.
  std::optional<std::uint64_t> first_divergent_tick;
  std::uint64_t hash = 0;  // recorded hash of the last state
  LogTail tail;

  // Returns true if nothing differs and the log is neither damaged nor unreadable.
  bool sound() const { return !first_divergent_tick && !tail.damaged && !tail.unreadable; }
};

// Returns the scene of a header, whatever its rules. Returns an Error if it is unusable.
Result<Scene> recorded_scene(const codec::LogHeader& header);

// Returns the initial world of a header. Returns an Error if its scene is unusable, or its rules
// are not those of this build.
Result<World> initial_world(const codec::LogHeader& header);

// Restores the state of a checkpoint. Returns false if the image does not restore to the tick and
// hash of the checkpoint; then the state of `world` is unspecified.
bool restore_checkpoint(World& world, const Checkpoint& checkpoint);

// Restores a checkpoint that was recorded under other rules. This build cannot compute the hash of
// such a state, so `world` gets the recorded one. The Error says why the image is unusable.
Status restore_of_other_rules(World& world, const Checkpoint& checkpoint);

// Steps the world once with the commands of a record. Returns true if the state hash and the
// applied commands are as recorded.
bool step_as_recorded(World& world, const TickRecord& record, Executor& executor);

// A replay of a log that compares it with the recording, record by record.
class Verifier {
 public:
  // REQUIRES: `log` has read its header and nothing else, `world` is from initial_world() of that
  // header, and both outlive the verifier.
  Verifier(LogReader& log, const codec::LogHeader& header, World& world);

  // Reads the next tick or checkpoint, and returns its type; nothing at the end. Replays ticks up
  // to the first difference in a hash, the applied commands or a checkpoint. After this difference,
  // only counts ticks. After lost ticks, continues from the next checkpoint.
  std::optional<RecordType> next(Executor& executor);

  // Returns the result so far. Its `tail` is set when next() has returned nothing.
  const Verification& found() const { return found_; }

 private:
  LogReader& log_;
  World& world_;
  Verification found_;
  TickRecord record_;  // reused, like the next two
  Checkpoint checkpoint_;
  std::vector<std::uint8_t> image_;
};

// Verifies a whole log. Calls `progress` after each tick.
// REQUIRES: as for Verifier.
Verification verify(LogReader& log, const codec::LogHeader& header, World& world,
                    Executor& executor, const std::function<void()>& progress);

// Replays to the state after tick `last`, or to the end of the log. If tick `last` is lost, stops
// at the first state after the gap; world.tick() is then later than `last`. Returns an Error that
// names the first tick with a different hash, commands or checkpoint. Calls `progress` after each
// tick and after each gap. REQUIRES: `world` has the state after the last tick that was read from
// `log`; the log has the rules of this build.
Status replay_to(LogReader& log, const codec::LogHeader& header, World& world, Executor& executor,
                 Tick last, const std::function<void()>& progress);

}  // namespace orrery::session
