// Owns the order in which followers are served.
#include "server/senders/followers.h"

#include <algorithm>
#include <utility>

namespace orrery::server {
namespace {

// Datagrams to one follower at once, if its budget has room for more than one: so many a tick are 9
// Mbit/s at 60 ticks a second, and its acks are within what it may send. Beside the first of each
// follower, those of all together take a millisecond or two of the tick.
constexpr std::size_t kDatagramsEach = 16;
constexpr std::size_t kDatagramsShared = 256;

// A state is sent to all who come within this time, so that those who come and go cannot hold up
// the session. While it is on its way to anybody, it serves for longer: who takes nothing holds it
// for kFollowSeconds, and so five are in memory at the most. Its ticks then still last for as long
// as it takes to catch up.
constexpr std::uint64_t kImageSeconds = 1;
constexpr std::uint64_t kImageSecondsHeld = kFollowSeconds / 4;

// Memory of a tick beyond this is given back with the tick.
constexpr std::size_t kKeptBytesMax = std::size_t{4} << 10;

}  // namespace

Followers::Followers(const World& world, const codec::LogHeader& header,
                     net::ServerEndpoint& endpoint, const Inbox& inbox)
    : world_(world),
      header_message_(std::make_shared<const std::vector<std::uint8_t>>(
          session::follow_header(header, world.scene))),
      endpoint_(endpoint),
      inbox_(inbox),
      ticks_(kFollowSeconds * world.scene.tick_rate) {
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
  return !std::exchange(f->mismatched, true);
}

std::optional<std::uint64_t> Followers::lag(ClientId client) const {
  for (const Follower& f : followers_) {
    if (f.client == client && f.need == Need::tick) return world_.tick.value + 1 - f.tick;
  }
  return std::nullopt;
}

void Followers::observe() {
  const std::uint64_t tick = world_.tick.value;
  if (followers_.empty() || tick != next_) start_at(tick);
  if (followers_.empty()) return;
  if (next_ - oldest_ == ticks_.size()) forget_oldest();
  Buffer& buffer = at(tick);
  if (!buffer || buffer.use_count() > 1) buffer = std::make_shared<std::vector<std::uint8_t>>();
  session::follow_tick(world_, tick_);
  *buffer = tick_;
  ++next_;
  bytes_ += buffer->size();
  while (bytes_ > kFollowBytesMax) forget_oldest();
}

// Nothing before leads here.
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

// Of the last tick, or of one not long before, from where the ticks kept lead on.
const net::SharedBytes& Followers::recent_image() {
  const std::uint64_t newest = next_ - 1;
  ORRERY_ASSERT(newest == world_.tick.value);
  const std::uint64_t seconds = image_.use_count() > 1 ? kImageSecondsHeld : kImageSeconds;
  const bool recent = image_ && newest - image_tick_ < seconds * world_.scene.tick_rate;
  if (!recent || (image_tick_ != newest && !keeps(image_tick_ + 1))) {
    image_ = std::make_shared<const std::vector<std::uint8_t>>(session::follow_image(world_));
    image_tick_ = newest;
  }
  return image_;
}

Followers::Given Followers::give(Follower& f) {
  const bool up_to_date = f.need != Need::tick || f.tick == next_;
  if (!up_to_date && !keeps(f.tick)) return Given::too_slow;
  // A state that the log does not have nobody is told of.
  const bool observed = next_ == world_.tick.value + 1;
  while (endpoint_.can_queue_reliable(f.client)) {
    if (f.need == Need::header) {
      if (header_message_->size() > net::kBytesToClientMax) return Given::too_large;
      endpoint_.queue_reliable(f.client, header_message_);
      f.need = Need::image;
    } else if (f.need == Need::image) {
      if (!observed) return Given::all;
      if (recent_image()->size() > net::kBytesToClientMax) return Given::too_large;
      endpoint_.queue_reliable(f.client, image_);
      f.tick = image_tick_ + 1;
      f.need = Need::tick;
    } else if (f.tick == next_) {
      return Given::all;
    } else {
      endpoint_.queue_reliable(f.client, at(f.tick++));
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
      const auto reason = given == Given::too_slow ? codec::message::DisconnectReason::too_slow
                                                   : codec::message::DisconnectReason::other_mode;
      gone.push_back(endpoint_.disconnect(f.client, reason, now));
      continue;
    }
    endpoint_.refill(f.client, net::kSecond / world_.scene.tick_rate, now);
    const net::CongestionControl& budget = endpoint_.budget(f.client);
    const std::size_t room = budget.room() + (budget.is_limited() ? 0 : 1);
    if (room == 0) continue;
    const std::size_t most = 1 + std::min({kDatagramsEach - 1, shared, room - 1});
    const Sequence input = inbox_.acknowledged(f.client);
    const std::size_t sent = endpoint_.send_messages(f.client, input, most, now);
    shared -= sent > 1 ? sent - 1 : 0;
  }
  ++turn_;
}

}  // namespace orrery::server
