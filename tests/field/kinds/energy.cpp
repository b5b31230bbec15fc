// Checks that no contact adds energy to random bodies: any slimness, size, density and speed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "tests/field/suite.h"

namespace orrery::field {
namespace {

// Draws the scene of a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double symmetric() { return random_.symmetric(); }
  std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }
  // Returns a number from `least` to `most`, each power of ten as likely as any other.
  double any(double least, double most) {
    return std::exp(std::log(least) + 0.5 * (1 + symmetric()) * std::log(most / least));
  }
  Vec3 vector(double most) {
    Vec3 v;
    v.x = most * symmetric();
    v.y = most * symmetric();
    v.z = most * symmetric();
    return v;
  }
  Quat orientation() {
    const Vec3 v = vector(1);
    return normalized({v.x, v.y, v.z, symmetric()});
  }

 private:
  SplitMix64 random_;
};

// The largest ratio of the extents of a body in a group of scenes.
enum class Group { balls, compact, slim };
constexpr std::pair<const char*, double> kGroups[] = {{"balls", 1}, {"compact", 3}, {"slim", 1000}};

physics::PartDef any_part(Draw& draw, Group group, double size) {
  const double slimness = kGroups[static_cast<int>(group)].second;
  const double thin = std::max(size / draw.any(1, slimness), 1e-5), mid = draw.any(thin, size);
  switch (group == Group::balls ? 0 : draw.below(5)) {
    case 0:
      return ball(size / 2);
    case 1:
      return capsule(thin / 2, size / 2);
    case 2:
      return box({thin / 2, size / 2, mid / 2});
    case 3:
      return box_hull({thin / 2, size / 2, mid / 2});
    default:
      return cylinder(mid / 2, size / 2, 8 + static_cast<int>(draw.below(10)));
  }
}

// Adds a wall or the floor of a room. Its half space is y <= 0: turn y to the inward normal.
void add_wall(Scene& scene, int axis, double side, double distance, double friction,
              double restitution) {
  const std::uint32_t wall = add_fixed(scene, with(plane(), friction, restitution), {});
  BodyDef& body = scene.bodies[wall];
  const Vec3 out = axis == 0 ? Vec3{side, 0, 0} : axis == 1 ? Vec3{0, side, 0} : Vec3{0, 0, side};
  body.position = distance * out;
  body.orientation = axis == 0   ? turn({0, 0, 1}, side * kPi / 2)
                     : axis == 1 ? turn({0, 0, 1}, side > 0 ? kPi : 0)
                                 : turn({1, 0, 0}, -side * kPi / 2);
}

// Raises the mass and the moments of inertia of a body to the limits of a scene.
void keep_limits(BodyDef& body) {
  const double least = std::min({body.inertia.x, body.inertia.y, body.inertia.z});
  if (least >= limits::kInertiaMin && body.mass >= limits::kMassMin) return;
  const double factor = std::max(limits::kInertiaMin / least, limits::kMassMin / body.mass);
  body.mass *= 2 * factor;
  body.inertia = 2 * factor * body.inertia;
}

// One to three bodies in a closed room without weight, or above a plane with weight.
Scene random_scene(Group group, bool has_weight, std::uint64_t seed) {
  Draw draw(seed);
  Scene scene = has_weight ? earthly() : weightless();
  const double size = draw.any(1e-3, 100), friction = draw.below(2) == 0 ? 0 : draw.any(0.05, 1);
  const double restitution = 0.5 * (1 + draw.symmetric()), speed = draw.any(0.01, 100);
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      if (has_weight && !(axis == 1 && side < 0)) continue;
      add_wall(scene, axis, side, 3 * size, friction, restitution);
    }
  }
  const std::uint32_t count = 1 + draw.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    physics::PartDef part = with(any_part(draw, group, size), friction, restitution);
    part.density = draw.any(1, 20000);
    const double x = (static_cast<double>(i) - 0.5 * (count - 1)) * 1.9 * size;
    const std::uint32_t id = add(scene, part, {x, 0, 0});
    BodyDef& body = scene.bodies[id];
    keep_limits(body);
    body.orientation = draw.orientation();
    body.velocity = draw.vector(speed);
    body.angular_velocity = draw.vector(std::min(speed / size, 500.0));
  }
  return scene;
}

// Measures the energy of a scene. Heights count from the floor, so that all energies are positive.
class Meter {
 public:
  Meter(const Scene& scene, const Trial& trial) : scene_(scene), trial_(trial) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      if (is_dynamic(scene.bodies[i].kind)) moving_.push_back(i);
    }
  }

  // Returns the energy. A substep of semi-implicit Euler keeps m v^2 / 2 - m g x + h m g v / 2 of a
  // falling body, so a contact must not raise this sum.
  double energy() const {
    double sum = trial_.energy();
    const double h = trial_.tick() / scene_.substeps;
    const double floor = -length(scene_.bodies[0].position);
    for (const std::size_t i : moving_) {
      const double mass = scene_.bodies[i].mass;
      sum += mass * h / 2 * dot(scene_.gravity, trial_.velocity(i));
      sum -= mass * length(scene_.gravity) * floor;
    }
    return sum;
  }

 private:
  const Scene& scene_;
  const Trial& trial_;
  std::vector<std::size_t> moving_;
};

// The gains of energy in a second, as shares of the energy at the start.
struct Gains {
  double in_tick = 0;      // the largest in a tick
  double above_start = 0;  // the largest since the start
};

Gains gains_of(Group group, bool has_weight, std::uint64_t seed) {
  const Scene scene = random_scene(group, has_weight, seed);
  Trial trial(scene);
  const Meter meter(scene, trial);
  const double start = meter.energy();
  double before = start;
  Gains gains;
  for (int i = 0; i < 60; ++i) {
    trial.run(1.0 / 60);
    const double now = meter.energy();
    gains.in_tick = std::max(gains.in_tick, (now - before) / start);
    gains.above_start = std::max(gains.above_start, (now - start) / start);
    before = now;
  }
  return std::isfinite(before) ? gains : Gains{1e300, 1e300};
}

std::string name_of(Group group, bool has_weight) {
  return text("energy: %s%s", kGroups[static_cast<int>(group)].first,
              has_weight ? " with weight" : "");
}

// Counts the seeds whose energy grows, and finds the largest gain.
struct Worst {
  void add(double gain, int seed) {
    wrong += gain > kGainMax;
    if (gain > most) worst = seed;
    most = std::max(most, gain);
  }
  void print(const std::string& name) const {
    std::printf("       %s: %d gain; the worst is seed %d\n", name.c_str(), wrong, worst);
  }

  static constexpr double kGainMax = 1e-9;
  int wrong = 0, worst = 0;
  double most = 0;
};

// Runs the scenes of seeds from 1 on. What a body loses in a hit, it may not get back. Bodies that
// are pushed out of each other with weight may rise a little, in later ticks.
void check_group(Suite& suite, Group group, bool has_weight, int seeds) {
  const std::string name = name_of(group, has_weight) + text(", %d seeds", seeds);
  Worst in_tick, above_start;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Gains gains = gains_of(group, has_weight, static_cast<std::uint64_t>(seed));
    in_tick.add(gains.in_tick, seed);
    above_start.add(gains.above_start, seed);
  }
  in_tick.print(name + ", in a tick");
  above_start.print(name + ", since the start");
  suite.at_most(name + ": largest gain", in_tick.most, Worst::kGainMax);
  suite.at_most(name + ": largest gain since the start", above_start.most, Worst::kGainMax);
}

// A scene of the large set that once gained energy.
struct Found {
  Group group;
  bool has_weight;
  std::uint64_t seed;
};

constexpr Found kFound[] = {
    {Group::balls, true, 2778},   {Group::balls, true, 4153},    {Group::compact, true, 994},
    {Group::compact, true, 4173}, {Group::compact, false, 2923}, {Group::slim, false, 8344},
    {Group::slim, false, 16501},  {Group::slim, true, 8994},     {Group::slim, true, 9975},
    {Group::slim, false, 3492},   {Group::slim, false, 6863},    {Group::slim, false, 9313},
    {Group::slim, false, 9715},   {Group::slim, false, 16483},   {Group::slim, true, 1073},
    {Group::slim, true, 2068},    {Group::slim, true, 2758},     {Group::slim, true, 3721},
    {Group::slim, true, 6372},    {Group::slim, true, 6621},     {Group::slim, true, 8888},
    {Group::slim, true, 9411},    {Group::slim, true, 9484},     {Group::slim, true, 9884},
    {Group::slim, true, 12175},   {Group::slim, true, 13521},    {Group::slim, true, 14888},
    {Group::slim, true, 14991},
};

void check_found(Suite& suite, const Found& found) {
  const Gains gains = gains_of(found.group, found.has_weight, found.seed);
  const std::string name = name_of(found.group, found.has_weight);
  suite.at_most(name + text(", seed %d", static_cast<int>(found.seed)), gains.above_start,
                Worst::kGainMax);
}

}  // namespace

void check_energy(Suite& suite) {
  for (const Found& found : kFound) check_found(suite, found);
  for (const Group group : {Group::balls, Group::compact, Group::slim}) {
    for (const bool has_weight : {false, true}) {
      check_group(suite, group, has_weight, 100);
      if (suite.all()) check_group(suite, group, has_weight, 16'667);
    }
  }
}

}  // namespace orrery::field
