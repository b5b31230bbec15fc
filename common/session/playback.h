// Owns going to any tick of a recorded session, forwards and backwards, from the nearest state
// known.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/core/executor.h"
#include "common/session/checkpoint_map.h"
#include "common/session/kept_states.h"
#include "common/session/log_reader.h"
#include "common/world/world.h"

namespace orrery {

// What becomes of logs that this build cannot step, as they are of other rules.
enum class OtherRules : std::uint8_t { refused, by_checkpoints };

class Playback {
 public:
  // Opens the log whose segments, 0 included, `open_segment` opens. An Error says why there is
  // nothing to replay. Going back keeps images of at most so many bytes.
  static Result<std::unique_ptr<Playback>> open(OpenSegment open_segment,
                                                OtherRules other = OtherRules::refused,
                                                std::size_t kept_bytes_max = kKeptBytesMax);

  // Replays to the state after `tick`; to the end of the log if it ends before; or, if that tick is
  // lost, to the next state that is not: world().tick says where. What lies before the checkpoint
  // that it starts from is not looked at: verify() judges the whole log. An Error names the tick
  // whose state is not the recorded one. `progress` is called after each tick stepped: going back
  // tick by tick, that is once a tick, or more often if not all states can be kept. In a log of
  // other rules only states that it holds are gone to; an Error says which those are.
  Status go_to(
      Tick tick, Executor& executor, const std::function<void()>& progress = [] {});

  // As far as go_to() has come to know it: the end of the log, or the read that failed.
  const LogTail& tail() const { return log_.tail(); }

  const LogHeader& header() const { return header_; }
  const World& world() const { return *world_; }
  std::size_t kept_bytes() const { return kept_.bytes(); }

 private:
  Playback(std::unique_ptr<ByteSource> first, const OpenSegment& open_segment)
      : open_segment_(open_segment), first_(std::move(first)), log_(*first_, open_segment) {}

  // Goes to the state from where `tick`, which is not before that of the world, is nearest.
  Status go_on(Tick tick);
  // The same, if it is before that; plans which states are kept on the way.
  Status go_back(Tick tick);
  // Goes to the last checkpoint that is not behind `tick`, or to the start.
  Status go_to_checkpoint(Tick tick);
  // Takes the log to where the world is, or both to a checkpoint, to go to `tick` from there.
  Status take_up_place(Tick tick);
  // In a log of other rules: goes to a checkpoint of this very tick.
  Status go_to_known(Tick tick);
  std::string known_ticks() const;
  // The last checkpoint that is not behind `tick`, or none.
  std::vector<CheckpointAt>::iterator nearest_before(Tick tick);
  // Goes to a checkpoint; false if it is none, or the image is not one of this world.
  bool restore(const CheckpointAt& at);
  // Gives up a checkpoint that was none; at the first, all that indexes say, and at last, all of
  // them.
  void distrust(std::vector<CheckpointAt>::iterator at);
  // Goes to the initial state.
  Status go_to_start();

  OpenSegment open_segment_;
  std::unique_ptr<ByteSource> first_;
  LogReader log_;
  LogHeader header_;
  std::optional<World> world_;
  std::vector<std::uint8_t> start_;  // the image of state 0
  bool knows_start_ = true;          // of other rules: that state has the recorded hash
  bool astray_ = false;              // the world is not that of where the log is,
  std::optional<LogPlace> place_;    // but for this: the log is to go there before it is read on
  KeptStates kept_{0, 0};
  Indexes indexes_ = Indexes::believed;
  std::vector<CheckpointAt> checkpoints_;
  std::uint32_t bad_checkpoints_ = 0;  // that were given up
};

}  // namespace orrery
