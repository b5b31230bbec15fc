// Tests the bytes of contacts with an independent reader, written from schema/image.md 3.
#include "common/world/image/contact_image.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/contact_records.h"

namespace orrery {
namespace {

struct SpecReader {
  Bytes left;

  std::uint64_t word(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value += std::uint64_t{left[i]} << 8 * i;
    left = left.subspan(bytes);
    return value;
  }
  double number() { return std::bit_cast<double>(word(8)); }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  std::uint64_t distance() {
    std::uint64_t code = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint64_t byte = word(1);
      code += (byte & 127) << shift;
      if (byte < 128) break;
    }
    return code % 2 == 0 ? code / 2 : ~(code / 2);
  }
  double near(double predicted) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(predicted) + distance());
  }
  Vec3 near(const Vec3& predicted) {
    const double x = near(predicted.x), y = near(predicted.y);
    return {x, y, near(predicted.z)};
  }
};

Vec3 times(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

void expect_same(const Vec3& a, const Vec3& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

void expect_geometry(SpecReader& in, const physics::ContactRecord& record, bool falling) {
  const Vec3 n = in.vector();
  expect_same(n, record.normal);
  const Vec3 q = in.vector();
  const double rest = 1 - (q.x * q.x + q.y * q.y + q.z * q.z);
  const double w = in.near(rest > 0 ? std::sqrt(rest) : 0.0);
  expect_same(q, {record.turn.x, record.turn.y, record.turn.z});
  EXPECT_EQ(w, record.turn.w);
  const Vec3 a0 = in.vector(), b0 = in.vector();
  const double s0 = in.number();
  auto feature = static_cast<std::uint32_t>(in.distance());
  Vec3 a[physics::kContactPointsMax] = {a0};
  for (std::uint32_t i = 0; i < record.count; ++i) {
    Vec3 b = b0;
    double s = s0;
    if (i > 0) {
      a[i] = in.near(i < 3 ? a[i - 1] : a0 + (a[2] - a[1]));
      const Vec3 v = a[i] - a0, u = -q;
      const Vec3 t = 2 * times(u, v);
      b = in.near(b0 + ((v + w * t) + times(u, t)));
      const double d = 2 * (n.x * v.x + n.y * v.y + n.z * v.z);
      s = in.near(falling ? s0 - d : s0 + d);
      feature += static_cast<std::uint32_t>(in.distance());
    }
    expect_same(a[i], record.points[i].at_a);
    expect_same(b, record.points[i].at_b);
    EXPECT_EQ(s, record.points[i].separation);
    EXPECT_EQ(feature, record.points[i].feature);
  }
}

void expect_contact(SpecReader& in, const physics::ContactRecord& record, std::uint64_t& slot_a) {
  const std::uint64_t what = in.word(1), colour = in.word(1);
  EXPECT_EQ(what & 3, static_cast<std::uint64_t>(record.kind));
  EXPECT_EQ(colour & 63, record.colour);
  if ((what & 8) == 0) slot_a = in.word(3);
  const std::uint64_t slot_b = in.word(3);
  const std::uint64_t parts = (what & 16) != 0 ? 0 : in.word(3);
  EXPECT_EQ(slot_a << 44 | slot_b << 24 | parts, record.key.value);
  const bool general = (what & 3) == 1, idle = (what & 32) != 0;
  EXPECT_EQ((what >> 6) + 1, record.count);
  if (general) expect_geometry(in, record, (colour & 64) != 0);
  for (std::uint32_t i = 0; i < record.count; ++i) {
    EXPECT_EQ(idle ? 0 : in.number(), record.points[i].impulse);
  }
  expect_same(idle ? Vec3{} : in.vector(), record.friction_impulse);
  EXPECT_EQ(general && !idle ? in.number() : 0, record.twist_impulse);
  expect_same((what & 4) != 0 ? in.vector() : Vec3{}, record.rolling_impulse);
}

TEST(ContactImage, IsWhatTheSpecificationSays) {
  for (const char* scene : {"spheres:60", "boxes:60", "crates:30", "mesh:40"}) {
    World world(built_in_scene(scene).value());
    SerialExecutor serial;
    for (int i = 0; i < 90; ++i) step(world, {}, serial);
    std::vector<std::uint8_t> bytes;
    std::vector<physics::ContactRecord> records;
    const physics::ContactSet& contacts = world.collision()->solver.contacts();
    encode_contacts(contacts, {}, bytes);
    records = test::records_of(contacts);
    SpecReader in{bytes};
    ASSERT_EQ(in.word(4), records.size());
    EXPECT_GT(records.size(), 10u) << scene;
    std::uint64_t slot_a = 0;
    for (const physics::ContactRecord& record : records) {
      expect_contact(in, record, slot_a);
      ASSERT_FALSE(HasFailure()) << scene << " key " << record.key.value;
    }
    EXPECT_TRUE(in.left.empty()) << scene;
  }
}

}  // namespace
}  // namespace orrery
