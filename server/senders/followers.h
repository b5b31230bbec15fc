// Sends the scene, one state and then every tick to clients that step the world themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/session/follow_messages.h"
#include "server/clients.h"

namespace orrery::server {

// Limits on the ticks that are kept. All followers share the kept ticks. A follower that needs an
// older tick is disconnected.
inline constexpr std::uint64_t kFollowSeconds = 60;
inline constexpr std::size_t kFollowBytesMax = std::size_t{64} << 20;

// The state of every follower, and the ticks that wait for them.
class Followers {
 public:
  // `header_message` is the first message to each follower: session::follow_header(). REQUIRES:
  // `clients` outlives this object.
  Followers(Clients& clients, net::SharedBytes header_message);

  // Adds a client that joined in mode follow. It gets the header first, then a state.
  void join(ClientId client);
  // Removes a client. No effect if it does not follow.
  void leave(ClientId client);
  // Records that a client reported another state than the server's. Returns true if this is the
  // first such report of the client. REQUIRES: the client follows.
  bool mismatched(ClientId client);
  // Returns the number of followers since the start that reported another state.
  std::uint64_t mismatches() const { return mismatches_; }

  // Keeps the tick that step() has just made, if there are followers. `record` is the payload of
  // its log record (SessionLog::last_tick()). If observe() was not called for a tick, the followers
  // get a new state after it.
  void observe(Bytes record);

  // Sends every follower as much as congestion control and the limits on the datagrams of a tick
  // allow. Never waits. Disconnects followers
  // that need a tick that is no longer kept, or a scene or state that is too large to send. Appends
  // the event of each disconnect to `gone`.
  void send(net::Nanoseconds now, std::vector<net::ServerEvent>& gone);

  // Returns the number of followers.
  std::size_t count() const { return followers_.size(); }

  // Returns the number of ticks that wait for a follower, or nothing if the client has not been
  // sent a state.
  std::optional<std::uint64_t> lag(ClientId client) const;

 private:
  enum class Need : std::uint8_t { header, image, tick };
  enum class Given : std::uint8_t { all, too_slow, too_large };

  struct Follower {
    ClientId client;
    Need need = Need::header;
    std::uint64_t tick = 0;  // next tick to send
    bool mismatched = false;
  };

  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  Buffer& at(std::uint64_t tick) { return ticks_[tick % ticks_.size()]; }
  bool keeps(std::uint64_t tick) const { return tick >= oldest_ && tick < next_; }
  void forget_oldest();
  void start_at(std::uint64_t tick);
  // Queues messages until the endpoint has no room for more, or all are queued.
  Given give(Follower& follower);
  const net::SharedBytes& recent_image();

  Clients& clients_;
  const net::SharedBytes header_message_;
  std::vector<Follower> followers_;  // ascending by client
  std::uint64_t mismatches_ = 0;
  std::size_t turn_ = 0;  // follower that is served first in the round-robin
  net::SharedBytes image_;
  std::uint64_t image_tick_ = 0;
  std::vector<Buffer> ticks_;  // a ring of the kept ticks, oldest_ to next_ - 1
  std::uint64_t oldest_ = 0;
  std::uint64_t next_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace orrery::server
