// Encodes and decodes plain snapshots.
#include "common/codec/snapshot_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "common/codec/flatbuffers_message.h"
#include "common/math/range.h"
#include "schema/protocol_generated.h"

namespace orrery::codec {
namespace {

// A message has room for a full part, plus 96 bytes for the SnapshotHead and FlatBuffers offsets.
static_assert(kSnapshotPartBodies * sizeof(wire::BodyState) + 96 <= limits::kMessageBytesMax);
static_assert(kSelectionPartBodies * sizeof(wire::BodyState) +
                  kSnapshotTiles * sizeof(std::uint64_t) + 96 <=
              limits::kMessageBytesMax);
static_assert(limits::kMessageBytesMax <= MessageMemory::kBytes);
static_assert(kSnapshotPartsMax <= std::numeric_limits<std::uint16_t>::max());
static_assert(limits::kTileBodies == 64);  // a mask has one bit for each slot of a tile
static_assert(kSnapshotTiles * limits::kTileBodies <= limits::kBodiesMax);
static_assert(limits::kSpeedMax < std::numeric_limits<float>::max());

// Converts a velocity or angular velocity to binary32 and clamps its components to +-limit. In a
// world without the contact solver, nothing else limits velocities. Tumbling can raise a spin above
// kAngularSpeedMax in any world.
wire::Vec3f narrow_wire(const Vec3& v, double limit) {
  const auto bounded = [limit](double x) {
    return static_cast<float>(std::clamp(x, -limit, limit));
  };
  return {bounded(v.x), bounded(v.y), bounded(v.z)};
}

wire::BodyState encode_body(const World& world, std::uint32_t slot) {
  const physics::Bodies& bodies = world.bodies();
  const Vec3 p = bodies.position(slot);
  const Quat q = bodies.orientation(slot);
  return {body_id(world, slot).value,
          narrow_wire(bodies.velocity(slot), limits::kSpeedMax),
          wire::Vec3(p.x, p.y, p.z),
          wire::Quatf(static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z),
                      static_cast<float>(q.w)),
          narrow_wire(bodies.angular_velocity(slot), limits::kAngularSpeedMax),
          world.controls().prototypes[slot]};
}

Vec3 widened(const wire::Vec3f& v) { return {v.x(), v.y(), v.z()}; }

BodyState decode_body(const wire::BodyState& b, Tick tick) {
  return {BodyId{b.id()},
          tick,
          {b.position().x(), b.position().y(), b.position().z()},
          widened(b.velocity()),
          {b.orientation().x(), b.orientation().y(), b.orientation().z(), b.orientation().w()},
          widened(b.angular_velocity()),
          b.prototype()};
}

// Largest component of a position that a client accepts. Interpolation between two accepted
// positions cannot overflow.
constexpr double kPositionMax = 1e100;

bool sound(const BodyState& b) {
  // the encoder clamps to the limit, which binary32 may round up
  constexpr double kRounding = 1 + 0x1p-20;
  const Quat& q = b.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return b.prototype < limits::kBodiesMax && within(b.position, kPositionMax) &&
         within(b.velocity, kRounding * limits::kSpeedMax) &&
         within(b.angular_velocity, kRounding * limits::kAngularSpeedMax) && norm >= 1 - 1e-3 &&
         norm <= 1 + 1e-3;
}

// Decodes the fields `first` and `present`. Clears `out` if `present` is absent. Returns false if
// the fields are invalid.
bool decode_presence(const wire::SnapshotPart& m, std::optional<Presence>& out) {
  out.reset();
  if (!m.present()) return m.first() == 0;
  const std::uint32_t tiles = m.present()->size();
  const bool sound = tiles <= kSnapshotTiles && m.first() % limits::kTileBodies == 0 &&
                     m.first() <= limits::kBodiesMax - tiles * limits::kTileBodies;
  if (!sound) return false;
  out.emplace(Presence{m.first(), tiles, {}});
  // The verifier does not check that the masks are aligned.
  for (std::uint32_t i = 0; i < tiles; ++i) {
    out->masks[i] = load_little_endian<8>(m.present()->Data() + 8 * i);
  }
  return true;
}

}  // namespace

void SnapshotEncoder::encode(const World& world) {
  slots_.clear();
  for (std::uint32_t tile = 0; tile < world.bodies().tiles(); ++tile) {
    std::uint64_t alive = world.bodies().alive_mask(tile);
    for (; alive != 0 && slots_.size() < limits::kSnapshotBodiesMax; alive &= alive - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(alive));
      slots_.push_back(tile * limits::kTileBodies + bit);
    }
  }
  append_parts(world, slots_, nullptr);
}

void SnapshotEncoder::encode(const World& world, const SnapshotSelection& selection) {
  ORRERY_ASSERT(selection.presence.size() == world.bodies().tiles());
  ORRERY_ASSERT(selection.parts_min >= 1);
  append_parts(world, selection.slots, &selection);
}

void SnapshotEncoder::append_parts(const World& world, std::span<const std::uint32_t> slots,
                                   const SnapshotSelection* selection) {
  bytes_.clear();
  ends_.clear();
  heads_.clear();
  const std::size_t most = selection ? kSelectionPartBodies : kSnapshotPartBodies;
  // A snapshot without bodies has one part.
  const std::size_t parts =
      std::max(selection ? selection->parts_min : 1, (slots.size() + most - 1) / most);
  ORRERY_ASSERT(parts <= kSnapshotPartsMax);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = std::min(i * most, slots.size());
    append_part(world, slots.subspan(begin, std::min(most, slots.size() - begin)), selection, i,
                parts);
  }
}

void SnapshotEncoder::append_part(const World& world, std::span<const std::uint32_t> slots,
                                  const SnapshotSelection* selection, std::size_t part,
                                  std::size_t parts) {
  ORRERY_ASSERT(slots.size() <= (selection ? kSelectionPartBodies : kSnapshotPartBodies));
  ORRERY_ASSERT(part < parts);
  MessageBuilder builder;
  std::array<wire::BodyState, kSnapshotPartBodies> states;
  for (std::size_t i = 0; i < slots.size(); ++i) states[i] = encode_body(world, slots[i]);
  const auto bodies = (*builder).CreateVectorOfStructs(states.data(), slots.size());
  std::span<const std::uint64_t> presence;
  std::size_t tile = 0;
  if (selection && part < presence_parts(selection->presence.size())) {
    tile = (selection->first_presence_part + part) % presence_parts(selection->presence.size()) *
           kSnapshotTiles;
    presence = selection->presence.subspan(tile);
  }
  const std::size_t tiles = std::min<std::size_t>(kSnapshotTiles, presence.size());
  const auto present = selection ? (*builder).CreateVector(presence.data(), tiles) : 0;
  const wire::SnapshotHead head(world.tick().value, 0, static_cast<std::uint16_t>(part),
                                static_cast<std::uint16_t>(parts), 0);
  const std::size_t begin = bytes_.size();
  const auto first = static_cast<std::uint32_t>(tile * limits::kTileBodies);
  builder.finish(wire::CreateSnapshotPart(*builder, &head, bodies, first, present), bytes_);
  const auto* const root = flatbuffers::GetRoot<wire::SnapshotPart>(bytes_.data() + begin);
  const auto* const at = reinterpret_cast<const std::uint8_t*>(root->head());
  heads_.push_back(static_cast<std::size_t>(at - bytes_.data()));
  ends_.push_back(bytes_.size());
}

Bytes SnapshotEncoder::part(std::size_t index, const CommandReport& report) {
  ORRERY_ASSERT(index < ends_.size());
  constexpr std::size_t kInputOffset = 8;  // offsets of fields in SnapshotHead
  constexpr std::size_t kMarginOffset = 16;
  static_assert(sizeof(wire::SnapshotHead) == 24);
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  std::uint8_t* const head = bytes_.data() + heads_[index];
  flatbuffers::WriteScalar(head + kInputOffset, report.input.value);
  flatbuffers::WriteScalar(head + kMarginOffset, report.margin.to_wire());
  return Bytes(bytes_).subspan(begin, ends_[index] - begin);
}

bool decode_snapshot_part(Bytes bytes, SnapshotPart& out) {
  out.bodies.clear();
  const auto* const m = verified<wire::SnapshotPart>(bytes);
  if (!m) return false;
  const wire::SnapshotHead& head = *m->head();
  if (head.parts() > kSnapshotPartsMax || head.part() >= head.parts()) return false;
  if (!decode_presence(*m, out.presence)) return false;
  if (!items_are_aligned(*m->bodies()) || m->bodies()->size() > kSnapshotPartBodies) return false;
  out.tick = Tick{head.tick()};
  out.report = {Sequence{head.input()}, CommandMargin::from_wire(head.margin())};
  out.part = head.part();
  out.parts = head.parts();
  for (const wire::BodyState* const encoded : *m->bodies()) {
    const BodyState body = decode_body(*encoded, out.tick);
    const bool ascending = out.bodies.empty() || slot_of(out.bodies.back().id) < slot_of(body.id);
    if (!ascending || !sound(body)) return false;
    out.bodies.push_back(body);
  }
  return true;
}

}  // namespace orrery::codec
