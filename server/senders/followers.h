// Owns what clients are sent that follow the session: the scene and a state once, then each tick.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/net/server_endpoint.h"
#include "common/session/follow_messages.h"
#include "server/inbox.h"

namespace orrery::server {

// Ticks are kept once for all followers, so many seconds of them and so many bytes. Who is further
// behind is disconnected.
inline constexpr std::uint64_t kFollowSeconds = 60;
inline constexpr std::size_t kFollowBytesMax = std::size_t{64} << 20;

class Followers {
 public:
  // Of a session whose log has this header. Encodes the scene, which takes its time and is in
  // memory from here on; so it holds up no tick. All references outlive it.
  Followers(const World& world, const codec::LogHeader& header, net::ServerEndpoint& endpoint,
            const Inbox& inbox);

  void join(ClientId client);
  void leave(ClientId client);
  // The client says that it came to another state. True if it is the first time that it does.
  bool mismatched(ClientId client);

  // Keeps the tick that step() has just made, if anybody needs it. Where one is left out, followers
  // go on from a state behind it.
  void observe();

  // Sends every follower what its path takes now; never waits. Appends those that are too far
  // behind, whose connections it has ended.
  void send(net::Nanoseconds now, std::vector<net::ServerEvent>& gone);

  std::size_t count() const { return followers_.size(); }

  // Returns how many ticks wait to be given to a follower; nothing before it was given a state.
  std::optional<std::uint64_t> lag(ClientId client) const;

 private:
  enum class Need : std::uint8_t { header, image, tick };
  enum class Given : std::uint8_t { all, too_slow, too_large };

  struct Follower {
    ClientId client;
    Need need = Need::header;
    std::uint64_t tick = 0;  // the next that it is given
    bool mismatched = false;
  };

  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  Buffer& at(std::uint64_t tick) { return ticks_[tick % ticks_.size()]; }
  bool keeps(std::uint64_t tick) const { return tick >= oldest_ && tick < next_; }
  void forget_oldest();
  void start_at(std::uint64_t tick);
  // Gives the endpoint all that it takes, if that can be had.
  Given give(Follower& follower);
  const net::SharedBytes& recent_image();

  const World& world_;
  const net::SharedBytes header_message_;
  net::ServerEndpoint& endpoint_;
  const Inbox& inbox_;
  std::vector<Follower> followers_;  // ascending client
  std::size_t turn_ = 0;             // of whom is sent to first
  net::SharedBytes image_;
  std::uint64_t image_tick_ = 0;
  std::vector<Buffer> ticks_;       // a ring: oldest_ to next_ - 1
  std::vector<std::uint8_t> tick_;  // scratch: those of the ring are as large as they need be
  std::uint64_t oldest_ = 0;
  std::uint64_t next_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace orrery::server
