// Holds accepted connections until the server has time for them. Questions about its health come
// first.
#include "server/web/arrivals/lobby.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "common/core/assert.h"

namespace orrery::server::web {

Lobby::Lobby() : late_(::epoll_create1(EPOLL_CLOEXEC)) {}

std::optional<net::Address> Lobby::add(Guest guest) {
  const FirstInput input = first_input(guest.socket.descriptor());
  const bool asks_health = input == FirstInput::health;
  std::optional<net::Address> closed;
  if (health_.size() + others_.size() == kGuestsMax) {
    auto& losers = others_.empty() ? health_ : others_;
    if (is_gone(losers.front().socket.descriptor())) {
      losers.pop_front();
    } else if (asks_health) {
      closed = losers.back().address;
      losers.pop_back();
    } else {
      return guest.address;
    }
  }
  if (input == FirstInput::none) {
    // once, so that a slow sender costs no more: a request is hardly ever cut in its first line
    epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = guest.socket.descriptor()}};
    ::epoll_ctl(late_.descriptor(), EPOLL_CTL_ADD, guest.socket.descriptor(), &event);
  }
  (asks_health ? health_ : others_).push_back(std::move(guest));
  return closed;
}

std::optional<Guest> Lobby::take() {
  ORRERY_ASSERT(!empty());
  look_again();
  auto& first = health_.empty() ? others_ : health_;
  Guest guest = std::move(first.front());
  first.pop_front();
  if (is_gone(guest.socket.descriptor())) return std::nullopt;
  return guest;
}

void Lobby::look_again() {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(late_.descriptor(), events.data(), events.size(), 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    const auto has_it = [&](const Guest& each) { return each.socket.descriptor() == descriptor; };
    const auto found = std::ranges::find_if(others_, has_it);
    if (found == others_.end() || first_input(descriptor) != FirstInput::health) continue;
    health_.push_back(std::move(*found));
    others_.erase(found);
  }
}

}  // namespace orrery::server::web
