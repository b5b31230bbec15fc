// Measures the server time that one client can cause in a tick: by flooding, or in a large world.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>

#include "common/net/client_endpoint.h"
#include "common/world/scenes/scenes.h"
#include "server/server.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/bench/wire.h"
#include "tests/support/memory_log.h"

namespace orrery::bench {
namespace {

constexpr net::Nanoseconds kTick = net::kSecond / 60;

// The datagrams that the server receives next.
class Inbound final : public net::DatagramSource {
 public:
  void take(const net::Address& from, Wire& wire) {
    for (auto& [to, datagram] : wire.sent) datagrams_.emplace_back(from, std::move(datagram));
    wire.sent.clear();
  }

  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override {
    if (datagrams_.empty()) return std::nullopt;
    from = datagrams_.front().first;
    const Buffer bytes = std::move(datagrams_.front().second);
    datagrams_.pop_front();
    ORRERY_ASSERT(bytes.size() <= into.size());
    std::copy(bytes.begin(), bytes.end(), into.begin());
    return bytes.size();
  }

 private:
  std::deque<std::pair<net::Address, Buffer>> datagrams_;
};

struct Guest {
  explicit Guest(std::uint32_t number, net::Nanoseconds now)
      : address(address_of(number)), endpoint(wire, token_for(access_of_server(), number), now) {}

  const net::Address address;
  Wire wire;
  net::ClientEndpoint endpoint;
};

// A server and its clients in one process, without sockets.
class Hall {
 public:
  Hall(const char* scene, std::uint32_t guests) : world_(built_in_scene(scene).value()) {
    for (std::uint32_t i = 0; i < guests; ++i) guests_.emplace_back(i, now_);
    run(10);
    for (const Guest& g : guests_) ORRERY_ASSERT(g.endpoint.state() == net::ClientState::connected);
  }

  // Runs a tick and returns the CPU seconds of the server.
  double tick() {
    now_ += kTick;
    for (Guest& g : guests_) inbound_.take(g.address, g.wire);
    const double start = host::process_cpu_seconds();
    server_.tick(now_);
    const double seconds = host::process_cpu_seconds() - start;
    datagrams_ = outbound_.sent.size();
    for (const auto& [to, datagram] : outbound_.sent) {
      guests_[std::size_t{to.ip[14]} << 8 | to.ip[15]].endpoint.receive(access_of_server().address,
                                                                        datagram, now_);
    }
    outbound_.sent.clear();
    for (Guest& g : guests_) g.endpoint.update(now_);
    return seconds;
  }

  // Runs several ticks and returns the least time of one.
  double run(int ticks) {
    double least = 1e300;
    for (int i = 0; i < ticks; ++i) least = std::min(least, tick());
    return least;
  }

  const World& world() const { return world_; }
  net::ClientEndpoint& guest(std::size_t number) { return guests_[number].endpoint; }
  std::size_t datagrams() const { return datagrams_; }  // sent by the last tick
  net::Nanoseconds now() const { return now_; }

 private:
  net::Nanoseconds now_ = net::kSecond;
  World world_;
  test::MemorySink sink_;
  session::SessionLog log_{sink_, session::make_log_header(world_, "bench", codec::SessionId{})};
  Wire outbound_;
  Inbound inbound_;
  SerialExecutor executor_;
  server::OperatorLog operator_log_;
  server::Server server_{
      world_, log_, {outbound_, inbound_, executor_, operator_log_}, access_of_server(), now_};
  std::deque<Guest> guests_;
  std::size_t datagrams_ = 0;
};

// Sends `packets` packets. Each has the same `count` commands, with sequence numbers from `first`
// on.
void flood(Hall& hall, std::uint32_t first, std::uint32_t count, int packets) {
  net::ClientEndpoint& flooder = hall.guest(0);
  std::vector<codec::message::TimedCommand> commands;
  for (std::uint32_t i = 0; i < count; ++i) {
    const command::Impulse impulse{BodyId{37}, {0, 0, 0.001f}};
    commands.push_back({Tick{}, {flooder.welcome().client, Sequence{first + i}, impulse}});
  }
  Buffer message;
  const std::size_t encoded = codec::encode_input(commands, message);
  ORRERY_ASSERT(encoded == commands.size());
  for (int i = 0; i < packets; ++i) flooder.send(net::MessageType::input, message, hall.now());
}

// Prints the cost of a burst: 1,000 datagrams of one client arrive in one tick. The server
// disconnects a client that sends more than 1,200 in two seconds.
void print_burst(std::uint32_t commands, const char* quantity, const char* aim) {
  Hall hall("playground", 8);
  double with = 1e300, without = 1e300;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    without = std::min(without, hall.run(150));  // by then the previous burst has been processed
    flood(hall, 1 + round * commands, commands, 1000);
    with = std::min(with, hall.tick());
  }
  ORRERY_ASSERT(hall.guest(0).state() == net::ClientState::connected);
  print_row(quantity, aim, format("%.2f ms", 1e3 * (with - without)),
            format("the tick takes %.1f times its %.2f ms", with / without, 1e3 * without));
}

// Prints the cost of the heaviest flood that does not get a client disconnected: in every tick nine
// equal packets with 64 commands.
void print_lasting_flood() {
  constexpr int kTicks = 300;
  Hall hall("playground", 8);
  double with = 0, without = 0;
  for (int i = 0; i < kTicks; ++i) without += hall.tick();
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    flood(hall, 1 + i, limits::kCommandsQueuedMax, net::kFloodPacketsPerTick - 1);
    with += hall.tick();
  }
  ORRERY_ASSERT(hall.guest(0).state() == net::ClientState::connected);
  print_row("576 commands of one client in each of 300 ticks: others wait", "1 ms",
            format("%.3f ms", 1e3 * (with - without) / kTicks),
            format("a tick takes %.2f times its %.2f ms", with / without, 1e3 * without / kTicks));
}

// Prints the cost of a large snapshot. Every 18th tick sends one, all bodies move, and the path has
// room for most of them.
void print_large_snapshot() {
  constexpr std::uint64_t kInterval = 18;
  Hall hall("free:20000", 1);
  hall.run(600);  // until the budget has grown
  double with = 1e300, without = 1e300;
  std::size_t datagrams = 0;
  for (int i = 0; i < 200; ++i) {
    const bool sends = (hall.world().tick().value + 1) % kInterval == 0;
    double& least = sends ? with : without;
    least = std::min(least, hall.tick());
    if (sends) datagrams = hall.datagrams();
  }
  print_row("a snapshot of free:20000 to one client, selected, beside the tick", "-",
            format("%.2f ms", 1e3 * (with - without)),
            format("%zu datagrams; the tick without: %.2f ms", datagrams, 1e3 * without));
}

}  // namespace

void print_tick_rows() {
  spdlog::set_level(spdlog::level::off);
  print_burst(1, "1,000 packets of one client in a tick, a command each: others wait", "1 ms");
  print_burst(limits::kCommandsQueuedMax, "the same, 64 commands each", "-");
  print_lasting_flood();
  print_large_snapshot();
}

}  // namespace orrery::bench
