// Holds accepted connections until the server has time for them. Questions about its health come
// first.
#pragma once

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "common/core/assert.h"
#include "common/net/packet/address.h"
#include "server/web/socket_state.h"

namespace orrery::server::web {

// Accepting a connection costs a tenth of what serving it costs. The queue of the kernel is thus
// short even while hundreds of connections begin in a second, and a question about the health does
// not wait behind them.
class Lobby {
 public:
  // Most connections that wait. A page that hundreds open at once loses none of them.
  static constexpr std::size_t kGuestsMax = 1024;

  struct Guest {
    boost::asio::ip::tcp::socket socket;
    net::Address address;
    bool asks_health = false;
  };

  bool empty() const { return guests_.empty(); }

  // Adds a connection. If the lobby is full, a question about the health takes the place of the
  // newest other one. Returns the address of the connection that is closed for lack of room, if
  // there is one.
  std::optional<net::Address> add(boost::asio::ip::tcp::socket socket,
                                  const net::Address& address) {
    Guest guest{std::move(socket), address, false};
    guest.asks_health = asks_health(guest.socket.native_handle());
    std::optional<net::Address> closed;
    if (guests_.size() == kGuestsMax) {
      if (!guest.asks_health) return address;
      const auto newest = std::find_if(guests_.rbegin(), guests_.rend(),
                                       [](const Guest& each) { return !each.asks_health; });
      const auto loser = newest == guests_.rend() ? guests_.begin() : std::prev(newest.base());
      closed = loser->address;
      guests_.erase(loser);
    }
    guests_.push_back(std::move(guest));
    return closed;
  }

  // Returns the next connection: one that asks for the health, or the one that has waited longest.
  // REQUIRES: not empty.
  Guest take() {
    ORRERY_ASSERT(!empty());
    auto next = std::find_if(guests_.begin(), guests_.end(),
                             [](const Guest& each) { return each.asks_health; });
    if (next == guests_.end()) next = guests_.begin();
    Guest guest = std::move(*next);
    guests_.erase(next);
    return guest;
  }

 private:
  std::deque<Guest> guests_;  // in the order of their arrival
};

}  // namespace orrery::server::web
