// Codes frames as differences to what each client has, for clients of mode delta.
#include "server/senders/coded_frames.h"

#include <algorithm>
#include <utility>

#include "common/codec/delta/world_frame.h"
#include "common/core/limits.h"

namespace orrery::server {
namespace {

const codec::CodedFrame kNothing;

}  // namespace

CodedFrames::CodedFrames(const World& world, Baselines& baselines)
    : world_(world),
      codec_(codec::delta_scene_of(world.scene()), codec::DeltaLevel::fast),
      baselines_(baselines) {}

// Rounds the bodies once a tick, when the first client needs them.
void CodedFrames::see_tick() {
  if (bodies_.tick == world_.tick() && !bodies_.bodies.empty()) return;
  const std::uint64_t ticks = world_.tick().value - bodies_.tick.value;
  const std::uint64_t bodies = kBodiesPerSecond * ticks / world_.scene().tick_rate;
  shared_.begin(world_.tick(), std::clamp<std::size_t>(bodies / std::max<std::size_t>(slots(), 1),
                                                       1, SharedEncodings::kMost));
  codec::quantise(world_, codec_.scene().grid, bodies_);
  codec::find_references(world_, references_);
  checksum_ = codec::checksum_of(bodies_);
}

std::uint64_t CodedFrames::checksum() {
  see_tick();
  return checksum_;
}

bool CodedFrames::code(ClientId client, const codec::QuantisedFrame& frame, Encoding& out) {
  std::shared_ptr<codec::CodedFrame> coded = baselines_.empty_frame(client);
  if (!coded) return false;
  out.baseline = baselines_.of(client);
  out.bytes.clear();
  codec_.encode(out.baseline ? *out.baseline : kNothing, frame, references_, *coded, out.bytes);
  out.frame = std::move(coded);
  out.is_coded = true;
  return true;
}

std::optional<Encoding*> CodedFrames::whole(ClientId client) {
  see_tick();
  if (Encoding* const known = shared_.against(baselines_.of(client))) return known;
  Encoding* const out = shared_.next();
  if (out == nullptr) return std::nullopt;
  if (!code(client, bodies_, *out)) return nullptr;
  bodies_coded_ += slots();
  // Another baseline can have led to the same frame.
  const Encoding* const same = shared_.find(
      [&](const Encoding& other) { return other.frame->checksum == out->frame->checksum; });
  if (same != nullptr) out->frame = same->frame;
  shared_.add();
  return out;
}

Encoding* CodedFrames::selection(ClientId client, const codec::SnapshotSelection& selection) {
  codec::find_references(world_, references_);
  selection_.tick = world_.tick();
  selection_.bodies.assign(slots(), {});
  for (const std::uint32_t slot : selection.slots) {
    selection_.bodies[slot] = codec::quantise(world_, codec_.scene().grid, slot);
  }
  return code(client, selection_, own_) ? &own_ : nullptr;
}

void CodedFrames::cut(const Encoding& encoding, const codec::CommandReport& report,
                      std::vector<Bytes>& parts) {
  const Baselines::Frame& baseline = encoding.baseline;
  const std::size_t count = encoding.parts();
  ORRERY_ASSERT(count <= codec::kDeltaPartsMax);
  codec::DeltaHead head{.tick = encoding.frame->frame.tick,
                        .baseline = baseline ? baseline->frame.tick : Tick{},
                        .check = static_cast<std::uint16_t>(baseline ? baseline->checksum : 0),
                        .part = 0,
                        .parts = static_cast<std::uint8_t>(count),
                        .level = codec_.level(),
                        .report = report};
  messages_.clear();
  messages_.reserve(count * limits::kMessageBytesMax);  // so that the spans stay valid
  parts.clear();
  for (std::size_t i = 0; i < count; ++i) {
    head.part = static_cast<std::uint8_t>(i);
    const std::size_t from = i * codec::kDeltaPartBytes;
    const std::size_t size = std::min(encoding.bytes.size() - from, codec::kDeltaPartBytes);
    const std::size_t begin = messages_.size();
    codec::encode_delta(head, Bytes(encoding.bytes).subspan(from, size), messages_);
    parts.push_back(Bytes(messages_).subspan(begin));
  }
}

}  // namespace orrery::server
