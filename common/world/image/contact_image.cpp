// Writes and reads the records of contacts.
//
// The geometry of a general contact has more numbers than degrees of freedom. For example, the
// position of a contact point in body b follows from its position in body a, except for rounding.
// Predictable numbers are written as their distance in ulps from a prediction. The distance usually
// takes one or two bytes instead of eight.
#include "common/world/image/contact_image.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/core/limits.h"

namespace orrery {
namespace {

// The first byte of a contact holds its kind, flags for the omitted numbers, and the number of
// points of a general contact. The second byte holds its colour (solver group) and the bits
// kFaceOfB and kTurnsWithB.
constexpr std::uint32_t kKindBits = 3;
constexpr std::uint32_t kRolls = 4;     // a rolling impulse follows
constexpr std::uint32_t kSameBody = 8;  // slot a equals the previous contact's, and is omitted
// The part numbers of both bodies and the manifold number are 0, and omitted.
constexpr std::uint32_t kNoParts = 16;
// The impulses along the normal, of friction and of twist are 0, and omitted.
constexpr std::uint32_t kNoImpulses = 32;
// from this bit on, two bits hold the number of points - 1
constexpr std::uint32_t kPointsShift = 6;
constexpr std::uint32_t kColourBits = physics::kColours - 1;
constexpr std::uint32_t kFaceOfB = 64;      // see separation()
constexpr std::uint32_t kTurnsWithB = 128;  // ContactRecord::face_of_b
static_assert(static_cast<std::uint32_t>(physics::ContactKind::sensor) <= kKindBits);
static_assert(physics::kContactPointsMax <= 4 && physics::kColours <= 64);

constexpr physics::ContactKey kNoContact{~std::uint64_t{0}};
constexpr std::size_t kContactBytesMin = 2 + 3;

constexpr std::uint64_t kLow24 = 0xFFFFFF;
constexpr int kSlotAShift = 44;
constexpr int kSlotBShift = 24;
// A key is three groups of at most 24 bits: slot a, slot b and the parts.
static_assert(kSlotAShift == kSlotBShift + kSlotBits && kSlotAShift + kSlotBits == 64);
static_assert(kLow24 + 1 == std::uint64_t{1} << kSlotBShift);
static_assert(kSlotBits <= 24);
static_assert((kColourBits & (kFaceOfB | kTurnsWithB)) == 0);  // all are in the second byte
static_assert((kKindBits & (kRolls | kSameBody | kNoParts | kNoImpulses)) == 0);
static_assert((physics::kContactPointsMax - 1) << kPointsShift <= 0xFF);

bool is_zero(double x) { return std::bit_cast<std::uint64_t>(x) == 0; }
bool is_zero(const Vec3& v) { return is_zero(v.x) && is_zero(v.y) && is_zero(v.z); }

bool is_idle(const physics::ContactRecord& record) {
  for (std::uint32_t i = 0; i < record.count; ++i) {
    if (!is_zero(record.points[i].impulse)) return false;
  }
  return is_zero(record.friction_impulse) && is_zero(record.twist_impulse);
}

// --- numbers out of a record and into it ---

// Maps small distances of either sign to small unsigned numbers, which are short as varints.
constexpr std::uint64_t zigzag(std::uint64_t distance) {
  return distance << 1 ^ (0 - (distance >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return code >> 1 ^ (0 - (code & 1)); }

// A writer of the numbers of one contact. near() writes the distance from a prediction as a varint.
class NumberWriter {
 public:
  explicit NumberWriter(std::uint8_t* to) : begin_(to), at_(to) {}

  void u8(std::uint32_t value) { *at_++ = static_cast<std::uint8_t>(value); }
  void u24(std::uint64_t value) { put<3>(value); }
  void number(double value) { put<8>(std::bit_cast<std::uint64_t>(value)); }
  void near(double value, double predicted) {
    varint(zigzag(std::bit_cast<std::uint64_t>(value) - std::bit_cast<std::uint64_t>(predicted)));
  }
  void near(std::uint32_t value, std::uint32_t predicted) {
    varint(zigzag(std::uint64_t{value} - predicted));
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  template <int kCount>
  void put(std::uint64_t value) {
    store_little_endian<kCount>(at_, value);
    at_ += kCount;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint32_t>(value & 0x7F) | 0x80);
    u8(static_cast<std::uint32_t>(value));
  }

  std::uint8_t* begin_;
  std::uint8_t* at_;
};

// A reader of the numbers of one contact. It does not check where the bytes end, but never reads
// more than kContactBytesMax of them. plain() is false if NumberWriter would have written a number
// differently.
class NumberReader {
 public:
  explicit NumberReader(const std::uint8_t* from) : begin_(from), at_(from) {}

  std::uint32_t u8() { return *at_++; }
  std::uint64_t u24() { return get<3>(); }
  void number(double& value) { value = std::bit_cast<double>(get<8>()); }
  void near(double& value, double predicted) {
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(predicted) + unzigzag(varint()));
  }
  void near(std::uint32_t& value, std::uint32_t predicted) {
    const std::uint64_t sum = predicted + unzigzag(varint());
    plain_ = plain_ && sum >> 32 == 0;
    value = static_cast<std::uint32_t>(sum);
  }
  bool plain() const { return plain_; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  template <int kCount>
  std::uint64_t get() {
    at_ += kCount;
    return load_little_endian<kCount>(at_ - kCount);
  }
  std::uint64_t varint() {
    std::uint64_t value = *at_++;
    if (value < 0x80) return value;
    value &= 0x7F;
    for (int shift = 7; shift < 64; shift += 7) {
      const std::uint64_t byte = *at_++;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) {
        plain_ = plain_ && byte != 0 && (shift < 63 || byte == 1);
        return value;
      }
    }
    plain_ = false;
    return value;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  bool plain_ = true;
};

// --- fields of a contact, written or read: Numbers is NumberWriter or NumberReader ---

template <class Numbers, class Vector>
void vector(Numbers& numbers, Vector& v) {
  numbers.number(v.x);
  numbers.number(v.y);
  numbers.number(v.z);
}

template <class Numbers, class Vector>
void vector_near(Numbers& numbers, Vector& v, const Vec3& predicted) {
  numbers.near(v.x, predicted.x);
  numbers.near(v.y, predicted.y);
  numbers.near(v.z, predicted.z);
}

// Predicts the separation of point i from the first point. Each point lies halfway between a face
// of one body and the surface of the other. Along the normal, the positions of two points therefore
// differ by half as much as their separations. The sign depends on which body has the face.
double separation(const physics::ContactRecord& record, std::uint32_t i, bool face_of_b) {
  const physics::ContactPointRecord& first = record.points[0];
  const double along = 2 * dot(record.normal, record.points[i].at_a - first.at_a);
  return face_of_b ? first.separation - along : first.separation + along;
}

// Predicts the position of point i in the axes of body a. The points of most manifolds are the
// corners of a rectangle in order. Points 1 and 2 often share a coordinate with the previous point,
// and point 3 completes the rectangle.
Vec3 corner(const physics::ContactRecord& record, std::uint32_t i) {
  const auto& points = record.points;
  return i < 3 ? points[i - 1].at_a : points[0].at_a + (points[2].at_a - points[1].at_a);
}

template <class Numbers, class Record>
void geometry(Numbers& numbers, Record& record, bool face_of_b) {
  vector(numbers, record.normal);
  auto& turn = record.turn;
  vector(numbers, turn);
  const double rest = 1 - (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  numbers.near(turn.w, rest > 0 ? square_root(rest) : 0.0);
  auto& first = record.points[0];
  vector(numbers, first.at_a);
  vector(numbers, first.at_b);
  numbers.number(first.separation);
  numbers.near(first.feature, 0);
  for (std::uint32_t i = 1; i < record.count; ++i) {
    auto& point = record.points[i];
    vector_near(numbers, point.at_a, corner(record, i));
    vector_near(numbers, point.at_b, first.at_b + rotate_back(turn, point.at_a - first.at_a));
    numbers.near(point.separation, separation(record, i, face_of_b));
    numbers.near(point.feature, record.points[i - 1].feature);
  }
}

template <class Numbers, class Record>
void impulses(Numbers& numbers, Record& record) {
  for (std::uint32_t i = 0; i < record.count; ++i) numbers.number(record.points[i].impulse);
  vector(numbers, record.friction_impulse);
  if (record.kind == physics::ContactKind::general) numbers.number(record.twist_impulse);
}

// --- writing ---

bool face_of_b(const physics::ContactRecord& record) {
  if (record.count < 2) return false;
  const double found = record.points[1].separation;
  return std::abs(found - separation(record, 1, true)) <
         std::abs(found - separation(record, 1, false));
}

// The first two bytes of a contact.
struct Head {
  Head(const physics::ContactRecord& record, physics::ContactKey before) {
    const bool sensor = record.kind == physics::ContactKind::sensor;
    const bool general = record.kind == physics::ContactKind::general;
    what = static_cast<std::uint32_t>(record.kind);
    if (!sensor && !is_zero(record.rolling_impulse)) what |= kRolls;
    if (before < record.key && before.slot_a() == record.key.slot_a()) what |= kSameBody;
    if ((record.key.value & kLow24) == 0) what |= kNoParts;
    if (!sensor && is_idle(record)) what |= kNoImpulses;
    if (general) what |= (record.count - 1u) << kPointsShift;
    colour = record.colour | (general && face_of_b(record) ? kFaceOfB : 0) |
             (general && record.face_of_b ? kTurnsWithB : 0);
  }

  std::uint32_t what;
  std::uint32_t colour;
};

// Writes a contact and returns the number of bytes.
std::size_t encode(const physics::ContactRecord& record, physics::ContactKey before,
                   std::uint8_t* out) {
  const Head head(record, before);
  NumberWriter numbers(out);
  numbers.u8(head.what);
  numbers.u8(head.colour);
  const std::uint64_t key = record.key.value;
  if ((head.what & kSameBody) == 0) numbers.u24(key >> kSlotAShift);
  numbers.u24(record.key.slot_b());
  if ((head.what & kNoParts) == 0) numbers.u24(key & kLow24);
  if (record.kind == physics::ContactKind::sensor) return numbers.size();
  if (record.kind == physics::ContactKind::general) {
    geometry(numbers, record, (head.colour & kFaceOfB) != 0);
  }
  if ((head.what & kNoImpulses) == 0) impulses(numbers, record);
  if ((head.what & kRolls) != 0) vector(numbers, record.rolling_impulse);
  return numbers.size();
}

// --- reading ---

physics::ContactKey decode_key(NumberReader& numbers, std::uint32_t what,
                               physics::ContactKey before) {
  const std::uint64_t slot_a = (what & kSameBody) != 0 ? before.slot_a() : numbers.u24();
  const std::uint64_t slot_b = numbers.u24();
  const std::uint64_t parts = (what & kNoParts) != 0 ? 0 : numbers.u24();
  if ((slot_a | slot_b) >> kSlotBits != 0) return kNoContact;
  return {slot_a << kSlotAShift | slot_b << kSlotBShift | parts};
}

// Replaces `record`, which holds the previous contact, by the next one. It accepts any bytes,
// because the caller checks the result.
void decode(NumberReader& numbers, physics::ContactRecord& record) {
  const std::uint32_t what = numbers.u8(), colour = numbers.u8();
  const auto kind = static_cast<physics::ContactKind>(what & kKindBits);
  const physics::ContactKey key = decode_key(numbers, what, record.key);
  if (kind != physics::ContactKind::round || record.kind != physics::ContactKind::round)
    record = {};
  record.key = key;
  record.kind = kind;
  record.colour = static_cast<std::uint8_t>(colour & kColourBits);
  if (kind >= physics::ContactKind::sensor) return;
  record.count = static_cast<std::uint8_t>((what >> kPointsShift) + 1);
  record.face_of_b = kind == physics::ContactKind::general && (colour & kTurnsWithB) != 0;
  if (kind == physics::ContactKind::general) geometry(numbers, record, (colour & kFaceOfB) != 0);
  if ((what & kNoImpulses) == 0) {
    impulses(numbers, record);
  } else {
    record.points[0].impulse = 0;
    record.friction_impulse = {};
  }
  record.rolling_impulse = {};
  if ((what & kRolls) != 0) vector(numbers, record.rolling_impulse);
}

}  // namespace

void encode_contacts(const physics::ContactSet& contacts,
                     std::span<const physics::ContactRecord> sleeping,
                     std::vector<std::uint8_t>& out) {
  ByteWriter w(out);
  ORRERY_ASSERT(contacts.size() + sleeping.size() <= limits::kContactsMax);
  w.u32(contacts.size() + static_cast<std::uint32_t>(sleeping.size()));
  physics::ContactKey before = kNoContact;
  const auto append = [&](const physics::ContactRecord& record) {
    std::uint8_t bytes[kContactBytesMax];
    w.bytes({bytes, encode(record, before, bytes)});
    before = record.key;
  };
  contacts.for_each_record([&](const physics::ContactRecord& record) {
    for (; !sleeping.empty() && sleeping[0].key < record.key; sleeping = sleeping.subspan(1)) {
      append(sleeping[0]);
    }
    append(record);
  });
  for (const physics::ContactRecord& record : sleeping) append(record);
}

ContactReader::ContactReader(ByteReader& in) : in_(in), left_(in.u32()), ok_(in.ok()) {
  if (left_ > limits::kContactsMax || left_ > in.remaining() / kContactBytesMin) ok_ = false;
  record_.key = kNoContact;
}

const physics::ContactRecord* ContactReader::next() {
  if (!ok_ || left_ == 0) return nullptr;
  --left_;
  const Bytes rest = in_.rest();
  const std::uint8_t* from = rest.data();
  if (rest.size() < kContactBytesMax) {  // appends zeros, so that no read passes the end
    std::memset(padded_, 0, sizeof padded_);
    std::copy(rest.begin(), rest.end(), padded_);
    from = padded_;
  }
  const physics::ContactKey before = record_.key;
  NumberReader numbers(from);
  decode(numbers, record_);
  in_.bytes(numbers.size());
  // A state has only one valid encoding: zeros must be omitted, and varints must have their
  // shortest form.
  const Head head(record_, before);
  ok_ = in_.ok() && numbers.plain() && record_.kind <= physics::ContactKind::sensor &&
        head.what == from[0] && head.colour == from[1];
  return ok_ ? &record_ : nullptr;
}

}  // namespace orrery
