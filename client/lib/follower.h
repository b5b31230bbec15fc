// Owns a world that is stepped here as its server steps it, and compared with that in every tick.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/session/explain/fault.h"
#include "common/session/follow_messages.h"
#include "common/world/world.h"

namespace orrery::client {

// "tick 7: 0x0123456789abcdef here, 0xfedcba9876543210 there".
std::string to_line(const session::Mismatch& mismatch);

class Follower {
 public:
  // `fault`, for tests of what notices it: what goes wrong in the world here.
  explicit Follower(std::optional<session::Fault> fault = {}) : fault_(fault) {}

  // Takes the next message of the server: a scene, a state, or a tick, which is stepped. After a
  // mismatch or an error nothing is taken any more.
  void take(Bytes message);

  // As the server has it, and nullptr until it has told of a state.
  const World* world() const { return has_state_ ? world_.get() : nullptr; }

  // Ticks whose hash was compared; all were equal but for the last, if that did not match.
  std::uint64_t ticks_checked() const { return ticks_checked_; }
  const std::optional<session::Mismatch>& mismatch() const { return mismatch_; }
  // Why the session cannot be followed, as the end of "the server ...".
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
  session::TickRecord record_;
  std::uint64_t ticks_checked_ = 0;
  std::optional<session::Mismatch> mismatch_;
  std::optional<Error> error_;
};

}  // namespace orrery::client
