// Codes and sends the frames of clients of mode delta.
#include "server/senders/delta_snapshots.h"

#include <algorithm>
#include <utility>

#include "common/codec/delta/world_frame.h"
#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Most slots of a world with frames of selections.
constexpr std::size_t kSelectedSlotsMax = 65'536;

// Least mean of the bytes of a selected body. Bodies at rest need none. Without this limit, a part
// would seem to have room for any number of bodies.
constexpr double kBodyBytesMin = 0.25;

// Frames a second to a client that has the present state, or that has no baseline.
constexpr std::uint32_t kIdlePerSecond = 10;

// Rank of a client without a baseline, before it waits: this part of a second. Clients that answer
// sooner come first.
constexpr std::uint32_t kPatiencePerSecond = 4;

bool is_reliable(const net::Address& address) { return address.carrier == net::Carrier::websocket; }

const codec::CodedFrame kNothing;

}  // namespace

DeltaSnapshots::DeltaSnapshots(Clients& clients)
    : clients_(clients),
      codec_(codec::delta_scene_of(clients.world.scene()), codec::DeltaLevel::fast),
      baselines_(clients, codec_.scene().slots),
      readers_(limits::kClientsMax) {
  now_.encodings.resize(kBaselinesPerTick);
}

void DeltaSnapshots::join(ClientId client) { readers_[client] = {}; }

void DeltaSnapshots::leave(ClientId client) {
  readers_[client] = {};
  baselines_.forget(client);
}

void DeltaSnapshots::acknowledge(ClientId client, Tick tick) {
  if (tick.value != 0) return baselines_.acknowledge(client, tick);
  baselines_.forget(client);
  readers_[client].last_sent = {};
}

// Rounds the bodies once a tick, when the first client needs them.
void DeltaSnapshots::see_tick() {
  const World& world = clients_.world;
  if (now_.bodies.tick == world.tick() && !now_.bodies.bodies.empty()) return;
  const std::uint64_t ticks = world.tick().value - now_.bodies.tick.value;
  const std::uint64_t bodies = kBodiesPerSecond * ticks / world.scene().tick_rate;
  now_.count_max = std::clamp<std::size_t>(bodies / std::max<std::size_t>(codec_.scene().slots, 1),
                                           1, kBaselinesPerTick);
  codec::quantise(world, codec_.scene().grid, now_.bodies);
  codec::find_references(world, now_.references);
  now_.checksum = codec::checksum_of(now_.bodies);
  for (std::size_t i = 0; i < now_.count; ++i) {
    now_.encodings[i].baseline = now_.encodings[i].frame = nullptr;
  }
  now_.count = 0;
  last_ = nullptr;
}

// Returns true if the client was sent no frame for a while.
bool DeltaSnapshots::was_idle(ClientId client) const {
  const std::uint64_t idle = std::max(clients_.world.scene().tick_rate / kIdlePerSecond, 1u);
  return clients_.world.tick().value >= readers_[client].last_sent.value + idle;
}

bool DeltaSnapshots::is_due(ClientId client, Sequence input) {
  see_tick();
  const Reader& reader = readers_[client];
  const Frame& baseline = baselines_.of(client);
  if (!baseline) {
    const std::uint64_t spacing = std::max(clients_.world.scene().tick_rate / kIdlePerSecond, 1u);
    return clients_.world.tick().value / spacing != reader.last_sent.value / spacing;
  }
  if (was_idle(client)) return true;
  return baseline->bodies_checksum != now_.checksum || reader.reported != input;
}

std::int64_t DeltaSnapshots::rank(ClientId client) const {
  const Reader& reader = readers_[client];
  const Frame& baseline = baselines_.of(client);
  const std::uint64_t lag = baseline ? reader.last_sent.value - baseline->frame.tick.value
                                     : clients_.world.scene().tick_rate / kPatiencePerSecond;
  const std::uint64_t waited = clients_.world.tick().value - reader.last_coded.value;
  return static_cast<std::int64_t>(lag) - static_cast<std::int64_t>(waited);
}

bool DeltaSnapshots::encode(ClientId client, const codec::QuantisedFrame& frame, Encoding& out) {
  std::shared_ptr<codec::CodedFrame> coded = baselines_.empty_frame(client);
  if (!coded) return false;
  const Frame& baseline = baselines_.of(client);
  out.bytes.clear();
  codec_.encode(baseline ? *baseline : kNothing, frame, now_.references, *coded, out.bytes);
  out.baseline = baseline;
  out.frame = std::move(coded);
  return true;
}

std::optional<std::size_t> DeltaSnapshots::encode_whole(ClientId client) {
  see_tick();
  const Frame& baseline = baselines_.of(client);
  const auto end = now_.encodings.begin() + static_cast<std::ptrdiff_t>(now_.count);
  auto at = std::find_if(now_.encodings.begin(), end,
                         [&](const Encoding& e) { return e.baseline == baseline; });
  if (at == end) {
    if (now_.count == now_.count_max) return std::nullopt;
    if (!encode(client, now_.bodies, *at)) return 0;
    ++now_.count;
    bodies_coded_ += codec_.scene().slots;
    // Another baseline can have led to the same frame.
    const auto same = std::find_if(now_.encodings.begin(), at, [&](const Encoding& e) {
      return e.frame->checksum == at->frame->checksum;
    });
    if (same != at) at->frame = same->frame;
  }
  readers_[client].last_coded = clients_.world.tick();
  last_ = &*at;
  const std::size_t parts = codec::delta_parts(at->bytes.size());
  return parts <= codec::kDeltaPartsMax ? parts : 0;
}

// Sets `selection_` to the selected bodies as they are now. All other slots are empty.
void DeltaSnapshots::select(const codec::SnapshotSelection& selection) {
  selection_.tick = clients_.world.tick();
  selection_.bodies.assign(codec_.scene().slots, {});
  for (const std::uint32_t slot : selection.slots) {
    selection_.bodies[slot] = codec::quantise(clients_.world, codec_.scene().grid, slot);
  }
}

bool DeltaSnapshots::takes_selections() const { return codec_.scene().slots <= kSelectedSlotsMax; }

std::size_t DeltaSnapshots::bodies_in(ClientId client, std::size_t parts) const {
  const double bytes = static_cast<double>(parts * codec::kDeltaPartBytes);
  return 1 + static_cast<std::size_t>(bytes / readers_[client].body_bytes);
}

std::optional<std::size_t> DeltaSnapshots::encode_selected(
    ClientId client, const codec::SnapshotSelection& selection, std::size_t parts_max) {
  ORRERY_ASSERT(parts_max >= 1);
  ORRERY_ASSERT(takes_selections());
  Reader& reader = readers_[client];
  const Frame& baseline = baselines_.of(client);
  if (!baseline && !was_idle(client)) return 0;
  codec::find_references(clients_.world, now_.references);
  select(selection);
  if (!encode(client, selection_, own_)) return std::nullopt;
  const double count = static_cast<double>(std::max(selection.slots.size(), std::size_t{1}));
  const double body_bytes = static_cast<double>(own_.bytes.size()) / count;
  reader.body_bytes += 0.25 * (std::max(body_bytes, kBodyBytesMin) - reader.body_bytes);
  if (codec::delta_parts(own_.bytes.size()) > std::min(parts_max, codec::kDeltaPartsMax)) {
    return std::nullopt;
  }
  last_ = &own_;
  const bool has_all = baseline && baseline->bodies_checksum == own_.frame->bodies_checksum &&
                       reader.reported == clients_.inbox.report(client).input;
  return has_all && !was_idle(client) ? 0 : codec::delta_parts(own_.bytes.size());
}

void DeltaSnapshots::send(ClientId client, const codec::CommandReport& report,
                          net::Nanoseconds now) {
  ORRERY_ASSERT(last_ != nullptr);
  Reader& reader = readers_[client];
  const std::size_t parts = codec::delta_parts(last_->bytes.size());
  ORRERY_ASSERT(parts <= codec::kDeltaPartsMax);
  codec::DeltaHead head{
      .tick = last_->frame->frame.tick,
      .baseline = last_->baseline ? last_->baseline->frame.tick : Tick{},
      .check = static_cast<std::uint16_t>(last_->baseline ? last_->baseline->checksum : 0),
      .part = 0,
      .parts = static_cast<std::uint8_t>(parts),
      .level = codec_.level(),
      .report = report};
  messages_.clear();
  messages_.reserve(parts * limits::kMessageBytesMax);  // so that the spans stay valid
  parts_.clear();
  for (std::size_t i = 0; i < parts; ++i) {
    head.part = static_cast<std::uint8_t>(i);
    const std::size_t from = i * codec::kDeltaPartBytes;
    const std::size_t size = std::min(last_->bytes.size() - from, codec::kDeltaPartBytes);
    const std::size_t begin = messages_.size();
    codec::encode_delta(head, Bytes(last_->bytes).subspan(from, size), messages_);
    parts_.push_back(Bytes(messages_).subspan(begin));
  }
  clients_.endpoint.send_snapshot(client, net::MessageType::delta, parts_, now);
  reader.last_sent = last_->frame->frame.tick;
  reader.reported = report.input;
  baselines_.sent(client, last_->frame, is_reliable(clients_[client].link.address()));
}

}  // namespace orrery::server
