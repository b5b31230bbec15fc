// Keeps the frames that clients have, or may still acknowledge.
#include "server/senders/baselines.h"

#include "common/core/limits.h"

namespace orrery::server {
namespace {

// A client may lose its frames to another client if they are more than twice as old as the frames
// of the other, and older than this part of a second. Clients of similar paths therefore do not
// take the frames of each other in turn.
constexpr std::uint32_t kSparedPerSecond = 10;

// Most clients that lose their frames to make room for one frame.
constexpr int kLosersMax = 8;

}  // namespace

Baselines::Baselines(const Clients& clients, std::size_t slots)
    : clients_(clients),
      holders_(limits::kClientsMax),
      frames_max_(kBytesMax /
                  (1 + slots * (sizeof(codec::QuantisedBody) + sizeof(codec::BodyMotion)))) {}

void Baselines::acknowledge(ClientId client, Tick tick) {
  Holder& holder = holders_[client];
  Frame frame = holder.sent.find(tick);
  if (!frame) return;
  holder.baseline = std::move(frame);
  holder.sent.forget_before(Tick{tick.value + 1});
  if (holder.since.value != 0) holder.since = tick;
}

void Baselines::drop_old() {
  const std::uint64_t age_max = kSeconds * clients_.world.scene().tick_rate;
  for (ClientId client{1}; client <= clients_.highest(); ++client.value) {
    if (holders_[client].since.value == 0) continue;
    const Frame& baseline = holders_[client].baseline;
    if (baseline && now() > baseline->frame.tick.value + age_max) forget(client);
  }
}

void Baselines::sent(ClientId client, const Frame& frame, bool is_reliable) {
  Holder& holder = holders_[client];
  const bool is_first = holder.since.value == 0 && !frame->frame.bodies.empty();
  if (is_first || is_reliable) holder.since = frame->frame.tick;
  if (is_reliable) {
    holder.baseline = frame;
  } else {
    holder.sent.keep(frame);
  }
}

std::shared_ptr<codec::CodedFrame> Baselines::empty_frame(ClientId client) {
  std::shared_ptr<codec::CodedFrame> frame = free_frame();
  for (int i = 0; i < kLosersMax && !frame; ++i) {
    const ClientId loser = oldest_holder(client);
    if (loser.value == 0) break;
    forget(loser);
    frame = free_frame();
  }
  return frame;
}

std::shared_ptr<codec::CodedFrame> Baselines::free_frame() {
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    pool_next_ = (pool_next_ + 1) % pool_.size();
    if (pool_[pool_next_].use_count() == 1) return pool_[pool_next_];
  }
  if (pool_.size() >= frames_max_) return nullptr;
  return pool_.emplace_back(std::make_shared<codec::CodedFrame>());
}

// Returns the client with the oldest frames, if `client` may take them; otherwise 0.
ClientId Baselines::oldest_holder(ClientId client) const {
  const Tick own = holders_[client].since;
  const std::uint64_t own_age = own.value == 0 ? 0 : now() - own.value;
  std::uint64_t oldest_age = 2 * own_age + clients_.world.scene().tick_rate / kSparedPerSecond;
  ClientId oldest{};
  for (ClientId other{1}; other <= clients_.highest(); ++other.value) {
    const std::uint64_t since = holders_[other].since.value;
    if (other == client || since == 0 || now() - since <= oldest_age) continue;
    oldest = other;
    oldest_age = now() - since;
  }
  return oldest;
}

}  // namespace orrery::server
