// Encodes and decodes the messages about events and queries.
#include "common/codec/event_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/codec/flatbuffers_message.h"
#include "common/codec/reliable_type.h"
#include "common/core/limits.h"
#include "common/math/range.h"
#include "common/physics/contacts/contact_key.h"
#include "schema/protocol_generated.h"

namespace orrery::codec {
namespace {

// Events with a higher speed are sent with this speed, in length per time unit of the scene. It is
// above kSpeedMax, because the surface of a spinning body can move faster than its centre of mass.
constexpr double kSurfaceSpeedMax = 1e30;
constexpr double kUnitMax = 1 + 1e-3;
static_assert(kSurfaceSpeedMax < std::numeric_limits<float>::max());
static_assert(sizeof(wire::Event) * kEventsPerMessage < limits::kMessageBytesMax);
// An event message starts with its type, and zeros up to this size.
constexpr std::size_t kTypeBytes = 8;
static_assert(physics::kContactPartsMax <= std::numeric_limits<std::uint16_t>::max() + 1);

static_assert(static_cast<std::size_t>(EventKind::woke) + 1 == kEventKinds);

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

wire::Vec3 to_wire(const Vec3& v) { return {v.x, v.y, v.z}; }

wire::Vec3f to_narrow_wire(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Vec3 from_wire(const wire::Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from_wire(const wire::Vec3f& v) { return {v.x(), v.y(), v.z()}; }

// The parts of an event name its joint: the low 16 bits, then the high ones.
static_assert(limits::kJointsMax <= std::uint64_t{1} << 32);

wire::Event to_wire(const WorldEvent& e) {
  const double speed = std::clamp(e.speed, -kSurfaceSpeedMax, kSurfaceSpeedMax);
  const bool joint = e.kind == EventKind::joint_broke;
  return {to_wire(e.at),
          to_narrow_wire(e.normal),
          static_cast<float>(speed),
          e.a.value,
          e.b.value,
          joint ? static_cast<std::uint16_t>(e.joint) : e.part_a,
          joint ? static_cast<std::uint16_t>(e.joint >> 16) : e.part_b,
          static_cast<wire::EventKind>(e.kind)};
}

bool is_events_head(Bytes head) {
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  return head[0] == static_cast<std::uint8_t>(ReliableType::events) &&
         std::all_of(head.begin() + 1, head.end(), is_zero);
}

// Returns true if the bodies and parts of an event fit its kind.
bool names_subjects(const WorldEvent& e) {
  if (is_of_one_body(e.kind)) return e.a == e.b && e.part_a == 0 && e.part_b == 0;
  if (e.kind == EventKind::joint_broke)
    return slot_of(e.a) != slot_of(e.b) && e.joint < limits::kJointsMax;
  return slot_of(e.a) < slot_of(e.b) && e.part_a < physics::kContactPartsMax &&
         e.part_b < physics::kContactPartsMax;
}

std::optional<WorldEvent> from_wire(const wire::Event& e) {
  WorldEvent event{static_cast<EventKind>(e.kind()),
                   BodyId{e.a()},
                   BodyId{e.b()},
                   e.part_a(),
                   e.part_b(),
                   e.speed(),
                   from_wire(e.at()),
                   from_wire(e.normal()),
                   0};
  if (event.kind == EventKind::joint_broke) {
    event.joint = e.part_a() | std::uint32_t{e.part_b()} << 16;
    event.part_a = event.part_b = 0;
  }
  const bool sound = static_cast<std::size_t>(e.kind()) < kEventKinds && names_subjects(event) &&
                     std::isfinite(e.speed()) && finite(event.at) && within(event.normal, kUnitMax);
  if (!sound) return std::nullopt;
  return event;
}

}  // namespace

void encode_events(Tick tick, std::uint64_t first, std::span<const WorldEvent> events,
                   std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!events.empty() && events.size() <= kEventsPerMessage);
  out.push_back(static_cast<std::uint8_t>(ReliableType::events));
  out.resize(out.size() + kTypeBytes - 1);
  MessageBuilder builder;
  std::array<wire::Event, kEventsPerMessage> encoded;
  for (std::size_t i = 0; i < events.size(); ++i) encoded[i] = to_wire(events[i]);
  const auto list = (*builder).CreateVectorOfStructs(encoded.data(), events.size());
  builder.finish(wire::CreateEvents(*builder, tick.value, first, list), out);
}

void encode(const message::Query& m, std::vector<std::uint8_t>& out) {
  MessageBuilder builder;
  const wire::Vec3 origin = to_wire(m.origin);
  const wire::Vec3 along = to_wire(m.along);
  builder.finish(wire::CreateQuery(*builder, m.id, &origin, &along), out);
}

void encode(const message::Answer& m, std::vector<std::uint8_t>& out) {
  MessageBuilder builder;
  const wire::Vec3f normal = to_narrow_wire(m.normal);
  builder.finish(wire::CreateAnswer(*builder, m.id, m.tick.value, m.hit, m.body.value,
                                    static_cast<std::uint16_t>(m.part), m.fraction, &normal),
                 out);
}

bool decode_events(Bytes bytes, message::Events& out) {
  out.events.clear();
  if (bytes.size() < kTypeBytes || !is_events_head(bytes.first(kTypeBytes))) return false;
  const auto* const m = verified<wire::Events>(bytes.subspan(kTypeBytes));
  if (!m) return false;
  if (!items_are_aligned(*m->events())) return false;
  if (m->events()->size() == 0 || m->events()->size() > kEventsPerMessage) return false;
  out.tick = Tick{m->tick()};
  out.first = m->first();
  for (const wire::Event* const encoded : *m->events()) {
    const std::optional<WorldEvent> event = from_wire(*encoded);
    if (!event) return false;
    out.events.push_back(*event);
  }
  return true;
}

std::optional<message::Query> decode_query(Bytes bytes) {
  const auto* const m = verified<wire::Query>(bytes);
  if (!m) return std::nullopt;
  const message::Query query{m->id(), from_wire(*m->origin()), from_wire(*m->along())};
  const bool sound =
      within(query.origin, limits::kLengthMax) && within(query.along, limits::kLengthMax);
  if (!sound) return std::nullopt;
  return query;
}

std::optional<message::Answer> decode_answer(Bytes bytes) {
  const auto* const m = verified<wire::Answer>(bytes);
  if (!m) return std::nullopt;
  const message::Answer answer{
      m->id(),       Tick{m->tick()},        m->hit(), BodyId{m->body()}, m->part(),
      m->fraction(), from_wire(*m->normal())};
  const bool sound = answer.part < physics::kContactPartsMax && answer.fraction >= 0 &&
                     answer.fraction <= 1 && within(answer.normal, kUnitMax);
  if (!sound) return std::nullopt;
  return answer;
}

}  // namespace orrery::codec
