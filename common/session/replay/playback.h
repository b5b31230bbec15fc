// Moves to any tick of a recorded session, forwards and backwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/core/executor.h"
#include "common/session/checkpoint_map.h"
#include "common/session/log_reader.h"
#include "common/session/replay/kept_states.h"
#include "common/world/world.h"

namespace orrery::session {

// The handling of logs with other rules, which this build cannot step: reject them, or allow only
// the states that the log stores.
enum class OtherRules : std::uint8_t { refused, by_checkpoints };

// The states on the way back to a tick: keep those that make going back cheap, or none.
enum class WayBack : std::uint8_t { kept, forgotten };

// A recorded session with a current state. It reaches a tick from the nearest known state before
// it: the initial state, the current one, a checkpoint, or a kept state.
//
//   Result<std::unique_ptr<Playback>> playback = Playback::open(open_log(open_segment));
//   Status moved = playback.value()->go_to(Tick{600}, executor);
class Playback {
 public:
  // Takes a log from which nothing was read after open_log(). Returns an Error if there is one in
  // `log`, if its scene is invalid, or if its rules are refused. Uses the states of `kept`, which
  // several playbacks of a log can share.
  static Result<std::unique_ptr<Playback>> open(
      Result<OpenedLog> log, OtherRules other = OtherRules::refused,
      std::shared_ptr<KeptStates> kept = std::make_shared<KeptStates>(kKeptBytesMax),
      WayBack way = WayBack::kept);

  // Moves to the state after `tick`, and calls `progress` after each step or gap. Replays at most
  // `ticks_max` ticks from the nearest known state. If the state is unavailable, moves to another
  // one; world().tick() says which:
  // - the last state of the log, if the log ends before `tick`.
  // - the next known state, if the log has lost `tick`.
  //
  // Returns an Error if the log cannot be read as far as `tick`, or if a replayed state differs
  // from the recorded one. That Error names the first such tick. Checks nothing before the state
  // that the replay starts from; verify() checks a whole log. Going back tick by tick takes one
  // step per tick, or more if not all states can be kept. In a log of other rules only stored
  // states can be reached; the Error lists at most nine of them.
  Status go_to(
      Tick tick, Executor& executor, const std::function<void()>& progress = [] {},
      std::uint64_t ticks_max = ~std::uint64_t{0});
  // Returns the position in the log after the record of the current state.
  LogPosition place() const { return place_.value_or(log_.reader->place()); }

  // Returns what go_to() has found out so far about the end of the log, including a failed read.
  const LogTail& tail() const { return log_.reader->tail(); }

  // Return the header, the current state, and the size of the kept states in bytes.
  const codec::LogHeader& header() const { return log_.header; }
  const World& world() const { return *world_; }
  std::size_t kept_bytes() const { return kept_->bytes(); }

 private:
  explicit Playback(OpenedLog log) : log_(std::move(log)) {}

  // Moves to the nearest known state up to `tick`. For a kept state, it moves only the world:
  // take_up_place() moves the log later.
  Status go_near(Tick tick);
  // Moves to the last checkpoint up to `tick`, or to the start.
  Status go_to_checkpoint(Tick tick);
  // Moves the log to `place_`, if set: the position of the kept state that go_near() restored. If
  // that fails, moves log and world to the last checkpoint up to `tick`.
  Status take_up_place(Tick tick);
  // For a log of other rules: moves to the checkpoint of exactly this tick, or to the initial state
  // if `tick` is 0. Returns an Error if the log stores no such state.
  Status go_to_known(Tick tick);
  std::string known_ticks() const;
  // Returns the last checkpoint up to `tick`, or end().
  std::vector<CheckpointLocation>::iterator nearest_before(Tick tick);
  // Moves to a checkpoint. Returns false if it cannot be read, is invalid, or its image does not
  // fit this world. The log and the world are then in no known state.
  bool restore(const CheckpointLocation& at);
  // Handles an invalid checkpoint. The first time, finds all checkpoints again without indexes.
  // Later, removes the invalid checkpoint from the list. If there were too many invalid ones,
  // removes all checkpoints.
  void distrust(std::vector<CheckpointLocation>::iterator at);
  // Moves to the initial state.
  Status go_to_start();

  OpenedLog log_;
  std::optional<World> world_;
  std::vector<std::uint8_t> start_;  // image of state 0
  bool knows_start_ =
      true;  // false: the log has other rules, by which this build computes another state 0
  bool out_of_sync_ = false;          // the world is not at the log's position
  std::optional<LogPosition> place_;  // position that the log must move to before it is read
  std::shared_ptr<KeptStates> kept_;
  WayBack way_ = WayBack::kept;
  Indexes indexes_ = Indexes::believed;
  std::vector<CheckpointLocation> checkpoints_;
  std::uint32_t bad_checkpoints_ = 0;  // checkpoints removed so far
};

}  // namespace orrery::session
