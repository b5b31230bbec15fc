// Sends the scene, one state and then every tick to clients that step the world themselves.
#include "server/senders/followers.h"

#include <algorithm>
#include <utility>

namespace orrery::server {
namespace {

// Limits on the datagrams of one tick. kDatagramsEach is for one follower: 9 Mbit/s at 60 ticks a
// second. The limit on packets from a client (net::kPacketsPerTick) lets the follower acknowledge
// that many. kDatagramsShared is for all followers together, not counting the first datagram of
// each. It bounds the time that sending takes in a tick.
constexpr std::size_t kDatagramsEach = 16;
constexpr std::size_t kDatagramsShared = 256;

// Seconds for which a state is reused for new followers. Encoding a state takes time. Without
// reuse, clients that join and leave again and again would delay the session. The ticks after a
// state are kept for kFollowSeconds, so a follower that starts from a reused state can still catch
// up.
//
// While a state is still being sent to a client, it is reused for kImageSecondsHeld, and newer
// states are made only that often. A client that acknowledges nothing keeps its state in memory for
// up to kFollowSeconds. At most five states that are still being sent exist for that reason.
constexpr std::uint64_t kImageSeconds = 1;
constexpr std::uint64_t kImageSecondsHeld = kFollowSeconds / 4;

// Tick buffers of more bytes than this are freed instead of reused.
constexpr std::size_t kKeptBytesMax = std::size_t{4} << 10;

}  // namespace

Followers::Followers(Clients& clients, net::SharedBytes header_message)
    : clients_(clients),
      header_message_(std::move(header_message)),
      ticks_(kFollowSeconds * clients.world.scene().tick_rate) {
  ORRERY_ASSERT(!ticks_.empty());
  followers_.reserve(limits::kClientsMax);
}

void Followers::join(ClientId client) {
  const auto place = std::find_if(followers_.begin(), followers_.end(),
                                  [client](const Follower& f) { return f.client > client; });
  followers_.insert(place, Follower{client});
}

void Followers::leave(ClientId client) {
  std::erase_if(followers_, [client](const Follower& f) { return f.client == client; });
}

bool Followers::mismatched(ClientId client) {
  const auto f = std::find_if(followers_.begin(), followers_.end(),
                              [client](const Follower& each) { return each.client == client; });
  ORRERY_ASSERT(f != followers_.end());
  if (std::exchange(f->mismatched, true)) return false;
  ++mismatches_;
  return true;
}

std::optional<std::uint64_t> Followers::lag(ClientId client) const {
  for (const Follower& f : followers_) {
    if (f.client == client && f.need == Need::tick) return clients_.world.tick().value + 1 - f.tick;
  }
  return std::nullopt;
}

void Followers::observe(Bytes record) {
  const std::uint64_t tick = clients_.world.tick().value;
  if (followers_.empty() || tick != next_) start_at(tick);
  if (followers_.empty()) return;
  if (next_ - oldest_ == ticks_.size()) forget_oldest();
  Buffer& buffer = at(tick);
  if (!buffer || buffer.use_count() > 1) buffer = std::make_shared<std::vector<std::uint8_t>>();
  session::follow_tick(record, *buffer);
  ++next_;
  bytes_ += buffer->size();
  while (bytes_ > kFollowBytesMax) forget_oldest();
}

// Discards all kept ticks, and keeps ticks from `tick` on. It is called when there are no
// followers, because nobody needs the kept ticks then. It is also called after a gap, because the
// ticks before the gap do not lead to `tick`; followers that were sent an older state then get a
// new one.
void Followers::start_at(std::uint64_t tick) {
  while (oldest_ < next_) forget_oldest();
  oldest_ = next_ = tick;
  image_.reset();
  for (Follower& f : followers_) {
    if (f.need == Need::tick) f.need = Need::image;
  }
}

void Followers::forget_oldest() {
  ORRERY_ASSERT(oldest_ < next_);
  Buffer& buffer = at(oldest_++);
  bytes_ -= buffer->size();
  if (buffer->capacity() > kKeptBytesMax) buffer.reset();
}

// Returns the state of the last tick, or a recent state from which the kept ticks lead to it.
const net::SharedBytes& Followers::recent_image() {
  const std::uint64_t newest = next_ - 1;
  ORRERY_ASSERT(newest == clients_.world.tick().value);
  const std::uint64_t seconds = image_.use_count() > 1 ? kImageSecondsHeld : kImageSeconds;
  const bool recent = image_ && newest - image_tick_ < seconds * clients_.world.scene().tick_rate;
  if (!recent || (image_tick_ != newest && !keeps(image_tick_ + 1))) {
    image_ =
        std::make_shared<const std::vector<std::uint8_t>>(session::follow_image(clients_.world));
    image_tick_ = newest;
  }
  return image_;
}

Followers::Given Followers::give(Follower& f) {
  const bool up_to_date = f.need != Need::tick || f.tick == next_;
  if (!up_to_date && !keeps(f.tick)) return Given::too_slow;
  // If observe() was not called for the last tick, this tick is not in the log. Its state must not
  // be sent.
  const bool observed = next_ == clients_.world.tick().value + 1;
  while (clients_[f.client].link.sender().ready()) {
    if (f.need == Need::header) {
      if (header_message_->size() > net::kBytesToClientMax) return Given::too_large;
      clients_.endpoint.queue_reliable(f.client, header_message_);
      f.need = Need::image;
    } else if (f.need == Need::image) {
      if (!observed) return Given::all;
      if (recent_image()->size() > net::kBytesToClientMax) return Given::too_large;
      clients_.endpoint.queue_reliable(f.client, image_);
      f.tick = image_tick_ + 1;
      f.need = Need::tick;
    } else if (f.tick == next_) {
      return Given::all;
    } else {
      clients_.endpoint.queue_reliable(f.client, at(f.tick++));
    }
  }
  return Given::all;
}

void Followers::send(net::Nanoseconds now, std::vector<net::ServerEvent>& gone) {
  std::size_t shared = kDatagramsShared;
  const std::size_t count = followers_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Follower& f = followers_[(turn_ + i) % count];
    const Given given = give(f);
    if (given != Given::all) {
      const auto reason = given == Given::too_slow ? EndReason::too_slow : EndReason::other_mode;
      gone.push_back(clients_.endpoint.disconnect(f.client, {reason}, now));
      continue;
    }
    clients_.refill(f.client, 1, now);
    if (!clients_.is_clear(f.client)) continue;
    const net::CongestionControl& budget = clients_[f.client].budget;
    const bool always_one = budget.always_pays(clients_.world.scene().tick_rate);
    const std::size_t room = budget.room() + (always_one ? 1 : 0);
    if (room == 0) continue;
    const std::size_t most = 1 + std::min({kDatagramsEach - 1, shared, room - 1});
    const codec::CommandReport report = clients_.inbox.report(f.client);
    const std::size_t sent = clients_.endpoint.send_messages(f.client, report, most, now);
    if (sent != 0) clients_.inbox.reported(f.client);
    shared -= sent > 1 ? sent - 1 : 0;
  }
  ++turn_;
}

}  // namespace orrery::server
