// Tests distances of convex parts against brute force over all features.
#include <gtest/gtest.h>

#include "tests/unit/physics/pair_samples.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0x0E71A9;

const physics::Part kParts[] = {part_of(physics::ShapeKind::sphere, 0.5),
                                part_of(physics::ShapeKind::capsule, 0.2, {}, 0.4),
                                part_of(physics::ShapeKind::box, 0, {0.5, 0.3, 0.2})};

TEST(Distance, IsTheLeastOverAllFeatures) {
  SplitMix64 random(kSeed);
  int apart = 0;
  for (int i = 0; i < 30'000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", pair " << i);
    const physics::Part& a = kParts[random.below(3)];
    const physics::Part& b = kParts[random.below(3)];
    const Quat turn_a = random.below(4) ? random_turn(random) : Quat{};
    const Quat turn_b = random.below(4) ? random_turn(random) : Quat{};
    const physics::CoreShape core_a({}, physics::placed(a, {{}, turn_a}, {}));
    const physics::CoreShape core_b({}, physics::placed(b, {random_vector(random, 1), turn_b}, {}));
    const physics::Nearest nearest = physics::nearest_points(core_a, core_b);
    if (nearest.distance == 0) continue;
    ++apart;
    ASSERT_NEAR(nearest.distance, slow_distance(core_a, core_b), 1e-8);
    ASSERT_NEAR(length(nearest.on_b - nearest.on_a), nearest.distance, 1e-12);
  }
  EXPECT_GT(apart, 10'000);
}

}  // namespace
}  // namespace orrery
