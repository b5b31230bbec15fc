// Waits for the ticks of a running session: timer, signals, web side, and the work after ticks.
#include "server/run/loop.h"

#include <algorithm>
#include <chrono>

#include "common/host/process/clock.h"

namespace orrery::server {
namespace {

// Longest time between two reads of the socket. With many clients it is shorter, because the
// default socket buffer of Linux (212,992 bytes) must not overflow between two reads. With few
// clients it is longer, because a read that finds nothing costs as much as one that finds a
// datagram.
constexpr net::Nanoseconds kPollInterval = 20 * net::kMillisecond;
constexpr net::Nanoseconds kPollIntervalOfMany = 5 * net::kMillisecond;
constexpr std::uint32_t kManyClients = 256;

}  // namespace

Loop::Loop(const Running& running, std::uint64_t ticks)
    : running_(running),
      ticks_(ticks),
      pacer_(running.server.world().scene().tick_rate, host::monotonic_now()),
      work_(running.web.context().get_executor()),
      timer_(running.web.context()) {}

Due Loop::wait() {
  for (;;) {
    if (becomes_ready()) return Due::ready;
    if (ended()) return Due::end;
    if (due_ > 0) {
      --due_;
      running_.commands.begin(
          running_.server.close(host::monotonic_now(), running_.commands.decisions_max()));
      return Due::tick;
    }
    if (awake_) end_ticks();
    sleep();
  }
}

void Loop::step() { running_.server.step(running_.commands.merged(), host::monotonic_now()); }

void Loop::stop() {
  const net::Nanoseconds now = host::monotonic_now();
  running_.operator_log.durability(running_.log.state(), running_.server.world(), now);
  running_.server.stop(now);
  running_.web.stop();
  static_cast<void>(running_.log.sync());  // so that the counters are final
  running_.reporter.report(pacer_.slowed(), host::monotonic_now());
}

bool Loop::becomes_ready() {
  if (ready_ || !running_.server.endpoint().gate().takes_new_tokens()) return false;
  ready_ = true;
  return true;
}

// Called before every tick, so that a stop signal does not wait for the other ticks that are due.
bool Loop::ended() const {
  return running_.stop.asked() || (ticks_ != 0 && running_.server.world().tick().value >= ticks_);
}

void Loop::sleep() {
  const bool many = running_.server.endpoint().peers().count() > kManyClients;
  const net::Nanoseconds interval = many ? kPollIntervalOfMany : kPollInterval;
  const net::Nanoseconds at = std::min(pacer_.next(), host::monotonic_now() + interval);
  const auto since_epoch = std::chrono::nanoseconds(static_cast<std::int64_t>(at));
  timer_.expires_at(std::chrono::steady_clock::time_point(since_epoch));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) wake_up();
  });
  while (!awake_) running_.web.context().run_one();
}

void Loop::wake_up() {
  awake_ = true;
  running_.web.begin_ticks();
  woken_ = host::monotonic_now();
  const std::uint64_t slowed = pacer_.slowed();
  due_ = pacer_.due(woken_);
  if (pacer_.slowed() > slowed) running_.operator_log.ticks_slow(pacer_.slowed(), woken_);
  if (due_ == 0) running_.server.poll(woken_);
}

void Loop::end_ticks() {
  awake_ = false;
  running_.operator_log.durability(running_.log.state(), running_.server.world(), woken_);
  if (report_.take()) running_.reporter.report(pacer_.slowed(), host::monotonic_now());
  running_.reporter.update(pacer_.slowed(), host::monotonic_now());
  running_.web.end_ticks(woken_);
}

}  // namespace orrery::server
