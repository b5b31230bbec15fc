// Measures the server time that clients can cause in a tick: by flooding, in a large world, or by
// keeping old baselines.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>

#include "common/net/client_endpoint.h"
#include "common/world/scenes/scenes.h"
#include "server/server.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/bench/wire.h"
#include "tests/support/bots/hostile_readers.h"
#include "tests/support/memory_log.h"

namespace orrery::bench {
namespace {

constexpr net::Nanoseconds kTick = net::kSecond / 60;
constexpr net::Nanoseconds kStart = net::kSecond;

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

template <class Client>
struct Guest {
  // `make(wire, token, number)` returns the client.
  template <class Make>
  Guest(std::uint32_t number, Make make)
      : address(address_of(number)),
        client(make(wire, token_for(access_of_server(), number), number)) {}

  const net::Address address;
  Wire wire;
  Client client;
};

// A server and its clients in one process, without sockets.
template <class Client>
class Hall {
 public:
  template <class Make>
  Hall(const char* scene, std::uint32_t guests, Make make) : world_(built_in_scene(scene).value()) {
    for (std::uint32_t i = 0; i < guests; ++i) guests_.emplace_back(i, make);
    run(10);
    ORRERY_ASSERT(server_.endpoint().peers().count() == guests);
  }

  // Runs a tick and returns the CPU seconds of the server.
  double tick() {
    now_ += kTick;
    for (auto& g : guests_) inbound_.take(g.address, g.wire);
    const double start = host::process_cpu_seconds();
    server_.tick(now_);
    const double seconds = host::process_cpu_seconds() - start;
    datagrams_ = outbound_.sent.size();
    for (const auto& [to, datagram] : outbound_.sent) {
      guests_[std::size_t{to.ip[14]} << 8 | to.ip[15]].client.receive(access_of_server().address,
                                                                      datagram, now_);
    }
    outbound_.sent.clear();
    for (auto& g : guests_) g.client.update(now_);
    return seconds;
  }

  // Runs several ticks and returns the least time of one.
  double run(int ticks) {
    double least = 1e300;
    for (int i = 0; i < ticks; ++i) least = std::min(least, tick());
    return least;
  }

  const World& world() const { return world_; }
  Client& guest(std::size_t number) { return guests_[number].client; }
  std::size_t datagrams() const { return datagrams_; }  // sent by the last tick
  net::Nanoseconds now() const { return now_; }

 private:
  net::Nanoseconds now_ = kStart;
  World world_;
  test::MemorySink sink_;
  session::SessionLog log_{sink_, session::make_log_header(world_, "bench", codec::SessionId{})};
  Wire outbound_;
  Inbound inbound_;
  SerialExecutor executor_;
  server::OperatorLog operator_log_;
  server::Server server_{
      world_, log_, {outbound_, inbound_, executor_, operator_log_}, access_of_server(), now_};
  std::deque<Guest<Client>> guests_;
  std::size_t datagrams_ = 0;
};

// A hall of clients that read plain snapshots.
struct PlainHall : Hall<net::ClientEndpoint> {
  PlainHall(const char* scene, std::uint32_t guests)
      : Hall(scene, guests, [](Wire& wire, const net::ConnectToken& token, std::uint32_t) {
          return net::ClientEndpoint(wire, token, kStart);
        }) {}
};

// Sends `packets` packets. Each has the same `count` commands, with sequence numbers from `first`
// on.
void flood(PlainHall& hall, std::uint32_t first, std::uint32_t count, int packets) {
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
  PlainHall hall("playground", 8);
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
  PlainHall hall("playground", 8);
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
  PlainHall hall("free:20000", 1);
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

// Returns the CPU seconds of ten seconds of `free:900` with 40 readers of mode delta. The readers
// have joined four seconds before.
double seconds_of_readers(test::FrameReader::Manner manner) {
  Hall<test::FrameReader> hall(
      "free:900", 40, [&](Wire& wire, const net::ConnectToken& token, std::uint32_t number) {
        return test::FrameReader(wire, token, kStart, manner, number);
      });
  hall.run(240);
  double seconds = 0;
  for (int i = 0; i < 600; ++i) seconds += hall.tick();
  return seconds;
}

// Prints the cost of readers that each acknowledge one frame and then no other, and of readers that
// acknowledge frames of all ages, compared with honest ones.
void print_old_baselines() {
  using Manner = test::FrameReader::Manner;
  double honest = 1e300, keeps_one = 1e300, lags = 1e300;
  for (int round = 0; round < 3; ++round) {
    honest = std::min(honest, seconds_of_readers(Manner::honest));
    keeps_one = std::min(keeps_one, seconds_of_readers(Manner::keeps_one));
    lags = std::min(lags, seconds_of_readers(Manner::lags));
  }
  const auto note = [&](double seconds) {
    return format("%.0f %% of a processor, honest %.0f %%", 10 * seconds, 10 * honest);
  };
  print_row("free:900, 40 readers of mode delta that keep one baseline, against honest ones", "1.2",
            format("%.2f times", keeps_one / honest), note(keeps_one));
  print_row("the same, baselines of all ages up to 40 frames", "-",
            format("%.2f times", lags / honest), note(lags));
}

}  // namespace

void print_tick_rows() {
  spdlog::set_level(spdlog::level::off);
  print_burst(1, "1,000 packets of one client in a tick, a command each: others wait", "1 ms");
  print_burst(limits::kCommandsQueuedMax, "the same, 64 commands each", "-");
  print_lasting_flood();
  print_large_snapshot();
  print_old_baselines();
}

}  // namespace orrery::bench
