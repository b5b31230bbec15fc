// Holds accepted connections until the server has time for them. Questions about its health come
// first.
#include "server/web/lobby.h"

#include <algorithm>
#include <utility>

#include "common/core/assert.h"

namespace orrery::server::web {

std::optional<net::Address> Lobby::add(boost::asio::ip::tcp::socket socket,
                                       const net::Address& address) {
  Guest guest{std::move(socket), address};
  guest.input = first_input(guest.socket.native_handle());
  const bool asks_health = guest.input == FirstInput::health;
  std::optional<net::Address> closed;
  if (health_.size() + others_.size() == kGuestsMax) {
    if (!asks_health) return address;
    auto& losers = others_.empty() ? health_ : others_;
    closed = losers.back().address;
    losers.pop_back();
  }
  if (guest.input == FirstInput::none) {
    // once, so that a slow sender costs no more: a request is hardly ever cut in its first line
    guest.socket.async_wait(boost::asio::socket_base::wait_read,
                            [this, address](const boost::system::error_code& error) {
                              if (!error) look_again(address);
                            });
  }
  (asks_health ? health_ : others_).push_back(std::move(guest));
  return closed;
}

std::optional<Lobby::Guest> Lobby::take() {
  ORRERY_ASSERT(!empty());
  auto& first = health_.empty() ? others_ : health_;
  Guest guest = std::move(first.front());
  first.pop_front();
  if (is_gone(guest.socket.native_handle())) return std::nullopt;
  return guest;
}

void Lobby::look_again(const net::Address& address) {
  const auto found = std::ranges::find(others_, address, &Guest::address);
  if (found == others_.end()) return;
  found->input = first_input(found->socket.native_handle());
  if (found->input != FirstInput::health) return;
  health_.push_back(std::move(*found));
  others_.erase(found);
}

}  // namespace orrery::server::web
