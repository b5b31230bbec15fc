// Simulates a network with loss, duplication, delay and virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/host/net/sodium_cipher.h"
#include "common/net/environment.h"

namespace orrery::test {

// Returns an IPv4 address in its IPv6-mapped form.
inline net::Address address_of(std::uint32_t host, std::uint16_t port = 1000) {
  net::Address address;
  for (std::size_t i = 0; i < 4; ++i) {
    address.ip[12 + i] = static_cast<std::uint8_t>(host >> (24 - 8 * i));
  }
  address.ip[10] = address.ip[11] = 0xff;
  address.port = port;
  return address;
}

// The faults of every link. Percentages are of datagrams.
struct LinkFaults {
  std::uint32_t loss_percent = 0;
  std::uint32_t duplicate_percent = 0;
  net::Nanoseconds delay_min = 0;
  // Bound of a random delay that is added to delay_min. Each copy has its own random delay, so
  // datagrams can overtake each other.
  net::Nanoseconds delay_max = 0;
};

// A network that carries datagrams between addresses, and counts the bytes of each pair.
class SimulatedNetwork {
 public:
  SimulatedNetwork(std::uint64_t seed, LinkFaults faults) : random_(seed), faults_(faults) {}

  net::Nanoseconds now = 10 * net::kSecond;

  bool is_cut = false;         // all datagrams are lost
  net::Address unreachable{};  // all datagrams to this address are lost
  std::size_t bytes_max = 0;   // larger datagrams are lost, except requests; 0: none is

  std::uint64_t epoch = 1'700'000'000;  // Unix time when `now` was 0, in seconds
  std::uint64_t unix_seconds() const { return epoch + now / net::kSecond; }

  // Queues a datagram, unless it is lost. It may be queued twice.
  void send(const net::Address& from, const net::Address& to, Bytes bytes) {
    if (is_cut || to == unreachable) return;
    sent_bytes[key(from)][key(to)] += bytes.size();
    if (bytes_max != 0 && bytes.size() > bytes_max && bytes[0] != 0) return;
    if (random_.below(100) < faults_.loss_percent) return;
    put(from, to, bytes);
    if (random_.below(100) < faults_.duplicate_percent) put(from, to, bytes);
  }

  // Returns the next datagram that is due at this address, and sets its sender.
  std::optional<std::vector<std::uint8_t>> receive(const net::Address& at, net::Address& from) {
    auto best = queue_.end();
    for (auto i = queue_.begin(); i != queue_.end(); ++i) {
      const bool due = i->to == at && i->due <= now;
      if (due && (best == queue_.end() || i->due < best->due)) best = i;
    }
    if (best == queue_.end()) return std::nullopt;
    from = best->from;
    auto bytes = std::move(best->bytes);
    queue_.erase(best);
    return bytes;
  }

  std::uint64_t draw() { return random_.next(); }

  using Key = std::pair<std::array<std::uint8_t, 16>, std::uint16_t>;
  static Key key(const net::Address& a) { return {a.ip, a.port}; }
  std::map<Key, std::map<Key, std::uint64_t>> sent_bytes;  // indexed by sender, then by receiver

 private:
  struct InFlight {
    net::Address from;
    net::Address to;
    net::Nanoseconds due;
    std::vector<std::uint8_t> bytes;
  };

  void put(const net::Address& from, const net::Address& to, Bytes bytes) {
    const net::Nanoseconds delay = faults_.delay_max == 0 ? 0 : random_.next() % faults_.delay_max;
    const net::Nanoseconds due = now + faults_.delay_min + delay;
    queue_.push_back({from, to, due, {bytes.begin(), bytes.end()}});
  }

  SplitMix64 random_;
  LinkFaults faults_;
  std::vector<InFlight> queue_;
};

// A host's socket and environment.
class Port final : public net::NetEnvironment, public net::DatagramSource {
 public:
  Port(SimulatedNetwork& network, const net::Address& address)
      : network_(network), address_(address) {}

  const net::Address& address() const { return address_; }

  void send(const net::Address& to, Bytes datagram) override {
    if (record) recorded.emplace_back(datagram.begin(), datagram.end());
    if (!keep) return network_.send(address_, to, datagram);
    kept_.emplace_back(to, std::vector<std::uint8_t>(datagram.begin(), datagram.end()));
  }
  void flush() override {
    for (const auto& [to, datagram] : kept_) network_.send(address_, to, datagram);
    kept_.clear();
  }
  std::uint64_t random() override { return network_.draw(); }
  // The hash has no secret key, but every input bit affects it.
  std::uint64_t keyed_hash(Bytes bytes) const override { return checksum(bytes, 1); }
  const net::Cipher& cipher() const override { return cipher_; }
  // The time is virtual, so tokens expire in virtual time.
  std::uint64_t unix_seconds() const override { return network_.unix_seconds(); }
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override {
    const auto bytes = network_.receive(address_, from);
    if (!bytes) return std::nullopt;
    const std::size_t size = std::min(bytes->size(), into.size());
    std::copy_n(bytes->begin(), size, into.begin());
    return size;
  }

  bool keep = false;  // holds sent datagrams back until flush()
  bool record = false;
  std::vector<std::vector<std::uint8_t>> recorded;  // datagrams sent while `record` was set

 private:
  SimulatedNetwork& network_;
  std::vector<std::pair<net::Address, std::vector<std::uint8_t>>> kept_;
  net::Address address_;
  host::SodiumCipher cipher_;
};

}  // namespace orrery::test
