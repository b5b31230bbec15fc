// Holds accepted connections until the server has time for them. Questions about its health come
// first.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <deque>
#include <optional>

#include "common/net/packet/address.h"
#include "server/web/socket_state.h"

namespace orrery::server::web {

// Accepting a connection costs a tenth of what serving it costs. The queue of the kernel is thus
// short even while thousands of connections begin in a second, and a question about the health does
// not wait behind them.
//
// REQUIRES: the lobby outlives the handlers of the sockets' context.
class Lobby {
 public:
  // Most connections that wait. A page that hundreds open at once loses none of them.
  static constexpr std::size_t kGuestsMax = 1024;

  struct Guest {
    boost::asio::ip::tcp::socket socket;
    net::Address address;
    FirstInput input = FirstInput::none;
  };

  bool empty() const { return health_.empty() && others_.empty(); }

  // Adds a connection. If the lobby is full, a question about the health takes the place of the
  // newest other one. Returns the address of the connection that is closed for lack of room, if
  // there is one.
  std::optional<net::Address> add(boost::asio::ip::tcp::socket socket, const net::Address& address);

  // Removes the next connection: one that asks for the health, or the one that has waited longest.
  // Returns nothing if its other side has gone. REQUIRES: not empty.
  std::optional<Guest> take();

 private:
  // Looks at the first input of a connection that had none when it was added.
  void look_again(const net::Address& address);

  std::deque<Guest> health_;  // those that ask for the health, the oldest first
  std::deque<Guest> others_;  // the oldest first
};

}  // namespace orrery::server::web
