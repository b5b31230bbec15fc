// Prints the lines of `orrery watch --follow`.
#include "client/cli/verbs/watch_follow.h"

#include <poll.h>

#include <cstdio>

#include "client/cli/json.h"
#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"
#include "common/net/drain.h"

namespace orrery::cli {
namespace {

constexpr int kPollMilliseconds = 5;

// Longest wait for the report of a mismatch to reach the server. A bad path needs several
// retransmissions.
constexpr net::Nanoseconds kReportMax = 2 * net::kSecond;

// Waits up to kPollMilliseconds for datagrams, passes them to the connection, and sends what is
// due.
void exchange(client::Connection& connection, host::UdpNetwork& network) {
  pollfd descriptor{network.descriptor(), POLLIN, 0};
  ::poll(&descriptor, 1, kPollMilliseconds);
  net::drain(network, [&](const net::Address& from, Bytes datagram) {
    connection.receive(from, datagram, host::monotonic_now());
  });
  connection.update(host::monotonic_now());
}

// Prints the comparison so far, without a newline. Prints nothing and returns false if there is no
// world yet, or after a mismatch.
bool print(const client::Follower& follower) {
  const World* const world = follower.world();
  if (!world || follower.mismatch()) return false;
  std::printf("tick %llu: %llu ticks checked, all equal; hash %s",
              static_cast<unsigned long long>(world->tick().value),
              static_cast<unsigned long long>(follower.ticks_checked()),
              json::hash(world->hash()).c_str());
  return true;
}

void print(const client::Follower& follower, const net::PathEstimator& path, std::uint64_t bytes,
           net::Nanoseconds time) {
  if (print(follower)) std::printf("; ");
  const double kilobits = 8e-3 * static_cast<double>(bytes);
  std::printf("%.1f kbit/s, %.0f ms round trip, %.1f %% lost\n",
              kilobits / (static_cast<double>(time) / net::kSecond),
              static_cast<double>(path.round_trip()) / net::kMillisecond, 100 * path.loss());
  std::fflush(stdout);
}

}  // namespace

void print_comparisons(client::Connection& connection, const client::Follower& follower,
                       host::UdpNetwork& network, std::uint32_t seconds) {
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  net::Nanoseconds printed = start;
  std::uint64_t bytes = 0;  // received until `printed`
  while (!stop.asked() && !follower.mismatch()) {
    exchange(connection, network);
    const net::Nanoseconds now = host::monotonic_now();
    if (connection.endpoint().state() == net::ClientState::ended) break;
    const bool ends = seconds != 0 && now - start >= seconds * net::kSecond;
    if (now - printed >= net::kSecond) {
      const std::uint64_t received = connection.counters().bytes_received;
      print(follower, connection.endpoint().path(), received - bytes, now - printed);
      bytes = received;
      printed = now;
    }
    if (ends) break;
  }
}

void conclude_following(client::Connection& connection, const client::Follower& follower,
                        host::UdpNetwork& network) {
  const host::StopSignal stop;
  if (print(follower)) std::printf("\n");
  const net::Nanoseconds end = host::monotonic_now() + kReportMax;
  while (!stop.asked() && connection.connected() && !connection.has_reported() &&
         host::monotonic_now() < end) {
    exchange(connection, network);
  }
}

}  // namespace orrery::cli
