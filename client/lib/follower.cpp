// Steps a copy of a server's world, and compares it with the server in every tick.
#include "client/lib/follower.h"

#include <cstdio>

#include "common/session/replay/replay.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::client {

std::string to_line(const session::Mismatch& mismatch) {
  char line[96];
  std::snprintf(line, sizeof line, "tick %llu: 0x%016llx here, 0x%016llx there",
                static_cast<unsigned long long>(mismatch.tick.value),
                static_cast<unsigned long long>(mismatch.ours),
                static_cast<unsigned long long>(mismatch.theirs));
  return line;
}

void Follower::take(Bytes message) {
  if (mismatch_ || error_) return;
  if (const Status status = read(message); !status) error_ = status.error();
}

Status Follower::read(Bytes message) {
  ORRERY_ASSERT(!message.empty());
  const Bytes payload = message.subspan(1);
  const auto type = static_cast<session::RecordType>(message[0]);
  if (type == session::RecordType::header) return take_header(payload);
  if (type == session::RecordType::checkpoint && world_) return take_checkpoint(payload);
  if (type == session::RecordType::tick && has_state_) return take_tick(payload);
  return Error{"sent a message in the wrong order"};
}

Status Follower::take_header(Bytes payload) {
  if (world_) return Error{"sent its scene twice"};
  // aligned, as the flat buffer requires
  const std::vector<std::uint8_t> bytes(payload.begin(), payload.end());
  Result<codec::LogHeader> header = codec::decode_log_header(bytes);
  if (!header) return header.error().after("sent a session that cannot be read: ");
  if (header.value().rules != kRulesVersion) {
    return Error{"has a session under " + session::other_rules(header.value().rules) +
                     "; without --follow you can watch it and play in it",
                 ErrorCode::version};
  }
  Result<World> world = session::initial_world(header.value());
  if (!world) return world.error().after("has a session that ");
  world_ = std::make_unique<World>(std::move(world.value()));
  compare(header.value().initial_hash);
  header_ = std::move(header.value());
  return ok_status();
}

Status Follower::take_checkpoint(Bytes payload) {
  const std::optional<session::Checkpoint> checkpoint = session::decode_checkpoint(payload);
  if (!checkpoint) return Error{"sent an invalid state"};
  const Status restored = restore_image(*world_, checkpoint->image);
  if (!restored) return restored.error().after("sent a state that cannot be used: ");
  if (world_->tick() != checkpoint->tick)
    return Error{"sent a state of another tick than its label"};
  has_state_ = true;
  recorder_.emplace(*world_, session::kFollowerFlightBytesMax);
  compare(checkpoint->hash);
  return ok_status();
}

Status Follower::take_tick(Bytes payload) {
  if (!session::decode_tick(payload, record_, session::RecordType::tick)) {
    return Error{"sent an invalid tick"};
  }
  const Status broken = session::step_with_fault(*world_, record_.commands, fault_, executor_);
  if (!broken) return broken.error().after("sent a tick that --break cannot change: ");
  ++ticks_checked_;
  compare(record_.hash);
  // The image of a wrong state is kept even if no image is due.
  const Tick passed{world_->tick().value - (mismatch_ ? 1 : 0)};
  recorder_->add(*world_, payload, passed);
  if (!mismatch_) return ok_status();
  flight_ = std::make_shared<session::Flight>(
      session::Flight{std::move(header_), *mismatch_, std::move(*recorder_)});
  return ok_status();
}

void Follower::compare(std::uint64_t hash) {
  if (world_->hash() != hash) mismatch_ = session::Mismatch{world_->tick(), hash, world_->hash()};
}

}  // namespace orrery::client
