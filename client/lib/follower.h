// Steps a copy of a server's world, and compares it with the server in every tick.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/session/explain/fault.h"
#include "common/session/flight/flight.h"
#include "common/session/follow_messages.h"
#include "common/world/world.h"

namespace orrery::client {

// Returns "tick 7: 0x0123456789abcdef here, 0xfedcba9876543210 there": the state hashes of both
// sides.
std::string to_line(const session::Mismatch& mismatch);

// A copy of a server's world. It starts from a state that the server sends, and steps with the
// commands of each tick.
class Follower {
 public:
  // `fault` is applied to the copy, so that a test can see the comparison fail.
  explicit Follower(std::optional<session::Fault> fault = {}) : fault_(fault) {}

  // Takes the next message: a scene, a state, or a tick to step. Ignores all messages after a
  // mismatch or an error.
  void take(Bytes message);

  // Returns the world; nullptr until the server has sent a state.
  const World* world() const { return has_state_ ? world_.get() : nullptr; }

  // Returns the scene; nullptr until the server has sent it.
  const Scene* scene() const { return world_ ? &world_->scene() : nullptr; }

  // Returns the number of ticks that were stepped and compared. All were equal, except perhaps the
  // last if there is a mismatch.
  std::uint64_t ticks_checked() const { return ticks_checked_; }
  const std::optional<session::Mismatch>& mismatch() const { return mismatch_; }
  // Returns the last ten seconds before the mismatch; nullptr if there is none, or if it was in the
  // first state that the server sent.
  std::shared_ptr<const session::Flight> flight() const { return flight_; }
  // Returns the reason why the session cannot be followed. The text is the end of a sentence that
  // begins with "the server ".
  const std::optional<Error>& error() const { return error_; }

 private:
  Status read(Bytes message);
  Status take_header(Bytes payload);
  Status take_checkpoint(Bytes payload);
  Status take_tick(Bytes payload);
  void compare(std::uint64_t hash);

  const std::optional<session::Fault> fault_;
  SerialExecutor executor_;
  std::unique_ptr<World> world_;
  bool has_state_ = false;
  codec::LogHeader header_;
  std::optional<session::FlightRecorder> recorder_;  // if has_state_
  std::shared_ptr<const session::Flight> flight_;
  session::TickRecord record_;
  std::uint64_t ticks_checked_ = 0;
  std::optional<session::Mismatch> mismatch_;
  std::optional<Error> error_;
};

}  // namespace orrery::client
