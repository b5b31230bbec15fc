// Logs the events of a session for its operator, at most ten lines a second of each event.
#include "server/operator/operator_log.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::server {
namespace {

constexpr int kLinesPerSecond = 10;
constexpr net::Nanoseconds kMinute = 60 * net::kSecond;

std::string hash_text(std::uint64_t hash) { return fmt::format("{:#018x}", hash); }

}  // namespace

std::string_view role_name(Role role) {
  switch (role) {
    case Role::watch:
      return "watch";
    case Role::play:
      return "play";
    case Role::admin:
      return "admin";
  }
  return "";
}

bool LineLimit::allow(net::Nanoseconds now, std::uint64_t& suppressed) {
  if (now - second_started_ >= net::kSecond) {
    second_started_ = now;
    written_ = 0;
  }
  if (written_ == kLinesPerSecond) {
    ++suppressed_;
    return false;
  }
  ++written_;
  suppressed = std::exchange(suppressed_, 0);
  return true;
}

void OperatorLog::write(LogEvent event, std::vector<LogField> fields, net::Nanoseconds now) {
  std::uint64_t suppressed = 0;
  if (!limits_[static_cast<std::size_t>(event)].allow(now, suppressed)) return;
  if (suppressed > 0) fields.emplace_back("suppressed", suppressed);
  log_event(event, fields);
}

void OperatorLog::client_joined(ClientId client, Role role, const std::string& address,
                                net::Nanoseconds now) {
  write(LogEvent::client_joined,
        {{"id", client.value}, {"role", role_name(role)}, {"address", address}}, now);
}

void OperatorLog::client_left(ClientId client, EndReason reason, net::Nanoseconds now) {
  write(LogEvent::client_left, {{"id", client.value}, {"reason", name_of(reason)}}, now);
}

void OperatorLog::client_replaced(ClientId client, const std::string& address,
                                  net::Nanoseconds now) {
  write(LogEvent::client_replaced, {{"id", client.value}, {"address", address}}, now);
}

void OperatorLog::client_moved(ClientId client, const std::string& address, net::Nanoseconds now) {
  write(LogEvent::client_moved, {{"id", client.value}, {"address", address}}, now);
}

void OperatorLog::client_narrowed(ClientId client, std::size_t bytes, net::Nanoseconds now) {
  write(LogEvent::client_narrowed, {{"id", client.value}, {"mtu", bytes}}, now);
}

void OperatorLog::client_diverged(ClientId client, const session::Mismatch& mismatch,
                                  net::Nanoseconds now) {
  write(LogEvent::client_diverged,
        {{"id", client.value},
         {"tick", mismatch.tick.value},
         {"client_hash", hash_text(mismatch.ours)},
         {"server_hash", hash_text(mismatch.theirs)}},
        now);
}

void OperatorLog::web_refused(const std::string& address, std::string_view reason,
                              net::Nanoseconds now) {
  write(LogEvent::web_refused, {{"reason", reason}, {"address", address}}, now);
}

void OperatorLog::ticks_slow(std::uint64_t ticks, net::Nanoseconds now) {
  write(LogEvent::ticks_slow, {{"ticks_slowed", ticks}}, now);
}

void OperatorLog::durability(const session::LogState& log, const World& world,
                             net::Nanoseconds now) {
  if (log.removed.last > removed_logged_) {
    removed_logged_ = log.removed.last;
    write(LogEvent::log_shortened,
          {{"first_tick", log.removed.first.value}, {"last_tick", log.removed.last.value}}, now);
  }
  const std::uint64_t half_second = world.scene().tick_rate / 2 + 1;
  const bool damaged = !log.damage.empty();
  const bool late = damaged || log.failing || world.tick().value > log.durable.value + half_second;
  const bool repeats = late && now - late_logged_ >= kMinute;
  if (late == late_ && damaged == damaged_ && !repeats) return;
  late_ = late;
  damaged_ = damaged;
  late_logged_ = now;
  const LogField durable("durable_tick", log.durable.value);
  if (damaged) {
    write(LogEvent::log_damaged, {durable, {"reason", log.damage}}, now);
  } else if (late) {
    const std::string reason = log.failing ? log.failure : "the disk is slow";
    write(LogEvent::log_not_durable, {durable, {"reason", reason}}, now);
  } else {
    write(LogEvent::log_durable_again,
          {durable, {"segment", log.segment}, {"lost_ticks", log.lost_ticks}}, now);
  }
}

}  // namespace orrery::server
