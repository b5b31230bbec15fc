// Measures the server time for each of a thousand clients, compared with a bare loop and ENet.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "client/lib/connection.h"
#include "common/codec/snapshot_codec.h"
#include "common/host/net/udp.h"
#include "common/net/drain.h"
#include "common/net/packet/address_text.h"
#include "common/world/scenes/scenes.h"
#include "server/server.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"
#include "tests/bench/thousand_clients.h"
#include "tests/bench/tokens.h"

namespace orrery::bench {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr net::Nanoseconds kTick = net::kSecond / 60;
constexpr int kTicksPerTurn = 20;
constexpr double kDeliveredMin = 0.99;

net::Address loopback() { return net::parse_address("127.0.0.1:0").value(); }

std::unique_ptr<host::UdpNetwork> open_socket() {
  return std::move(host::UdpNetwork::bind(loopback()).value());
}

// A log sink that discards all records.
class Nowhere final : public session::RecordSink {
 public:
  bool begin(const codec::LogHeader&, const session::LogRecord*) override { return true; }
  bool append(const session::LogRecord&) override { return true; }
};

// The way to send datagrams: many in one system call, or each in its own.
enum class Sending : std::uint8_t { batches, one_by_one };

// The real server with log and simulation, but without a disk.
class OrreryService final : public Service {
 public:
  // `delta`: the clients receive frames of mode delta. `ticks` are played before the service is
  // measured, so that all clients have what they need.
  OrreryService(const char* scene, Sending sending, bool delta = false, int ticks = 10)
      : world_(built_in_scene(scene).value()),
        server_(world_, log_,
                {sending == Sending::batches ? static_cast<net::NetEnvironment&>(batch_) : *socket_,
                 batch_, executor_, operator_log_},
                access(), now_) {
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      sockets_.push_back(open_socket());
      clients_.push_back(std::make_unique<client::Connection>(
          *sockets_.back(), token_for(access(), i + 1), now_, false, nullptr, delta));
    }
    for (int tick = 0; tick < ticks; ++tick) {
      now_ += kTick;
      for (const auto& client : clients_) client->update(now_);
      serve();
      collect();
    }
    for (const auto& client : clients_) ORRERY_ASSERT(client->connected());
  }

  void ask() override {
    now_ += kTick;
    for (const auto& client : clients_) {
      ORRERY_ASSERT(client->command(command::Impulse{BodyId{0}, {0, 0, 0.001f}}));
      client->update(now_);
    }
  }

  void serve() override { server_.tick(now_); }

  std::uint64_t collect() override {
    std::uint64_t snapshots = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      net::drain(*sockets_[i], [&](const net::Address& from, Bytes datagram) {
        if (clients_[i]->receive(from, datagram, now_)) ++snapshots;
        received_bytes_ += datagram.size();
      });
    }
    return snapshots;
  }

  const World& world() const { return world_; }
  // Returns the bytes that the clients received since the last call.
  std::uint64_t received_bytes() { return std::exchange(received_bytes_, 0); }

 private:
  net::Access access() const {
    net::Access access;
    access.address = socket_->local();
    access.key_is_fresh = true;
    return access;
  }

  net::Nanoseconds now_ = net::kSecond;
  const std::unique_ptr<host::UdpNetwork> socket_ = open_socket();
  host::UdpBatch batch_{*socket_};
  World world_;
  Nowhere nowhere_;
  session::SessionLog log_{nowhere_, session::make_log_header(world_, "bench", codec::SessionId{})};
  SerialExecutor executor_;
  server::OperatorLog operator_log_;
  server::Server server_;
  std::uint64_t received_bytes_ = 0;
  std::vector<std::unique_ptr<host::UdpNetwork>> sockets_;
  std::vector<std::unique_ptr<client::Connection>> clients_;
};

// The lower bound of the cost of a server: receives, opens, seals and sends datagrams of the sizes
// that the real server handles, and does nothing else.
class BareService final : public Service {
 public:
  BareService(std::size_t input_bytes, std::size_t snapshot_bytes)
      : input_(input_bytes, 1), snapshot_(snapshot_bytes, 2) {
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      sockets_.push_back(open_socket());
      sockaddr_in& address = addresses_.emplace_back();
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(sockets_.back()->local().port);
      clients_[sockets_.back()->local().port] = i;
      host::fill_random(keys_.emplace_back());
    }
  }

  void ask() override {
    ++sequence_;
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      packet_.clear();
      sealer_.seal(keys_[i], net::PacketType::payload, sequence_, input_, packet_);
      sockets_[i]->send(socket_->local(), packet_);
    }
  }

  void serve() override {
    sockaddr_in from;
    for (;;) {
      socklen_t size = sizeof from;
      const ssize_t got = ::recvfrom(socket_->descriptor(), buffer_.data(), buffer_.size(), 0,
                                     reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 0) break;
      const Bytes packet = Bytes(buffer_).first(static_cast<std::size_t>(got));
      const net::Key& key = keys_[clients_[ntohs(from.sin_port)]];
      ORRERY_ASSERT(sealer_.open(key, *net::decode_prefix(packet), packet, text_));
    }
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      packet_.clear();
      sealer_.seal(keys_[i], net::PacketType::payload, sequence_, snapshot_, packet_);
      ::sendto(socket_->descriptor(), packet_.data(), packet_.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&addresses_[i]), sizeof addresses_[i]);
    }
  }

  std::uint64_t collect() override {
    std::uint64_t snapshots = 0;
    net::Address from;
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      while (const auto size = sockets_[i]->receive(from, buffer_)) {
        const Bytes packet = Bytes(buffer_).first(*size);
        if (sealer_.open(keys_[i], *net::decode_prefix(packet), packet, text_)) ++snapshots;
      }
    }
    return snapshots;
  }

 private:
  const Buffer input_, snapshot_;
  const host::SodiumCipher cipher_;
  const net::PacketSealer sealer_{cipher_, net::kDefaultProtocolId};
  const std::unique_ptr<host::UdpNetwork> socket_ = open_socket();
  std::vector<std::unique_ptr<host::UdpNetwork>> sockets_;
  std::vector<sockaddr_in> addresses_;
  std::vector<net::Key> keys_;
  std::vector<std::uint32_t> clients_ = std::vector<std::uint32_t>(1 << 16);  // indexed by port
  std::uint64_t sequence_ = 300;  // its encoding has two bytes
  Buffer packet_;
  std::array<std::uint8_t, net::kPacketBytesMax> buffer_, text_;
};

// A service that only sends prepared datagrams, in batches or one by one.
class SendingService final : public Service {
 public:
  explicit SendingService(Sending sending)
      : network_(sending == Sending::batches ? static_cast<net::NetEnvironment&>(batch_)
                                             : *socket_) {
    for (std::uint32_t i = 0; i < kServedClients; ++i) sockets_.push_back(open_socket());
  }

  void ask() override {}

  void serve() override {
    for (const auto& to : sockets_) network_.send_train(to->local(), train_, kDatagramBytes);
    network_.flush();
  }

  std::uint64_t collect() override {
    std::array<std::uint8_t, kDatagramBytes> buffer;
    std::uint64_t datagrams = 0;
    net::Address from;
    for (const auto& socket : sockets_) {
      while (socket->receive(from, buffer)) ++datagrams;
    }
    return datagrams / kDatagrams;
  }

 private:
  static constexpr std::size_t kDatagrams = 8;
  static constexpr std::size_t kDatagramBytes = 1155;  // a snapshot of 15 bodies

  const std::unique_ptr<host::UdpNetwork> socket_ = open_socket();
  host::UdpBatch batch_{*socket_};
  net::NetEnvironment& network_;
  const Buffer train_ = Buffer(kDatagrams * kDatagramBytes, 1);
  std::vector<std::unique_ptr<host::UdpNetwork>> sockets_;
};

// The cost of a service.
struct Cost {
  double microseconds = 1e300;  // server time for each client and snapshot, in the best round
  double delivered = 1;         // share of the snapshots that arrived, in the worst round
};

void take_turn(Service& service, Cost& cost) {
  double seconds = 0;
  std::uint64_t snapshots = 0;
  for (int tick = 0; tick < kTicksPerTurn; ++tick) {
    service.ask();
    const double start = host::process_cpu_seconds();
    service.serve();
    seconds += host::process_cpu_seconds() - start;
    snapshots += service.collect();
  }
  constexpr double kDue = double{kServedClients} * kTicksPerTurn;
  cost.microseconds = std::min(cost.microseconds, 1e6 * seconds / kDue);
  cost.delivered = std::min(cost.delivered, static_cast<double>(snapshots) / kDue);
}

template <std::size_t kCount>
std::array<Cost, kCount> take_turns(const std::array<Service*, kCount>& services) {
  std::array<Cost, kCount> costs;
  for (Service* const service : services) {
    Cost warm_up;
    take_turn(*service, warm_up);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kCount; ++i) take_turn(*services[i], costs[i]);
  }
  return costs;
}

std::string ratio(const Cost& ours, const Cost& other) {
  if (std::min(ours.delivered, other.delivered) < kDeliveredMin) return "void";
  return format("%.2f", ours.microseconds / other.microseconds);
}

std::string describe(const char* name, const Cost& cost) {
  return format("%s: %.2f us, %.1f %% delivered", name, cost.microseconds, 100 * cost.delivered);
}

// Returns the payload size of a snapshot.
std::size_t snapshot_bytes(const World& world) {
  codec::SnapshotEncoder encoder;
  encoder.encode(world);
  return net::kPayloadHeaderBytes + encoder.part(0, {Sequence{}, {}}).size();
}

std::size_t input_bytes() {
  const codec::message::TimedCommand command{
      Tick{}, {ClientId{500}, Sequence{500}, command::Impulse{BodyId{0}, {0, 0, 0.001f}}}};
  Buffer bytes;
  codec::encode_input({&command, 1}, bytes);
  return net::kPayloadHeaderBytes + bytes.size();
}

void print_small_snapshots() {
  OrreryService ours("free:2", Sending::batches);
  const std::size_t input = input_bytes(), snapshot = snapshot_bytes(ours.world());
  BareService bare(input, snapshot);
  const auto enet = make_enet_service(input, snapshot);
  ORRERY_ASSERT(enet);
  const auto [own, floor, peer] = take_turns<3>({&ours, &bare, enet.get()});
  print_row(format("a client and snapshot of %zu bytes, of 1,000, one input each", snapshot), "-",
            format("%.2f us", own.microseconds), format("%.1f %% delivered", 100 * own.delivered));
  print_row("the same, times a bare loop with the same datagrams", "1.15", ratio(own, floor),
            describe("bare", floor));
  print_row("the same, times ENet, not encrypted", "1.05", ratio(own, peer),
            describe("ENet", peer));
}

void print_large_snapshots() {
  OrreryService trains("free:120", Sending::batches);
  OrreryService one_by_one("free:120", Sending::one_by_one);
  const auto [train, single] = take_turns<2>({&trains, &one_by_one});
  print_row("a client and snapshot of 8 datagrams", "-", format("%.2f us", train.microseconds),
            format("%.1f %% delivered", 100 * train.delivered));
  print_row("the same, one call for each datagram: times that", "1.9", ratio(single, train),
            describe("one by one", single));
  SendingService send_trains(Sending::batches), send_one_by_one(Sending::one_by_one);
  const auto [sent, sent_singly] = take_turns<2>({&send_trains, &send_one_by_one});
  print_row("sending alone, of what is sealed: one call each, times a train", "-",
            ratio(sent_singly, sent), describe("train", sent));
}

// A thousand clients of mode delta, while the cubes of the scene move. The aim is one processor at
// 60 Hz.
void print_delta_frames() {
  OrreryService service("cubes", Sending::batches, true, 400);
  service.received_bytes();
  Cost cost;
  for (int round = 0; round < kRounds; ++round) take_turn(service, cost);
  constexpr double kSnapshots = double{kServedClients} * kTicksPerTurn * kRounds;
  print_row("cubes: 1,000 clients of mode delta at 60 Hz, one input each: processors", "1",
            format("%.2f", cost.microseconds * 1e-6 * 60 * kServedClients),
            format("%.2f us a client and snapshot, %.0f bytes of datagrams, %.1f %% delivered",
                   cost.microseconds, static_cast<double>(service.received_bytes()) / kSnapshots,
                   100 * cost.delivered));
}

}  // namespace

void print_served_rows() {
  spdlog::set_level(spdlog::level::off);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  print_small_snapshots();
  print_large_snapshots();
  print_delta_frames();
}

}  // namespace orrery::bench
