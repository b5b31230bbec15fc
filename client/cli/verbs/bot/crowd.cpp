// Runs test clients with sockets of their own, in one thread.
#include "client/cli/verbs/bot/crowd.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"
#include "common/host/process/terminal.h"

namespace orrery::cli {
namespace {

// Shortest time from the end of a round to the start of the next one. A round updates every bot.
// After a round that takes longer than half of this, the next one starts later, so that at least
// two thirds of the time are left for datagrams.
constexpr net::Nanoseconds kRound = 4 * net::kMillisecond;
// Interval at which play() checks whether the bots must stop giving commands.
constexpr net::Nanoseconds kLook = 100 * net::kMillisecond;

// Shortest time between a bot's last command and the end of the run: the server needs it to
// acknowledge all commands. finish_in_time() adds two round trips of the bot to this time, but
// never more than a quarter of the run.
constexpr net::Nanoseconds kFinishing = net::kSecond / 2;

void send_waiting(Seat& seat) {
  while (const auto datagram = seat.bot->poll_send()) {
    seat.sockets->send(*datagram);
  }
}

// Receives a few datagrams of one bot, so that no bot delays the others. epoll_wait() reports the
// bot again if more are waiting.
void receive(Seat& seat) {
  constexpr int kAtOnce = 16;
  seat.sockets->drain(kAtOnce, [&](const net::Address& from, Bytes datagram, std::uint32_t route) {
    seat.bot->receive(from, datagram, host::monotonic_now(), route);
  });
}

void update(Seat& seat) {
  seat.bot->update(host::monotonic_now());
  send_waiting(seat);
}

// Finds the seats (bots with their sockets) for which datagrams wait.
class Ears {
 public:
  Ears() : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {}
  ~Ears() { ::close(descriptor_); }
  Ears(const Ears&) = delete;
  Ears& operator=(const Ears&) = delete;

  // Adds the sockets that the seats have opened. A closed socket leaves by itself.
  void add_opened(std::vector<Seat>& crowd) {
    for (std::uint32_t i = 0; i < crowd.size(); ++i) {
      for (const int opened : crowd[i].sockets->take_opened()) {
        epoll_event event{EPOLLIN, {.u32 = i}};
        ::epoll_ctl(descriptor_, EPOLL_CTL_ADD, opened, &event);
      }
    }
  }
  // Waits up to `milliseconds` for datagrams, and lets the seats receive them.
  void hear(std::vector<Seat>& crowd, int milliseconds) {
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(descriptor_, events.data(), events.size(), milliseconds);
    for (int i = 0; i < count; ++i) receive(crowd[events[static_cast<std::size_t>(i)].data.u32]);
  }

 private:
  const int descriptor_;
};

void finish_in_time(std::vector<Seat>& crowd, net::Nanoseconds left, net::Nanoseconds all) {
  if (left > kFinishing + all / 4 + kLook) return;
  for (Seat& seat : crowd) {
    const double trip = seat.bot->report().round_trip_seconds * net::kSecond;
    const net::Nanoseconds trips = std::min(2 * static_cast<net::Nanoseconds>(trip), all / 4);
    if (left <= kFinishing + trips + kLook) seat.bot->finish();
  }
}

}  // namespace

Result<std::vector<Seat>> make_crowd(const CrowdOptions& options, const client::Access& access) {
  std::vector<Seat> crowd;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    auto sockets = client::ClientSockets::open(access.servers());
    if (!sockets) return sockets.error();
    client::BotOptions bot = options.bot;
    bot.kind = options.kinds[i % options.kinds.size()];
    bot.seed += i;
    Seat seat{bot.kind, std::move(sockets.value()), nullptr};
    seat.bot = client::make_bot(seat.sockets->environment(), access.source(Role::play), bot,
                                host::monotonic_now());
    crowd.push_back(std::move(seat));
  }
  return crowd;
}

void play(std::vector<Seat>& crowd, std::uint32_t seconds) {
  const host::StopSignal stop;
  host::ProgressBar progress("bots", seconds);
  Ears ears;
  const net::Nanoseconds all = seconds * net::kSecond;
  const net::Nanoseconds start = host::monotonic_now();
  net::Nanoseconds next_round = start;
  net::Nanoseconds next_look = start;
  for (net::Nanoseconds now = start; now < start + all && !stop.asked();
       now = host::monotonic_now()) {
    if (now >= next_look) {
      finish_in_time(crowd, start + all - now, all);
      progress.show((now - start) / net::kSecond);
      next_look = now + kLook;
    }
    if (now >= next_round) {
      for (Seat& seat : crowd) update(seat);
      ears.add_opened(crowd);
      const net::Nanoseconds end = host::monotonic_now();
      next_round = end + std::max(kRound, 2 * (end - now));
      now = end;
    }
    const net::Nanoseconds wait = next_round > now ? next_round - now : 0;
    ears.hear(crowd, static_cast<int>((wait + net::kMillisecond - 1) / net::kMillisecond));
  }
  for (Seat& seat : crowd) {
    seat.bot->stop(host::monotonic_now());
    send_waiting(seat);
  }
}

}  // namespace orrery::cli
