// Runs the server process with a timer of Boost.Asio.
#include "server/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "common/host/process/clock.h"
#include "server/pacer.h"

namespace orrery::server {
namespace {

namespace asio = boost::asio;

// Longest time between two reads of the socket. With many clients it is shorter, because the
// default socket buffer of Linux (212,992 bytes) must not overflow between two reads. With few
// clients it is longer, because a read that finds nothing costs as much as one that finds a
// datagram.
constexpr net::Nanoseconds kPollInterval = 20 * net::kMillisecond;
constexpr net::Nanoseconds kPollIntervalOfMany = 5 * net::kMillisecond;
constexpr std::uint32_t kManyClients = 256;

class Loop {
 public:
  Loop(Server& server, OperatorLog& operator_log, Reporter& reporter, host::LogFile& log,
       web::WebSide& web, const host::StopSignal& stop, std::uint64_t ticks,
       const std::function<Status()>& ready)
      : server_(server),
        operator_log_(operator_log),
        reporter_(reporter),
        log_(log),
        web_(web),
        stop_(stop),
        ticks_(ticks),
        ready_(ready),
        pacer_(server.world().scene().tick_rate, host::monotonic_now()),
        timer_(web.context()) {}

  Status run() {
    announce();
    if (!told_) return told_;
    wait();
    web_.context().run();
    if (!told_) return told_;
    server_.stop(host::monotonic_now());
    web_.stop();
    static_cast<void>(log_.sync());  // so that the counters are final
    reporter_.report(pacer_.slowed(), host::monotonic_now());
    return ok_status();
  }

 private:
  void wait() {
    const bool many = server_.endpoint().peers().count() > kManyClients;
    const net::Nanoseconds interval = many ? kPollIntervalOfMany : kPollInterval;
    const net::Nanoseconds at = std::min(pacer_.next(), host::monotonic_now() + interval);
    const auto since_epoch = std::chrono::nanoseconds(static_cast<std::int64_t>(at));
    timer_.expires_at(std::chrono::steady_clock::time_point(since_epoch));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) wake_up();
    });
  }

  void wake_up() {
    web_.begin_ticks();
    const net::Nanoseconds now = host::monotonic_now();
    const std::uint64_t slowed = pacer_.slowed();
    std::uint32_t due = pacer_.due(now);
    if (pacer_.slowed() > slowed) operator_log_.ticks_slow(pacer_.slowed(), now);
    if (due == 0) server_.poll(now);
    for (; due > 0 && !ended(); --due) server_.tick(host::monotonic_now());
    operator_log_.durability(log_.state(), server_.world(), now);
    announce();
    if (ended()) return web_.context().stop();
    if (report_.take()) reporter_.report(pacer_.slowed(), host::monotonic_now());
    reporter_.update(pacer_.slowed(), host::monotonic_now());
    web_.end_ticks(now);
    wait();
  }

  // Calls `ready` once, when the server accepts new tokens.
  void announce() {
    if (announced_ || !server_.endpoint().gate().takes_new_tokens()) return;
    announced_ = true;
    told_ = ready_();
  }

  // Called before every tick, so that a stop signal does not wait for the other ticks that are due.
  bool ended() const {
    return stop_.asked() || !told_ || (ticks_ != 0 && server_.world().tick().value >= ticks_);
  }

  Server& server_;
  OperatorLog& operator_log_;
  Reporter& reporter_;
  host::LogFile& log_;
  web::WebSide& web_;
  const host::StopSignal& stop_;
  const std::uint64_t ticks_;
  const std::function<Status()>& ready_;
  bool announced_ = false;
  Status told_ = ok_status();  // result of `ready`
  Pacer pacer_;
  asio::steady_timer timer_;
  host::ReportSignal report_;
};

}  // namespace

Status serve(Server& server, OperatorLog& operator_log, Reporter& reporter, host::LogFile& log,
             web::WebSide& web, const host::StopSignal& stop, std::uint64_t ticks,
             const std::function<Status()>& ready) {
  return Loop(server, operator_log, reporter, log, web, stop, ticks, ready).run();
}

}  // namespace orrery::server
