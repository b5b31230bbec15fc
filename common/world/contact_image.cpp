// Owns how the records of contacts are written and read.
#include "common/world/contact_image.h"

#include <bit>

#include "common/core/limits.h"

namespace orrery {
namespace {

// Bits of the byte behind the key: the kind of contact, and whether it has an impulse that most
// have not.
constexpr std::uint8_t kKindMask = 3;
constexpr std::uint8_t kRolling = 4;
static_assert(static_cast<std::uint8_t>(ContactKind::sensor) <= kKindMask);
constexpr std::size_t kContactBytesMin = 8 + 1 + 1;

bool all_bits_zero(const Vec3& v) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return (bits(v.x) | bits(v.y) | bits(v.z)) == 0;
}

void put(ByteWriter& w, const Vec3& v) {
  w.f64(v.x);
  w.f64(v.y);
  w.f64(v.z);
}

Vec3 get_vec3(ByteReader& r) {
  const double x = r.f64();
  const double y = r.f64();
  const double z = r.f64();
  return {x, y, z};
}

void encode_geometry(const ContactRecord& record, ByteWriter& w) {
  w.u8(record.count);
  put(w, record.normal);
  put(w, {record.turn.x, record.turn.y, record.turn.z});
  w.f64(record.turn.w);
  for (std::uint32_t i = 0; i < record.count; ++i) {
    const ContactPointRecord& point = record.points[i];
    put(w, point.at_a);
    put(w, point.at_b);
    w.f64(point.separation);
    w.f64(point.impulse);
    w.u32(point.feature);
  }
  w.f64(record.twist_impulse);
}

bool decode_geometry(ByteReader& r, ContactRecord& record) {
  record.count = r.u8();
  if (record.count > kContactPointsMax) return false;
  record.normal = get_vec3(r);
  const Vec3 turn = get_vec3(r);
  record.turn = {turn.x, turn.y, turn.z, r.f64()};
  for (std::uint32_t i = 0; i < record.count; ++i) {
    ContactPointRecord& point = record.points[i];
    point.at_a = get_vec3(r);
    point.at_b = get_vec3(r);
    point.separation = r.f64();
    point.impulse = r.f64();
    point.feature = r.u32();
  }
  record.twist_impulse = r.f64();
  return true;
}

void encode(const ContactRecord& record, ByteWriter& w) {
  const bool rolling = !all_bits_zero(record.rolling_impulse);
  w.u64(record.key.value);
  w.u8(
      static_cast<std::uint8_t>(static_cast<std::uint8_t>(record.kind) | (rolling ? kRolling : 0)));
  w.u8(record.colour);
  if (record.kind == ContactKind::sensor) return;
  if (record.kind == ContactKind::general) {
    encode_geometry(record, w);
  } else {
    w.f64(record.points[0].impulse);
  }
  put(w, record.friction_impulse);
  if (rolling) put(w, record.rolling_impulse);
}

bool decode(ByteReader& r, ContactRecord& record) {
  record.key.value = r.u64();
  const std::uint8_t bits = r.u8();
  if (bits > (kRolling | kKindMask) || (bits & kKindMask) > 2) return false;
  record.kind = static_cast<ContactKind>(bits & kKindMask);
  record.colour = r.u8();
  if (record.kind == ContactKind::sensor) return (bits & kRolling) == 0;
  if (record.kind == ContactKind::general) {
    if (!decode_geometry(r, record)) return false;
  } else {
    record.count = 1;
    record.points[0].impulse = r.f64();
  }
  record.friction_impulse = get_vec3(r);
  if ((bits & kRolling) == 0) return true;
  record.rolling_impulse = get_vec3(r);
  return !all_bits_zero(record.rolling_impulse);  // one coding for one state
}

}  // namespace

void encode_contacts(const ContactSet& contacts, std::vector<std::uint8_t>& out) {
  std::vector<ContactRecord> records;
  contacts.save(records);
  ByteWriter w(out);
  w.u32(static_cast<std::uint32_t>(records.size()));
  for (const ContactRecord& record : records) encode(record, w);
}

bool decode_contacts(ByteReader& in, std::vector<ContactRecord>& records) {
  const std::uint32_t count = in.u32();
  if (!in.ok() || count > limits::kContactsMax || count > in.remaining() / kContactBytesMin) {
    return false;
  }
  records.assign(count, {});
  for (ContactRecord& record : records) {
    if (!decode(in, record) || !in.ok()) return false;
  }
  return true;
}

}  // namespace orrery
