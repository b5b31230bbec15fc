// Holds accepted connections until the server has time for them. Questions about its health come
// first.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "common/net/packet/address.h"
#include "server/web/socket_state.h"

namespace orrery::server::web {

// An accepted connection that waits. It is not in the epoll set of the loop: most guests of an
// attack leave, or are dropped, before their turn.
struct Guest {
  OwnedSocket socket;
  net::Address address;
};

// Accepting a connection costs a tenth of what serving it costs. The queue of the kernel is thus
// short even while thousands of connections begin in a second, and a question about the health does
// not wait for them. Connections of an attack stay in the lobby until they leave: the other side of
// one that is closed at once connects again at once.
class Lobby {
 public:
  Lobby();

  // Most connections that wait. A page that hundreds open at once loses none of them.
  static constexpr std::size_t kGuestsMax = 1024;

  bool empty() const { return health_.empty() && others_.empty(); }

  // Adds a connection. If the lobby is full, it takes the place of the oldest one, if that one's
  // other side has gone. Otherwise, only a question about the health finds room: it takes the place
  // of the newest other one. Returns the address of the connection that is closed for lack of room,
  // if there is one.
  std::optional<net::Address> add(Guest guest);

  // Removes the next connection: one that asks for the health, or the one that has waited longest.
  // Returns nothing if its other side has gone. REQUIRES: not empty.
  std::optional<Guest> take();

 private:
  // Looks at the first input of connections that had none when they were added.
  void look_again();

  std::deque<Guest> health_;  // those that ask for the health, the oldest first
  std::deque<Guest> others_;  // the oldest first
  const OwnedSocket late_;    // epoll set of those that had no input when they were added
};

}  // namespace orrery::server::web
