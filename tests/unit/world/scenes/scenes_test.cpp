// Tests that the built-in scenes are as documented.
#include "common/world/scenes/scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using test::run;

constexpr double kPi = 3.14159265358979323846;

World world_of(std::string_view spec) { return World(built_in_scene(spec).value()); }

TEST(Scenes, EachIsSoundAndSaysWhatItIs) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    const Result<Scene> scene = built_in_scene(built_in.name);
    ASSERT_TRUE(scene.ok()) << built_in.name;
    EXPECT_TRUE(validate(scene.value()).ok()) << built_in.name;
    EXPECT_EQ(scene.value().name, built_in.name);
    EXPECT_EQ(scene.value().about, built_in.about);
    EXPECT_EQ(built_in.about.find('\n'), std::string_view::npos);
    EXPECT_LT(built_in.about.size(), 80u) << built_in.name;
  }
  EXPECT_EQ(built_in_scenes().front().name, "playground");
}

TEST(Scenes, CountsAreTaken) {
  for (const std::uint32_t count : {1u, 2u, 3u, 4u, 5u, 10u, 64u, 65u, 1000u}) {
    for (const char* name : {"free", "tethers", "springs"}) {
      const std::string spec = std::string(name) + ":" + std::to_string(count);
      EXPECT_EQ(built_in_scene(spec).value().bodies.size(), count) << spec;
    }
  }
}

TEST(Scenes, AWrongNameOrCountSaysWhatWouldBeRight) {
  for (const char* spec : {"", ":", "nope", "nope:3", "\x1b[31m"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().message.find("; there are playground, solar, springs, "),
              std::string::npos);
  }
  for (const char* spec : {"Free", "free ", "fre:3"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().message.find("; did you mean free?"), std::string::npos) << spec;
  }
  for (const char* spec :
       {"free:", "free:0", "free:-1", "free:+1", "free: 1", "free:1x", "free:1:2", "free:1000001",
        "free:1000000000", "free:99999999999999999999"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().message.find("from 1 to 1000000"), std::string::npos) << spec;
  }
  EXPECT_EQ(built_in_scene("solar:3").error().message, "the scene solar takes no count");
}

// Returns random number n of the benchmark scenes directly. n steps of the generator are one affine
// map, computed by doubling.
double draw_number(std::uint64_t n) {
  std::uint64_t scale = 1, shift = 0;
  std::uint64_t a = 6364136223846793005ull, c = 1442695040888963407ull;
  for (; n != 0; n >>= 1) {
    if (n & 1) {
      scale *= a;
      shift = a * shift + c;
    }
    c = (a + 1) * c;
    a *= a;
  }
  const std::uint64_t s = scale * 0x9E3779B97F4A7C15ull + shift;
  return std::ldexp(static_cast<double>(s >> 40), -23) - 1;
}

void expect_benchmark_body(const BodyDef& body, std::uint64_t i, const Vec3& position) {
  EXPECT_EQ(body.position, position) << i;
  const double velocity[] = {body.velocity.x,         body.velocity.y,
                             body.velocity.z,         body.angular_velocity.x,
                             body.angular_velocity.y, body.angular_velocity.z};
  for (std::uint64_t k = 0; k < 6; ++k) {
    EXPECT_EQ(velocity[k], 3 * draw_number(6 * i + k + 1)) << i << " " << k;
  }
  EXPECT_EQ(body.kind, BodyKind::rigid);
  EXPECT_EQ(body.mass, 120);
  EXPECT_NEAR(body.inertia.x, 4, 1e-14);
  EXPECT_NEAR(body.inertia.y, 10.4, 1e-14);
  EXPECT_NEAR(body.inertia.z, 13.6, 1e-14);
  EXPECT_EQ(body.half_extents, (Vec3{0.5, 0.3, 0.1}));
  EXPECT_EQ(body.linear_drag, 0);
  EXPECT_EQ(body.quadratic_drag, 0);
  EXPECT_EQ(body.orientation, Quat{});
}

TEST(Scenes, FreeIsTheBenchmarkOfTheDesign) {
  const Scene scene = built_in_scene("free:10000").value();
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(tick_time(scene), 1.0 / 60);
  EXPECT_EQ(scene.substeps, 1u);
  // Computed independently in Python.
  EXPECT_EQ(scene.bodies[0].velocity,
            (Vec3{-1.9472415447235107, 0.9961355924606323, 1.213308334350586}));
  EXPECT_EQ(scene.bodies[0].angular_velocity,
            (Vec3{1.415937066078186, -1.6996597051620483, -0.6364670991897583}));
  EXPECT_EQ(scene.bodies[9999].velocity,
            (Vec3{1.2375240325927734, 0.9576737880706787, 0.13737058639526367}));
  EXPECT_EQ(scene.bodies[9999].angular_velocity,
            (Vec3{-0.7435348033905029, 0.3061169385910034, 0.05144190788269043}));
  // 22^3 is the first cube that holds 10,000. A layer has 484 bodies.
  expect_benchmark_body(scene.bodies[0], 0, {-44, 0, -44});
  expect_benchmark_body(scene.bodies[21], 21, {40, 0, -44});
  expect_benchmark_body(scene.bodies[22], 22, {-44, 4, -44});
  expect_benchmark_body(scene.bodies[484], 484, {-44, 0, -40});
  expect_benchmark_body(scene.bodies[9999], 9999, {0, 56, 36});
}

TEST(Scenes, TethersAreTheSameBodiesOnSprings) {
  const Scene scene = built_in_scene("tethers:1000").value();
  const Scene free = built_in_scene("free:1000").value();
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(scene.springs.size(), 0u);
  ASSERT_EQ(scene.tethers.size(), 1000u);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const TetherDef& tether = scene.tethers[i];
    ASSERT_EQ(scene.bodies[i].velocity, free.bodies[i].velocity);
    ASSERT_EQ(tether.body, i);
    ASSERT_EQ(tether.anchor, free.bodies[i].position);
    ASSERT_EQ(tether.at, Vec3{});
    ASSERT_EQ(tether.stiffness, 20 * 120);
    ASSERT_EQ(tether.damping, 0);
    ASSERT_EQ(tether.rest_length, 0);
  }
}

// Returns the largest distance of a body from its exact path after five seconds; w = 0: no spring.
double error_after_5_seconds(const char* spec, double w) {
  World world = world_of(spec);
  run(world, 300);
  const double t = 5;
  double largest = 0;
  for (std::uint32_t i = 0; i < world.scene.bodies.size(); ++i) {
    const BodyDef& body = world.scene.bodies[i];
    const double along = w == 0 ? t : std::sin(w * t) / w;
    const double fall = w == 0 ? t * t / 2 : (1 - std::cos(w * t)) / (w * w);
    const Vec3 exact = body.position + along * body.velocity + fall * world.scene.gravity;
    largest = std::max(largest, length(world.bodies.position(i) - exact));
  }
  std::printf("%s: %.3e m from the exact paths after 5 s\n", spec, largest);
  return largest;
}

TEST(Scenes, FreeStaysOnItsExactPath) { EXPECT_LT(error_after_5_seconds("free:1000", 0), 1e-10); }

TEST(Scenes, TethersStayOnTheirExactPath) {
  EXPECT_LT(error_after_5_seconds("tethers:1000", std::sqrt(20.0)), 1e-11);
}

// The angle that each planet travels around the Sun.
class Orbits {
 public:
  explicit Orbits(const World& world) : before_(6), turned_(6, 0) {
    for (std::uint32_t i = 1; i < 6; ++i) before_[i] = from_sun(world, i);
  }

  void follow(const World& world) {
    for (std::uint32_t i = 1; i < 6; ++i) {
      const Vec3 now = from_sun(world, i);
      turned_[i] += std::atan2(length(cross(before_[i], now)), dot(before_[i], now));
      before_[i] = now;
    }
  }

  double period(std::uint32_t planet, double days) const {
    return days * 2 * kPi / turned_[planet];
  }

 private:
  static Vec3 from_sun(const World& world, std::uint32_t i) {
    return world.bodies.position(i) - world.bodies.position(0);
  }

  std::vector<Vec3> before_;
  std::vector<double> turned_;
};

// Runs ten orbits of Pluto: 2,480 years.
TEST(Scenes, SolarGivesThePublishedPeriods) {
  struct {
    double days;
    double tolerance;
  } const published[] = {{0, 0},           {4332.59, 0.005}, {10759.22, 0.005},
                         {30688.5, 0.005}, {60182, 0.02},    {90560, 0.02}};
  World world = world_of("solar");
  SerialExecutor serial;
  Orbits orbits(world);
  constexpr int kTicks = 90560;
  for (int i = 0; i < kTicks; ++i) {
    step(world, {}, serial);
    orbits.follow(world);
  }
  for (std::uint32_t i = 1; i < 6; ++i) {
    const double period = orbits.period(i, 10.0 * kTicks);
    std::printf("%s: %.2f days, published %.2f (%+.3f %%)\n", world.scene.names[i].c_str(), period,
                published[i].days, 100 * (period / published[i].days - 1));
    EXPECT_NEAR(period / published[i].days, 1, published[i].tolerance) << world.scene.names[i];
  }
}

TEST(Scenes, SolarKeepsEnergyAndMomentumFor1000Years) {
  World world = world_of("solar");
  SerialExecutor serial;
  const double energy = test::total_energy(world);
  const Vec3 momentum = test::orbital_momentum(world);
  double energy_error = 0;
  double momentum_error = 0;
  double last_century = 0;
  for (int tick = 1; tick <= 36525; ++tick) {
    step(world, {}, serial);
    const double error = std::abs(test::total_energy(world) / energy - 1);
    energy_error = std::max(energy_error, error);
    if (tick > 36525 - 3652) last_century = std::max(last_century, error);
    momentum_error = std::max(momentum_error,
                              length(test::orbital_momentum(world) - momentum) / length(momentum));
  }
  std::printf("1,000 years: energy %.2e (last century %.2e), angular momentum %.2e\n", energy_error,
              last_century, momentum_error);
  EXPECT_LT(energy_error, 5e-6);
  EXPECT_LT(momentum_error, 36525 * 2.3e-16);
}

TEST(Scenes, SpringsKeepTheirEnergy) {
  World world = world_of("springs:100");
  SerialExecutor serial;
  const double energy = test::total_energy(world);
  EXPECT_EQ(energy, 0.5 * (3 * 3 + 5 * 5 + 2 * 2));
  double error = 0;
  double late = 0;
  for (int tick = 1; tick <= 7200; ++tick) {
    step(world, {}, serial);
    const double now = std::abs(test::total_energy(world) / energy - 1);
    error = std::max(error, now);
    if (tick > 6000) late = std::max(late, now);
  }
  std::printf("springs: energy within %.2e over 2 minutes, %.2e at the end\n", error, late);
  EXPECT_LT(error, 0.05);
}

// Returns the time of a flip for I = 1, 2, 3 and a spin of (0.01, 5, 0.01). It is 2 K(k) / lambda,
// with the elliptic integral K from the arithmetic-geometric mean.
double flip_interval() {
  const double i1 = 1, i2 = 2, i3 = 3;
  const double w1 = 0.01, w2 = 5, w3 = 0.01;
  const double twice_energy = i1 * w1 * w1 + i2 * w2 * w2 + i3 * w3 * w3;
  const double l2 = i1 * i1 * w1 * w1 + i2 * i2 * w2 * w2 + i3 * i3 * w3 * w3;
  // Below L^2 = 2 E I2 the first and third axes exchange roles.
  const double a = l2 > twice_energy * i2 ? i1 : i3;
  const double c = l2 > twice_energy * i2 ? i3 : i1;
  const double lambda = std::sqrt((c - i2) * (l2 - twice_energy * a) / (i1 * i2 * i3));
  const double k2 = (i2 - a) * (twice_energy * c - l2) / ((c - i2) * (l2 - twice_energy * a));
  double mean = 1, other = std::sqrt(1 - k2);
  for (int i = 0; i < 40; ++i) {
    const double next = (mean + other) / 2;
    other = std::sqrt(mean * other);
    mean = next;
  }
  return kPi / mean / lambda;
}

TEST(Scenes, TumbleFlipsAsOftenAsTheEllipticIntegralSays) {
  EXPECT_NEAR(flip_interval(), 5.025929138, 1e-8);
  World world = world_of("tumble");
  SerialExecutor serial;
  int flips = 0;
  double first = 0;
  double least_of_steady = 1;
  double before = world.bodies.angular_momentum(0).y;
  for (int tick = 1; tick <= 60 * 600; ++tick) {
    step(world, {}, serial);
    const double now = world.bodies.angular_momentum(0).y;
    if (now * before < 0 && ++flips == 1) first = tick / 60.0;
    before = now;
    const Vec3 least = world.bodies.angular_momentum(1);
    const Vec3 greatest = world.bodies.angular_momentum(2);
    least_of_steady =
        std::min({least_of_steady, least.x / length(least), greatest.z / length(greatest)});
  }
  const int expected = static_cast<int>((600 - 2.75) / flip_interval()) + 1;
  std::printf("first flip at %.3f s, %d flips in 600 s, expected %d\n", first, flips, expected);
  EXPECT_NEAR(first, 2.75, 1.0 / 60 + 0.01);
  EXPECT_NEAR(flips, expected, 1);
  EXPECT_GT(least_of_steady, 0.99);
}

Command from(std::uint32_t client, CommandPayload payload) {
  return {ClientId{client}, Sequence{1}, std::move(payload)};
}

TEST(Scenes, LanderIsFlownByClient1AndComesBack) {
  World world = world_of("lander");
  SerialExecutor serial;
  const BodyId lander{0};
  const Command join_1{kServer, Sequence{1}, command::Join{ClientId{1}, Role::play}};
  const Command join_2{kServer, Sequence{2}, command::Join{ClientId{2}, Role::play}};
  const Command joins[] = {join_1, join_2};
  step(world, joins, serial);
  const Command pushes[] = {from(1, command::Thrust{lander, {0, 8000, 0}}),
                            from(2, command::Thrust{lander, {0, -9000, 0}})};
  step(world, pushes, serial);
  EXPECT_EQ(world.applied.size(), 1u);
  const double before = world.bodies.velocity(0).y;
  run(world, 120);
  EXPECT_GT(world.bodies.velocity(0).y, before + 4);
  const Command stop = from(1, command::Thrust{lander, {}});
  step(world, {&stop, 1}, serial);
  double nearest = 1e9, farthest = 0;
  for (int i = 0; i < 60 * 600; ++i) {
    step(world, {}, serial);
    nearest = std::min(nearest, world.bodies.position(0).y);
    farthest = std::max(farthest, length(world.bodies.position(0)));
  }
  std::printf("lander: lowest %.1f m, farthest %.1f m, %.1f m at the end\n", nearest, farthest,
              world.bodies.position(0).y);
  EXPECT_LT(farthest, 80);
}

TEST(Scenes, LanderLeftAloneStaysAboveItsPad) {
  World world = world_of("lander");
  double lowest = 1e9;
  for (int i = 0; i < 60; ++i) {
    run(world, 60);
    lowest = std::min(lowest, world.bodies.position(0).y);
  }
  EXPECT_GT(lowest, 1.5);
}

}  // namespace
}  // namespace orrery
