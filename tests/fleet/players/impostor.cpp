// Simulates an attacker that copies handshakes and sends them from the same or other addresses.
#include "tests/fleet/players/impostor.h"

#include <algorithm>

#include "common/net/packet/packet.h"

namespace orrery::fleet {
namespace {

// Maximum number of recorded handshakes. All clients together make no more in the lifetime of a
// token.
constexpr std::size_t kHandshakesMax = 32;
constexpr std::uint32_t kActsOneIn = 30;
constexpr std::uint32_t kRacesOneIn = 600;
constexpr std::uint32_t kRaceSeconds = 10;  // longest time of racing
constexpr std::uint32_t kCopiesMax = 4;     // of a packet in a race

net::PacketType type_of(Bytes datagram) { return static_cast<net::PacketType>(datagram[0] & 0xf); }

}  // namespace

// Records a handshake. Clients repeat requests and responses, so a known request is ignored.
void Impostor::hear(const net::Address& from, Bytes datagram) {
  const net::PacketType type = type_of(datagram);
  const bool connects = type == net::PacketType::request || type == net::PacketType::response;
  const bool moves = type == net::PacketType::move || type == net::PacketType::moved;
  if (network_.now < races_until_ && (connects || moves)) race(datagram);
  if (type == net::PacketType::request) {
    const auto is_it = [&](const Handshake& h) {
      return h.from == from && std::ranges::equal(h.request, datagram);
    };
    if (std::any_of(heard_.begin(), heard_.end(), is_it)) return;
    if (heard_.size() < kHandshakesMax) heard_.emplace_back();
    heard_[next_++ % heard_.size()] = {from, {datagram.begin(), datagram.end()}, {}};
  } else if (type == net::PacketType::response) {
    for (std::size_t i = 1; i <= heard_.size(); ++i) {  // newest first
      Handshake& handshake = heard_[(next_ - i) % heard_.size()];
      if (handshake.from != from) continue;
      handshake.response.assign(datagram.begin(), datagram.end());
      return;
    }
  }
}

// Sends copies from addresses that nobody has.
void Impostor::race(Bytes datagram) {
  for (std::uint32_t i = random_.below(kCopiesMax) + 1; i > 0; --i) {
    const std::uint32_t ip = kOwnNetwork + (3 << 16) + random_.below(1 << 16);
    network_.forge_to_server(address_of(ip, 1000), datagram);
  }
}

// Returns the address of a recorded handshake, or a random unused address, each in half of the
// calls.
net::Address Impostor::any_name() {
  if (random_.below(2) == 0) return any().from;
  return address_of(kOwnNetwork + (2 << 16) + random_.below(1 << 16), 1000);
}

// In one of kActsOneIn calls, sends an overheard request. In the next call, sends the overheard
// response, which belongs to an earlier challenge.
void Impostor::act() {
  if (random_.below(kRacesOneIn) == 0) {
    races_until_ = network_.now + (1 + random_.below(kRaceSeconds)) * net::kSecond;
  }
  if (!response_.empty()) {
    network_.forge_to_server(name_, response_);
    response_.clear();
  }
  if (heard_.empty() || random_.below(kActsOneIn) != 0) return;
  const Handshake& handshake = any();
  name_ = random_.below(3) == 0 ? handshake.from : any_name();
  response_ = handshake.response;
  ++requests_;
  network_.forge_to_server(name_, handshake.request);
}

}  // namespace orrery::fleet
