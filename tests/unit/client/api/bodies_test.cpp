// Tests bodies in the C interface: rows, descriptions, surfaces, rays and events.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "common/math/vec3.h"
#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {
namespace {

TEST(ApiBodies, ReadsRowsOfAnyStride) {
  const WorldHandle world = world_of("free:3");
  std::uint32_t ids[3];
  EXPECT_EQ(orrery_world_ids(world.get(), ids, 2), ORRERY_SHORT_BUFFER);
  ASSERT_EQ(orrery_world_ids(world.get(), ids, 3), ORRERY_OK);
  // With 19 bytes a row, some rows begin at an address that is not aligned for a float.
  constexpr std::uint32_t kStride = 19;
  std::vector<unsigned char> bytes(3 * kStride + 1, 0xee);
  EXPECT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION, &bytes[1], 11, 3),
            ORRERY_WRONG_SIZE);
  EXPECT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION, &bytes[1], kStride, 2),
            ORRERY_SHORT_BUFFER);
  EXPECT_EQ(bytes[1], 0xee);
  ASSERT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION, &bytes[1], kStride, 3),
            ORRERY_OK);
  for (std::uint32_t i = 0; i < 3; ++i) {
    float position[3];
    std::memcpy(position, &bytes[1 + i * kStride], sizeof position);
    const std::vector<double> wanted = numbers_of(world.get(), ids[i], ORRERY_POSITION);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(position[k], static_cast<float>(wanted[k]));
    EXPECT_EQ(bytes[1 + i * kStride + 12], 0xee);  // the byte after the numbers is untouched
  }
  const std::uint32_t unknown = 7;
  double row[3];
  EXPECT_EQ(orrery_world_read(world.get(), &unknown, ORRERY_POSITION | ORRERY_DOUBLE, row, 24, 1),
            ORRERY_NOT_FOUND);
  EXPECT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_DOUBLE, row, 24, 3),
            ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_read(world.get(), nullptr, 512, row, 24, 3), ORRERY_BAD_ARGUMENT);
}

// Ids and scene bodies come after the numbers, in rows of either type.
TEST(ApiBodies, ReadsTheIdentityOfRows) {
  const WorldHandle world = world_of("playground");
  std::vector<orrery_command> commands{join(), command_on(ORRERY_SPAWN, 36, 0, 9, 0)};
  ASSERT_EQ(orrery_world_step(world.get(), commands.data(), 2), ORRERY_OK);
  const std::uint32_t count = info_of(world.get()).bodies;
  std::vector<std::uint32_t> ids(count);
  ASSERT_EQ(orrery_world_ids(world.get(), ids.data(), count), ORRERY_OK);
  for (const std::uint32_t precision : {0, +ORRERY_DOUBLE}) {
    const std::uint32_t place = precision ? 6 : 3;  // in words
    std::vector<std::uint32_t> rows(count * (place + 2));
    ASSERT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION | ORRERY_IDENTITY | precision,
                                rows.data(), 4 * (place + 2), count),
              ORRERY_OK);
    EXPECT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION | ORRERY_IDENTITY | precision,
                                rows.data(), 4 * (place + 1), count),
              ORRERY_WRONG_SIZE);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto body = sized<orrery_body>();
      ASSERT_EQ(orrery_get_body(world.get(), ids[i], &body), ORRERY_OK);
      EXPECT_EQ(rows[i * (place + 2) + place], ids[i]);
      EXPECT_EQ(rows[i * (place + 2) + place + 1], body.scene_body);
    }
    EXPECT_EQ(rows.back(), 36u);
  }
}

TEST(ApiBodies, ReadsManyWorlds) {
  const WorldHandle a = world_of("free:2");
  const WorldHandle b = world_of("free:1");
  orrery_world* const worlds[] = {a.get(), b.get()};
  std::vector<double> rows(2 * 2 * 3, -1);
  std::uint32_t failed = 9;
  const std::uint32_t what = ORRERY_POSITION | ORRERY_DOUBLE;
  ASSERT_EQ(orrery_worlds_read(worlds, 2, what, rows.data(), 24, 2, &failed), ORRERY_OK);
  EXPECT_EQ(rows[3], numbers_of(a.get(), 1, ORRERY_POSITION)[0]);
  EXPECT_EQ(rows[6], numbers_of(b.get(), 0, ORRERY_POSITION)[0]);
  EXPECT_EQ(rows[9], -1);
  EXPECT_EQ(orrery_worlds_read(worlds, 2, what, rows.data(), 24, 1, &failed), ORRERY_SHORT_BUFFER);
  EXPECT_EQ(failed, 0u);
}

constexpr char kShapes[] = R"({
  "bodies": [
    {"name": "floor", "kind": "anchor", "shape": 0},
    {"name": "ball", "position": [0, 3, 0], "shape": 1, "control": "owner", "owner": 2,
     "color": "#ff8001"},
    {"name": "tent", "kind": "anchor", "position": [9, 0, 0], "shape": 2}],
  "shapes": [
    {"parts": [{"kind": "plane"}]},
    {"parts": [{"kind": "sphere", "radius": 0.5, "density": 1000}]},
    {"parts": [{"kind": "hull", "points": [[0,0,0], [2,0,0], [0,3,0], [0,0,4]]},
               {"kind": "box", "half_extents": [1, 2, 3], "position": [0, 0, 5],
                "sensor": true}]}],
  "gravity": [0, -10, 0]})";

TEST(ApiBodies, DescribesShapes) {
  const WorldHandle world = world_of_json(kShapes);
  auto body = sized<orrery_body>();
  ASSERT_EQ(orrery_get_body(world.get(), 1, &body), ORRERY_OK);
  EXPECT_STREQ(body.name, "ball");
  EXPECT_EQ(body.kind, ORRERY_RIGID);
  EXPECT_EQ(body.control, ORRERY_OWNER);
  EXPECT_EQ(body.owner, 2u);
  EXPECT_EQ(body.parts, 1u);
  EXPECT_NEAR(body.mass, 1000 * 4 / 3.0 * M_PI / 8, 1e-9);
  EXPECT_EQ(body.half_extents[0], 0.5);
  EXPECT_EQ(body.color, 0xff8001);
  auto part = sized<orrery_part>();
  ASSERT_EQ(orrery_get_part(world.get(), 1, 0, &part), ORRERY_OK);
  EXPECT_EQ(part.kind, ORRERY_SPHERE);
  EXPECT_EQ(part.radius, 0.5);
  EXPECT_EQ(orrery_get_part(world.get(), 1, 1, &part), ORRERY_NOT_FOUND);
  EXPECT_EQ(orrery_get_part(world.get(), 3, 0, &part), ORRERY_NOT_FOUND);
  EXPECT_EQ(orrery_get_body(world.get(), 3, &body), ORRERY_NOT_FOUND);
  ASSERT_EQ(orrery_get_body(world.get(), 0, &body), ORRERY_OK);
  EXPECT_EQ(body.kind, ORRERY_ANCHOR);
  EXPECT_EQ(body.mass, 0);
  EXPECT_EQ(body.color, ORRERY_NO_COLOR);
  ASSERT_EQ(orrery_get_part(world.get(), 2, 1, &part), ORRERY_OK);
  EXPECT_EQ(part.kind, ORRERY_BOX);
  EXPECT_EQ(part.sensor, 1u);
  EXPECT_EQ(part.half_extents[2], 3);
}

// Returns the volume inside a closed surface. It is positive if the cross products of the sides of
// its triangles point outwards.
double volume_of(const std::vector<double>& vertices, const std::vector<std::uint32_t>& corners) {
  const auto vertex = [&](std::uint32_t i) {
    return Vec3{vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
  };
  double volume = 0;
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    volume += dot(vertex(corners[i]), cross(vertex(corners[i + 1]), vertex(corners[i + 2]))) / 6;
  }
  return volume;
}

TEST(ApiBodies, GivesSurfacesInAnySpace) {
  const WorldHandle world = world_of_json(kShapes);
  for (std::uint32_t axes = 0; axes <= ORRERY_Z_UP_RIGHT; ++axes) {
    auto space = sized<orrery_space>();
    space.axes = axes;
    space.units = 10;
    ASSERT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK);
    auto part = sized<orrery_part>();
    ASSERT_EQ(orrery_get_part(world.get(), 2, 0, &part), ORRERY_OK);
    ASSERT_EQ(part.vertices, 4u);
    ASSERT_EQ(part.triangles, 4u);
    std::vector<double> vertices(12);
    std::vector<std::uint32_t> corners(12);
    ASSERT_EQ(orrery_get_surface(world.get(), 2, 0, vertices.data(), 4, corners.data(), 4),
              ORRERY_OK);
    EXPECT_NEAR(volume_of(vertices, corners), 4000, 1e-9) << axes;
    EXPECT_EQ(orrery_get_surface(world.get(), 2, 0, vertices.data(), 3, corners.data(), 4),
              ORRERY_SHORT_BUFFER);
  }
}

orrery_ray ray_from(double x, double y, double z, double along_x, double along_y, double along_z) {
  auto ray = sized<orrery_ray>();
  const double numbers[] = {x, y, z, along_x, along_y, along_z};
  for (int k = 0; k < 3; ++k) ray.origin[k] = numbers[k];
  for (int k = 0; k < 3; ++k) ray.along[k] = numbers[k + 3];
  return ray;
}

TEST(ApiBodies, CastsRays) {
  const WorldHandle world = world_of_json(kShapes);
  std::vector<orrery_ray> rays{ray_from(-4, 3, 0, 8, 0, 0), ray_from(-4, 4, 0, 8, 0, 0),
                               ray_from(0, 5, 0, 0, -10, 0), ray_from(0, 5, 0, 0, -10, 0)};
  rays[3].ignores = 1;
  rays[3].ignored = 1;
  std::vector<orrery_hit> hits(4, sized<orrery_hit>());
  ASSERT_EQ(orrery_world_cast_rays(world.get(), rays.data(), hits.data(), 4), ORRERY_OK)
      << error_of(world.get());
  EXPECT_EQ(hits[0].hits, 1u);
  EXPECT_EQ(hits[0].body, 1u);
  EXPECT_NEAR(hits[0].fraction, 3.5 / 8, 1e-12);
  EXPECT_NEAR(hits[0].position[0], -0.5, 1e-12);
  EXPECT_NEAR(hits[0].normal[0], -1, 1e-12);
  EXPECT_EQ(hits[1].hits, 0u);
  EXPECT_EQ(hits[2].body, 1u);
  EXPECT_NEAR(hits[2].position[1], 3.5, 1e-12);
  EXPECT_EQ(hits[3].hits, 1u);
  EXPECT_EQ(hits[3].body, 0u);  // the floor
  EXPECT_NEAR(hits[3].fraction, 0.5, 1e-12);
  // The rays see the state after the last tick: the ball falls by 5 m/s^2 * t^2.
  for (int i = 0; i < 30; ++i) orrery_world_step(world.get(), nullptr, 0);
  ASSERT_EQ(orrery_world_cast_rays(world.get(), &rays[2], hits.data(), 1), ORRERY_OK);
  EXPECT_NEAR(hits[0].position[1], 3.5 - 5 * 0.25, 0.05);
  rays[0].along[1] = NAN;
  EXPECT_EQ(orrery_world_cast_rays(world.get(), rays.data(), hits.data(), 1), ORRERY_BAD_ARGUMENT);
}

TEST(ApiBodies, ReportsEvents) {
  const WorldHandle world = world_of_json(kShapes);
  bool hit = false;
  for (int tick = 0; tick < 120 && !hit; ++tick) {
    ASSERT_EQ(orrery_world_step(world.get(), nullptr, 0), ORRERY_OK);
    const std::uint32_t count = info_of(world.get()).events;
    std::vector<orrery_event> events(count + 1, sized<orrery_event>());
    if (count > 0) {
      EXPECT_EQ(orrery_world_events(world.get(), events.data(), count - 1), ORRERY_SHORT_BUFFER);
    }
    ASSERT_EQ(orrery_world_events(world.get(), events.data(), count), ORRERY_OK);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (events[i].kind != ORRERY_HIT) continue;
      hit = true;
      EXPECT_EQ(events[i].a, 0u);
      EXPECT_EQ(events[i].b, 1u);
      EXPECT_NEAR(events[i].speed, std::sqrt(2 * 10 * 2.5), 0.2);  // after a fall of 2.5 m
      EXPECT_NEAR(events[i].normal[1], 1, 1e-9);
    }
  }
  EXPECT_TRUE(hit);
}

TEST(ApiBodies, DescribesLinks) {
  const WorldHandle world = world_of_json(R"({
    "bodies": [{"kind": "anchor"}, {"position": [0, 2, 0]}, {"position": [3, 0, 0]}],
    "springs": [{"a": 2, "b": 1, "at_a": [1, 2, 3], "at_b": [4, 5, 6], "stiffness": 7}],
    "tethers": [{"body": 2, "at": [0, 1, 0], "anchor": [9, 8, 7], "stiffness": 7}],
    "joints": [{"kind": "distance", "a": 0, "b": 1, "rest": 2},
               {"kind": "weld", "a": 0, "b": 2, "at_a": [3, 0, 0]}]})");
  auto space = sized<orrery_space>();
  space.axes = ORRERY_Z_UP_LEFT;
  space.origin[0] = 1;
  ASSERT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK);
  const struct {
    std::int32_t kind;
    std::uint32_t a, b;
    std::vector<double> at_a, at_b;  // y and z are exchanged
  } expected[] = {{ORRERY_SPRING, 2, 1, {1, 3, 2}, {4, 6, 5}},
                  {ORRERY_TETHER, 2, 0, {0, 0, 1}, {8, 7, 8}},  // a position: from the origin
                  {ORRERY_DISTANCE, 0, 1, {0, 0, 0}, {0, 0, 0}},
                  {ORRERY_WELD, 0, 2, {3, 0, 0}, {0, 0, 0}}};
  auto link = sized<orrery_link>();
  std::uint32_t index = 0;
  for (const auto& [kind, a, b, at_a, at_b] : expected) {
    ASSERT_EQ(orrery_get_link(world.get(), index++, &link), ORRERY_OK);
    EXPECT_EQ(link.kind, kind);
    EXPECT_EQ(link.a, a);
    EXPECT_EQ(link.b, b);
    EXPECT_EQ(std::vector(link.at_a, link.at_a + 3), at_a) << index;
    EXPECT_EQ(std::vector(link.at_b, link.at_b + 3), at_b) << index;
  }
  EXPECT_EQ(orrery_get_link(world.get(), index, &link), ORRERY_END);
  EXPECT_EQ(orrery_get_link(world.get(), 0, nullptr), ORRERY_BAD_ARGUMENT);
}

}  // namespace
}  // namespace orrery::test
