// Owns the use of Boost.Asio: one timer and the signals.
#include "server/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>

#include "common/host/clock.h"
#include "common/host/stop_signal.h"
#include "server/pacer.h"

namespace orrery {
namespace {

namespace asio = boost::asio;

// Sockets are heard at least this often, however slow the ticks. With many clients more often: a
// buffer of 212,992 bytes, which is what systems give to who does not ask the right way, is full of
// what 1,000 send in 9 ms, or 450 in 20. Each time that nothing came costs as if something had.
constexpr Nanoseconds kPollInterval = 20 * kMillisecond;
constexpr Nanoseconds kPollIntervalOfMany = 5 * kMillisecond;
constexpr std::uint32_t kManyClients = 256;

class Loop {
 public:
  Loop(Server& server, Journal& journal, UdpNetwork& network, LogFile& log, std::uint64_t ticks)
      : server_(server),
        journal_(journal),
        network_(network),
        log_(log),
        ticks_(ticks),
        pacer_(server.world().scene.tick_rate, monotonic_now()),
        timer_(context_),
        stop_signals_(context_, SIGINT, SIGTERM),
        report_signals_(context_, SIGUSR1) {
    if (!is_ignored(SIGHUP)) stop_signals_.add(SIGHUP);
  }

  Status run(const std::function<Status()>& ready) {
    stop_signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) context_.stop();
    });
    await_report();
    if (Status told = ready(); !told) return told;
    wait();
    context_.run();
    server_.stop(monotonic_now());
    static_cast<void>(log_.sync());  // so that the counters are those of the end
    report_counters();
    return ok_status();
  }

 private:
  void wait() {
    const bool many = server_.endpoint().clients() > kManyClients;
    const Nanoseconds interval = many ? kPollIntervalOfMany : kPollInterval;
    const Nanoseconds at = std::min(pacer_.next(), monotonic_now() + interval);
    const auto since_epoch = std::chrono::nanoseconds(static_cast<std::int64_t>(at));
    timer_.expires_at(std::chrono::steady_clock::time_point(since_epoch));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) wake_up();
    });
  }

  void wake_up() {
    const Nanoseconds now = monotonic_now();
    const std::uint64_t slowed = pacer_.slowed();
    std::uint32_t due = pacer_.due(now);
    if (pacer_.slowed() > slowed) journal_.slowed(pacer_.slowed(), now);
    if (due == 0) server_.poll(now);
    for (; due > 0 && !ended(); --due) server_.tick(monotonic_now());
    journal_.durability(log_.state(), server_.world(), now);
    if (ended()) return context_.stop();
    wait();
  }

  bool ended() const { return ticks_ != 0 && server_.world().tick.value >= ticks_; }

  void await_report() {
    report_signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      report_counters();
      await_report();
    });
  }

  void report_counters() const { report(server_, pacer_.slowed(), network_, log_.state()); }

  Server& server_;
  Journal& journal_;
  UdpNetwork& network_;
  LogFile& log_;
  const std::uint64_t ticks_;
  Pacer pacer_;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  asio::signal_set stop_signals_;
  asio::signal_set report_signals_;
};

}  // namespace

Status serve(Server& server, Journal& journal, UdpNetwork& network, LogFile& log,
             std::uint64_t ticks, const std::function<Status()>& ready) {
  return Loop(server, journal, network, log, ticks).run(ready);
}

}  // namespace orrery
