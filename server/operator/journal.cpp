// Owns the lines of the server's log.
#include "server/operator/journal.h"

#include <spdlog/spdlog.h>

namespace orrery::server {
namespace {

constexpr int kLinesPerSecond = 10;
constexpr net::Nanoseconds kMinute = 60 * net::kSecond;

std::string_view describe(codec::message::DisconnectReason reason) {
  switch (reason) {
    case codec::message::DisconnectReason::asked:
      return "it asked to";
    case codec::message::DisconnectReason::server_stopped:
      return "the server stops";
    case codec::message::DisconnectReason::timed_out:
      return "it fell silent";
    case codec::message::DisconnectReason::flooded:
      return "it sent too much";
    case codec::message::DisconnectReason::other_protocol:
    case codec::message::DisconnectReason::other_schema:
      return "it is of another version";
    case codec::message::DisconnectReason::other_mode:
      return "it asked for what this server or this world does not have";
    case codec::message::DisconnectReason::too_slow:
      return "it fell too far behind";
    case codec::message::DisconnectReason::unsound:
      return "it sent what means nothing";
  }
  return "";
}

// Says how many lines before this one were not written.
void mention(std::uint64_t left_out) {
  if (left_out > 0) spdlog::info("{} more lines like the next were left out", left_out);
}

}  // namespace

bool LineLimit::allow(net::Nanoseconds now, std::uint64_t& left_out) {
  if (now - second_started_ >= net::kSecond) {
    second_started_ = now;
    written_ = 0;
  }
  if (written_ == kLinesPerSecond) {
    ++left_out_;
    return false;
  }
  ++written_;
  left_out = left_out_;
  left_out_ = 0;
  return true;
}

void Journal::joined(ClientId client, const std::string& address, net::Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!joins_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::info("client {} joins from {}", client.value, address);
}

void Journal::left(ClientId client, codec::message::DisconnectReason reason, net::Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!leaves_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::info("client {} leaves: {}", client.value, describe(reason));
}

void Journal::mismatched(ClientId client, const session::Mismatch& mismatch, net::Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!mismatches_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::error("client {} is at another state than the session at tick {}: {:#018x}, not {:#018x}",
                client.value, mismatch.tick.value, mismatch.ours, mismatch.theirs);
}

void Journal::slowed(std::uint64_t ticks, net::Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!slow_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::warn("overloaded: the session runs {} ticks later than the clock", ticks);
}

void Journal::durability(const host::LogState& log, const World& world, net::Nanoseconds now) {
  const std::uint64_t half_second = world.scene.tick_rate / 2 + 1;
  const bool damaged = !log.damage.empty();
  const bool behind = damaged || log.failing || world.tick.value > log.durable.value + half_second;
  const bool repeats = behind && now - behind_said_ >= kMinute;
  if (behind == behind_ && damaged == damaged_ && !repeats) return;
  behind_ = behind;
  damaged_ = damaged;
  behind_said_ = now;
  std::uint64_t left_out = 0;
  if (!disk_.allow(now, left_out)) return;
  mention(left_out);
  if (behind) {
    spdlog::warn("NOT DURABLE behind tick {}: {}", log.durable.value,
                 damaged       ? log.damage
                 : log.failing ? log.failure
                               : "the disk is slow");
  } else {
    spdlog::info("durable again, to tick {}, in segment {}; ticks lost: {}", log.durable.value,
                 log.segment, log.lost_ticks);
  }
}

}  // namespace orrery::server
