// Owns the lines of the server's log.
#include "server/journal.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/host/clock.h"
#include "server/server.h"

namespace orrery {
namespace {

constexpr int kLinesPerSecond = 10;

std::string_view describe(message::DisconnectReason reason) {
  switch (reason) {
    case message::DisconnectReason::asked:
      return "it asked to";
    case message::DisconnectReason::server_stopped:
      return "the server stops";
    case message::DisconnectReason::timed_out:
      return "it fell silent";
    case message::DisconnectReason::flooded:
      return "it sent too much";
    case message::DisconnectReason::other_protocol:
    case message::DisconnectReason::other_schema:
      return "it is of another version";
    case message::DisconnectReason::other_mode:
      return "it asked for what this server or this world does not have";
    case message::DisconnectReason::too_slow:
      return "it fell too far behind";
    case message::DisconnectReason::unsound:
      return "it sent what means nothing";
  }
  return "";
}

// Says how many lines before this one were not written.
void mention(std::uint64_t left_out) {
  if (left_out > 0) spdlog::info("{} more lines like the next were left out", left_out);
}

}  // namespace

bool LineLimit::allow(Nanoseconds now, std::uint64_t& left_out) {
  if (now - second_started_ >= kSecond) {
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

void Journal::joined(ClientId client, const std::string& address, Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!joins_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::info("client {} joins from {}", client.value, address);
}

void Journal::left(ClientId client, message::DisconnectReason reason, Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!leaves_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::info("client {} leaves: {}", client.value, describe(reason));
}

void Journal::mismatched(ClientId client, const Mismatch& mismatch, Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!mismatches_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::error("client {} is at another state than the session at tick {}: {:#018x}, not {:#018x}",
                client.value, mismatch.tick.value, mismatch.ours, mismatch.theirs);
}

void Journal::slowed(std::uint64_t ticks, Nanoseconds now) {
  std::uint64_t left_out = 0;
  if (!slow_.allow(now, left_out)) return;
  mention(left_out);
  spdlog::warn("overloaded: the session runs {} ticks later than the clock", ticks);
}

void Journal::durability(const LogState& log, const World& world, Nanoseconds now) {
  const std::uint64_t half_second = world.scene.tick_rate / 2 + 1;
  const bool behind = log.failing || world.tick.value > log.durable.value + half_second;
  if (behind == behind_) return;
  behind_ = behind;
  std::uint64_t left_out = 0;
  if (!disk_.allow(now, left_out)) return;
  mention(left_out);
  if (behind) {
    spdlog::warn("NOT DURABLE behind tick {}: {}", log.durable.value,
                 log.failing ? log.failure : "the disk is slow");
  } else {
    spdlog::info("durable again, to tick {}, in segment {}; ticks lost: {}", log.durable.value,
                 log.segment, log.lost_ticks);
  }
}

void report(const Server& server, std::uint64_t ticks_slowed, const UdpNetwork& network,
            const LogState& log) {
  const NetCounters& net = server.endpoint().counters();
  const InboxCounters& in = server.inbox().counters();
  spdlog::info("ticks {}, slowed by {}, clients {}, cpu {:.3f} s", server.world().tick.value,
               ticks_slowed, server.endpoint().clients(), process_cpu_seconds());
  spdlog::info(
      "received {} datagrams, {} bytes, lost unread {}; sent {}, {} bytes; not taken by the system "
      "{}",
      net.datagrams_received, net.bytes_received, network.overflowed(), net.datagrams_sent,
      net.bytes_sent, network.unsent());
  Nanoseconds round_trip = 0;
  double loss = 0;
  double least = Budget::kRateMax;
  for (std::uint32_t c = 1; c <= server.endpoint().highest().value; ++c) {
    if (!server.endpoint().joined(ClientId{c})) continue;
    const Path& path = server.endpoint().path(ClientId{c});
    round_trip = std::max(round_trip, path.round_trip());
    loss = std::max(loss, path.loss());
    least = std::min(least, server.endpoint().budget(ClientId{c}).rate());
  }
  if (server.endpoint().clients() > 0) {
    spdlog::info(
        "of the clients, at most {} ms there and back, {:.1f} % lost, and at least {:.0f} kB/s of "
        "room",
        round_trip / kMillisecond, 100 * loss, least / 1000);
  }
  spdlog::info("clients that follow {}, that came to another state {}", server.followers(),
               server.mismatches());
  spdlog::info("events that clients were not told of {}", server.events().left_out());
  spdlog::info("commands {}, repeated {}, late {}, too early {}, no room {}, gaps {}", in.commands,
               in.repeated, in.late, in.too_early, in.no_room, in.gaps);
  spdlog::info("log: durable to tick {}, segment {}, failures of the disk {}, ticks lost {}",
               log.durable.value, log.segment, log.failures, log.lost_ticks);
  if (const Shadow* const shadow = server.shadow()) {
    const ShadowState state = shadow->state();
    spdlog::info("shadow: {} tick {}, ticks passed over {}",
                 state.differs ? "differs at" : "agrees up to", state.tick.value,
                 state.passed_over);
  }
  std::string drops;
  for (std::size_t i = 0; i < kDrops; ++i) {
    drops += fmt::format(" {} {}", drop_name(static_cast<Drop>(i)), net.drops[i]);
  }
  spdlog::info("challenges {}, denials {}; dropped:{}", net.challenges, net.denials, drops);
}

}  // namespace orrery
