// Prints the lines of `orrery watch --follow`.
#include "client/cli/verbs/watch_follow.h"

#include <cstdio>

#include "client/cli/json.h"
#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"

namespace orrery::cli {
namespace {

constexpr net::Nanoseconds kWait = 5 * net::kMillisecond;

// Longest time to wait until the report of a mismatch has reached the server. If datagrams are
// lost, the report must be sent again.
constexpr net::Nanoseconds kReportMax = 2 * net::kSecond;

// Prints how many ticks were compared so far, without a newline. Prints nothing and returns false
// if there is no world yet, or after a mismatch.
bool print_check(const client::Client& client) {
  const World* const world = client.world();
  const client::ClientStats stats = client.stats();
  if (!world || stats.mismatch) return false;
  std::printf("tick %llu: %llu ticks checked, all equal; hash %s",
              static_cast<unsigned long long>(world->tick().value),
              static_cast<unsigned long long>(stats.ticks_checked),
              json::hash(world->hash()).c_str());
  return true;
}

// Prints how many ticks were compared so far, the data rate, and the round trip and loss of the
// path. `bytes` is the number of bytes received in `time`.
void print(const client::Client& client, std::uint64_t bytes, net::Nanoseconds time) {
  if (print_check(client)) std::printf("; ");
  const client::ClientStats stats = client.stats();
  const double kilobits = 8e-3 * static_cast<double>(bytes);
  std::printf("%.1f kbit/s, %.0f ms round trip, %.1f %% lost\n",
              kilobits / (static_cast<double>(time) / net::kSecond), 1e3 * stats.round_trip,
              100 * stats.loss);
  std::fflush(stdout);
}

}  // namespace

void print_comparisons(client::UdpClient& client, std::uint32_t seconds) {
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  net::Nanoseconds printed = start;
  std::uint64_t bytes = 0;  // received until `printed`
  while (!stop.asked() && client.wait(kWait)) {
    const client::ClientStats stats = client.client().stats();
    if (stats.mismatch) return;
    const net::Nanoseconds now = host::monotonic_now();
    const bool ends = seconds != 0 && now - start >= seconds * net::kSecond;
    if (now - printed >= net::kSecond) {
      print(client.client(), stats.bytes_received - bytes, now - printed);
      bytes = stats.bytes_received;
      printed = now;
    }
    if (ends) return;
  }
}

void conclude_following(client::UdpClient& client) {
  const host::StopSignal stop;
  if (print_check(client.client())) std::printf("\n");
  const net::Nanoseconds end = host::monotonic_now() + kReportMax;
  const auto reports = [&] {
    const client::Connection* const connection = client.client().connection();
    return connection && connection->connected() && !connection->has_reported();
  };
  while (reports() && !stop.asked() && host::monotonic_now() < end) client.wait(kWait);
}

}  // namespace orrery::cli
