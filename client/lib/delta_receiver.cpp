// Makes snapshots from the frames of mode delta (schema/wire.md 8.7).
#include "client/lib/delta_receiver.h"

#include <algorithm>

#include "common/math/elementary.h"

namespace orrery::client {
namespace {

// Least time between two acknowledgements of frames. A shorter time costs the server more messages.
// A longer one makes the baselines older, and the frames larger.
constexpr net::Nanoseconds kAckSpacing = 25 * net::kMillisecond;

// Least time between two requests for a frame without a baseline.
constexpr net::Nanoseconds kResetSpacing = 200 * net::kMillisecond;

const codec::CodedFrame kNothing;

}  // namespace

DeltaReceiver::DeltaReceiver(const codec::message::Welcome& welcome)
    : codec_(welcome.frames, codec::DeltaLevel::fast),
      receives_all_(welcome.interest_radius == 0),
      tick_time_(welcome.tick_time) {}

// Returns the assembly of the part's frame. A new frame replaces the assembly with the oldest tick,
// and its report becomes report_. Returns nullptr in three cases: the frame is older than all
// assemblies, or the part is a repetition, or it contradicts earlier parts of its frame.
DeltaReceiver::Assembly* DeltaReceiver::assembly_of(const codec::DeltaPart& part) {
  const codec::DeltaHead& head = part.head;
  const auto known = std::find_if(assemblies_.begin(), assemblies_.end(),
                                  [&](const Assembly& a) { return a.head.tick == head.tick; });
  if (known != assemblies_.end()) {
    const codec::DeltaHead& first = known->head;
    const bool fits = first.parts == head.parts && first.level == head.level &&
                      first.baseline == head.baseline && first.check == head.check;
    return fits && !known->came[head.part] ? &*known : nullptr;
  }
  const auto oldest = std::min_element(
      assemblies_.begin(), assemblies_.end(),
      [](const Assembly& a, const Assembly& b) { return a.head.tick < b.head.tick; });
  if (oldest->head.tick > head.tick) return nullptr;
  oldest->head = head;
  oldest->came.assign(head.parts, false);
  oldest->parts.resize(head.parts);
  oldest->missing = head.parts;
  report_ = head.report;
  return &*oldest;
}

const Snapshot* DeltaReceiver::take(Bytes message) {
  report_.reset();
  const auto part = codec::decode_delta(message);
  if (!part) {
    ++counters_.malformed;
    return nullptr;
  }
  if (newest_ && part->head.tick <= newest_->frame.tick) {
    ++counters_.stale;
    return nullptr;
  }
  Assembly* const assembly = assembly_of(*part);
  if (assembly == nullptr) {
    ++counters_.stale;
    return nullptr;
  }
  assembly->came[part->head.part] = true;
  assembly->parts[part->head.part].assign(part->bytes.begin(), part->bytes.end());
  return --assembly->missing == 0 ? decode(*assembly) : nullptr;
}

// Returns a frame that nothing else refers to, from the pool or a new one.
std::shared_ptr<codec::CodedFrame> DeltaReceiver::empty_frame() {
  for (const auto& frame : pool_) {
    if (frame.use_count() == 1) return frame;
  }
  return pool_.emplace_back(std::make_shared<codec::CodedFrame>());
}

const Snapshot* DeltaReceiver::decode(const Assembly& assembly) {
  const codec::DeltaHead& head = assembly.head;
  codec::KeptFrames::Frame baseline;
  if (head.baseline.value != 0) {
    const bool is_last = baseline_ && baseline_->frame.tick == head.baseline;
    baseline = is_last ? baseline_ : kept_.find(head.baseline);
    if (!baseline || static_cast<std::uint16_t>(baseline->checksum) != head.check) {
      ++counters_.unknown;
      lacks_baseline_ = true;
      return nullptr;
    }
  }
  std::vector<std::uint8_t> bytes;
  for (const std::vector<std::uint8_t>& part : assembly.parts) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  std::shared_ptr<codec::CodedFrame> frame = empty_frame();
  codec_.set_level(head.level);
  if (!codec_.decode(baseline ? *baseline : kNothing, head.tick, bytes, *frame)) {
    ++counters_.malformed;
    lacks_baseline_ = true;
    return nullptr;
  }
  baseline_ = baseline;
  show(*frame, head);
  kept_.keep(frame);
  // The server never goes back to an older baseline.
  if (baseline) kept_.forget_before(baseline->frame.tick);
  newest_ = frame;
  lacks_baseline_ = false;
  ++counters_.frames;
  return &snapshot_;
}

void DeltaReceiver::show(const codec::CodedFrame& frame, const codec::DeltaHead& head) {
  snapshot_.tick = head.tick;
  snapshot_.input = std::max(snapshot_.input, head.report.input);
  snapshot_.whole = receives_all_;
  snapshot_.rounded = true;
  snapshot_.bodies.clear();
  auto motion = frame.motions.begin();
  for (std::uint32_t slot = 0; slot < frame.frame.bodies.size(); ++slot) {
    const bool moved = motion != frame.motions.end() && motion->slot == slot;
    const codec::BodyMotion* const how = moved ? &*motion++ : nullptr;
    if (frame.frame.bodies[slot].present) snapshot_.bodies.push_back(state_of(frame, slot, how));
  }
}

// Returns the state of a body. Computes its velocity from the displacement since the baseline, as
// the mean over that time. A body in free flight had this velocity in the middle of the time, so
// half of the acceleration is added.
codec::BodyState DeltaReceiver::state_of(const codec::CodedFrame& frame, std::uint32_t slot,
                                         const codec::BodyMotion* motion) const {
  const codec::QuantisedBody& body = frame.frame.bodies[slot];
  const codec::Grid& grid = codec_.scene().grid;
  codec::BodyState state{
      body.id, frame.frame.tick, position_of(grid, body), {}, orientation_of(grid, body),
      {},      body.prototype};
  if (motion == nullptr || frame.span == 0) return state;
  const double time = frame.span * tick_time_;
  const auto& d = motion->displacement;
  Vec3 displacement{double{1} * d[0], double{1} * d[1], double{1} * d[2]};
  const bool falls = motion->position_errors[1] < motion->position_errors[0] &&
                     motion->position_errors[1] < motion->position_errors[2];
  if (falls) displacement += (0.5 * frame.span * frame.span) * codec_.scene().gravity;
  state.velocity = (grid.position_step / time) * displacement;
  const Vec3 turn = widen(motion->rotation);  // its length is tan(angle / 2)
  const double tangent = length(turn);
  const double angle = 2 * elementary::polar_angle(tangent, 1);
  if (tangent > 0) state.angular_velocity = (angle / (time * tangent)) * turn;
  return state;
}

std::optional<Tick> DeltaReceiver::next_ack(net::Nanoseconds now) {
  const net::Nanoseconds waited = now - acked_at_;
  const Tick newest = newest_ ? newest_->frame.tick : Tick{};
  const bool is_due =
      lacks_baseline_ ? waited >= kResetSpacing : newest > acknowledged_ && waited >= kAckSpacing;
  if (!is_due) return std::nullopt;
  acked_at_ = now;
  acknowledged_ = lacks_baseline_ ? Tick{} : newest;
  // Until the requested frame arrives, another may come with a baseline that this client has.
  lacks_baseline_ = false;
  return acknowledged_;
}

}  // namespace orrery::client
