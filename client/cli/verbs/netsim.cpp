// Implements `orrery netsim`: a relay that loses and delays datagrams between clients and a server.
#include <poll.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/hash.h"
#include "common/core/limits.h"
#include "common/host/net/udp.h"
#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"
#include "common/net/faulty_path.h"
#include "common/net/packet/address_text.h"

namespace orrery::cli {
namespace {

struct NetsimOptions {
  std::string listen;
  std::string to;
  double loss = 0;  // percent, like the next three fields
  double duplicate = 0;
  double reorder = 0;
  double corrupt = 0;
  std::uint32_t delay = 0;   // milliseconds
  std::uint32_t jitter = 0;  // milliseconds
  std::uint32_t rate = 0;    // kilobits per second; 0: no limit
  std::size_t mtu = 0;       // bytes in the largest datagram that passes; 0: no limit
  std::uint64_t seed = 1;
  bool json = false;
};

constexpr std::size_t kDatagramBytesMax = 65536;
constexpr std::size_t kOnTheWayMax = 65536;  // datagrams in transit, in each direction
constexpr net::Nanoseconds kForgetAfter = 60 * net::kSecond;
constexpr int kPollMilliseconds = 50;
constexpr int kDatagramsPerDrain = 1024;

net::PathFaults faults_of(const NetsimOptions& options) {
  return {.loss = options.loss / 100,
          .duplicate = options.duplicate / 100,
          .reorder = options.reorder / 100,
          .corrupt = options.corrupt / 100,
          .delay = options.delay * net::kMillisecond,
          .jitter = options.jitter * net::kMillisecond,
          .bytes_per_second = std::uint64_t{options.rate} * 1000 / 8,
          .bytes_max = options.mtu};
}

// The counters of all clients together.
struct Totals {
  std::uint64_t clients = 0;
  net::PathCounters to_server;
  net::PathCounters to_clients;
};

void add(const net::PathCounters& from, net::PathCounters& to) {
  to.sent += from.sent;
  to.lost += from.lost;
  to.duplicated += from.duplicated;
  to.reordered += from.reordered;
  to.corrupted += from.corrupted;
  to.no_room += from.no_room;
  to.too_large += from.too_large;
}

// A relay with one socket per client, so that the server sees each client at its own port.
class Relay {
 public:
  Relay(host::UdpNetwork& listener, const net::Address& server, const NetsimOptions& options)
      : listener_(listener), server_(server), options_(options), buffer_(kDatagramBytesMax) {}

  // Waits for a datagram or the end of a delay, at most kPollMilliseconds. Then forwards the
  // datagrams that are due.
  void turn() {
    const int wait = milliseconds_to_wait(host::monotonic_now());
    descriptors_.assign(1, {listener_.descriptor(), POLLIN, 0});
    for (const auto& client : clients_) {
      descriptors_.push_back({client->socket->descriptor(), POLLIN, 0});
    }
    ::poll(descriptors_.data(), descriptors_.size(), wait);
    const net::Nanoseconds now = host::monotonic_now();
    for (std::size_t i = 0; i + 1 < descriptors_.size(); ++i) {
      if (descriptors_[i + 1].revents != 0) hear_server(*clients_[i], now);
    }
    if (descriptors_[0].revents != 0) hear_clients(now);
    pass_on(now);
    forget(now);
  }

  Totals totals() const {
    Totals sum = gone_;
    for (const auto& client : clients_) count(*client, sum);
    return sum;
  }

 private:
  struct Client {
    net::Address address;
    std::unique_ptr<host::UdpNetwork> socket;  // connected to the server
    net::FaultyPath up;
    net::FaultyPath down;
    net::Nanoseconds heard = 0;
  };

  static void count(const Client& client, Totals& sum) {
    ++sum.clients;
    add(client.up.counters(), sum.to_server);
    add(client.down.counters(), sum.to_clients);
  }

  int milliseconds_to_wait(net::Nanoseconds now) const {
    int wait = kPollMilliseconds;
    for (const net::DatagramQueue* const queue : {&to_server_, &to_clients_}) {
      const auto due = queue->next_due();
      if (!due) continue;
      const net::Nanoseconds left = *due > now ? *due - now : 0;
      wait = static_cast<int>(std::min<net::Nanoseconds>(left / net::kMillisecond,
                                                         static_cast<net::Nanoseconds>(wait)));
    }
    return wait;
  }

  void hear_clients(net::Nanoseconds now) {
    net::Address from;
    for (int i = 0; i < kDatagramsPerDrain; ++i) {
      const auto size = listener_.receive(from, buffer_);
      if (!size) return;
      Client* client = find(from);
      if (!client) client = take_in(from);
      if (!client) continue;
      client->heard = now;
      client->up.send(from, server_, Bytes(buffer_).first(*size), now, to_server_);
    }
  }

  void hear_server(Client& client, net::Nanoseconds now) {
    net::Address from;
    for (int i = 0; i < kDatagramsPerDrain; ++i) {
      const auto size = client.socket->receive(from, buffer_);
      if (!size) return;
      if (from != server_) continue;
      client.heard = now;
      client.down.send(server_, client.address, Bytes(buffer_).first(*size), now, to_clients_);
    }
  }

  void pass_on(net::Nanoseconds now) {
    while (const net::Datagram* const datagram = to_server_.take(now)) {
      if (Client* const client = find(datagram->from)) {
        client->socket->send(server_, datagram->bytes);
      }
    }
    while (const net::Datagram* const datagram = to_clients_.take(now)) {
      listener_.send(datagram->to, datagram->bytes);
    }
  }

  Client* find(const net::Address& address) {
    for (const auto& client : clients_) {
      if (client->address == address) return client.get();
    }
    return nullptr;
  }

  // Adds a client. Returns null if there are too many, or if the system has no more sockets.
  // Clients get the seeds of their paths in the order in which they arrive.
  Client* take_in(const net::Address& address) {
    if (clients_.size() == limits::kClientsMax) return nullptr;
    auto socket = host::UdpNetwork::towards(server_);
    if (!socket) return nullptr;
    const net::PathFaults faults = faults_of(options_);
    const std::uint64_t seed = mix64(options_.seed) + 2 * taken_in_++;
    clients_.push_back(std::make_unique<Client>(Client{address, std::move(socket.value()),
                                                       net::FaultyPath(mix64(seed), faults),
                                                       net::FaultyPath(mix64(seed + 1), faults)}));
    return clients_.back().get();
  }

  void forget(net::Nanoseconds now) {
    std::erase_if(clients_, [&](const auto& client) {
      const bool is_over = now - client->heard > kForgetAfter;
      if (is_over) count(*client, gone_);
      return is_over;
    });
  }

  host::UdpNetwork& listener_;
  const net::Address server_;
  const NetsimOptions options_;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<pollfd> descriptors_;
  net::DatagramQueue to_server_{kOnTheWayMax};
  net::DatagramQueue to_clients_{kOnTheWayMax};
  std::uint64_t taken_in_ = 0;
  Totals gone_;  // counters of clients that were forgotten
};

json::Text counters_json(const net::PathCounters& c) {
  return json::object({{"sent", c.sent},
                       {"lost", c.lost},
                       {"duplicated", c.duplicated},
                       {"reordered", c.reordered},
                       {"corrupted", c.corrupted},
                       {"no_room", c.no_room},
                       {"too_large", c.too_large}});
}

void print_counters(const char* direction, const net::PathCounters& c) {
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "%s  %llu sent, %llu lost, %llu duplicated, %llu reordered, %llu corrupted, "
      "%llu overflowed, %llu oversized\n",
      direction, number(c.sent), number(c.lost), number(c.duplicated), number(c.reordered),
      number(c.corrupted), number(c.no_room), number(c.too_large));
}

void print_totals(const Totals& totals, bool as_json) {
  if (as_json) {
    json::print(json::object({{"clients", totals.clients},
                              {"to_server", counters_json(totals.to_server)},
                              {"to_clients", counters_json(totals.to_clients)}}));
    return;
  }
  print_counters("to the server ", totals.to_server);
  print_counters("to the clients", totals.to_clients);
}

int netsim(const NetsimOptions& options) {
  const auto at = net::parse_address(options.listen);
  if (!at) return unusable("--listen " + at.error().text());
  const auto server = host::ServerName::find(options.to);
  if (!server) return unusable("--to " + server.error().text());
  const auto listener = host::UdpNetwork::bind(at.value());
  if (!listener) return unusable("--listen " + listener.error().text());
  if (!options.json) {
    std::printf("udp %s\nready\n", net::format_address(listener.value()->local()).c_str());
    if (std::fflush(stdout) != 0) return 0;  // main() reports the error
  }
  const host::StopSignal stop;
  Relay relay(*listener.value(), server.value().first(), options);
  while (!stop.asked()) relay.turn();
  print_totals(relay.totals(), options.json);
  return 0;
}

void add_percent(Verb& verb, const std::string& name, double& share, const std::string& about) {
  verb.option(name, share, about).shows_default("0").number(0, 100).type("PERCENT");
}

}  // namespace

void add_netsim(Verb& program) {
  auto [verb, options] = program.add_verb(
      "netsim", "Relay datagrams to a server as a bad network would",
      "  orrery netsim --listen 127.0.0.1:4771 --to 127.0.0.1:4770 --loss 5 --delay 40", netsim);
  verb.option("--listen", options.listen, "Address that the clients send to")
      .required()
      .type("ADDR:PORT");
  verb.option("--to", options.to, "Address of the server").required().type("ADDR:PORT");
  add_percent(verb, "--loss", options.loss, "Percent of datagrams to lose, in each direction");
  add_percent(verb, "--duplicate", options.duplicate, "Percent of datagrams to duplicate");
  add_percent(verb, "--reorder", options.reorder,
              "Percent of datagrams to send without delay, so that they overtake others");
  add_percent(verb, "--corrupt", options.corrupt,
              "Percent of datagrams to damage, by flipping bits or cutting off the end");
  constexpr std::uint32_t kDelayMax = 60'000;
  verb.option("--delay", options.delay, "Delay of every datagram, in milliseconds")
      .shows_default()
      .whole_number(0, kDelayMax)
      .type("MS");
  verb.option("--jitter", options.jitter,
              "Largest random addition to the delay of a datagram, in milliseconds")
      .shows_default()
      .whole_number(0, kDelayMax)
      .type("MS");
  verb.option("--rate", options.rate, "Bandwidth of each client in each direction, in kbit/s")
      .shows_default("no limit")
      .whole_number(1, 10'000'000)
      .type("KBIT");
  verb.option("--mtu", options.mtu, "Drop datagrams of more than N bytes, in each direction")
      .shows_default("no limit")
      .whole_number(std::size_t{1}, kDatagramBytesMax)
      .type("N");
  verb.option("--seed", options.seed, "Seed of all random choices")
      .shows_default()
      .any_number()
      .type("N");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
