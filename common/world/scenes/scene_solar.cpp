// The scene `solar`: the Sun and the outer planets on 5 September 1994.
//
// Units are solar masses, astronomical units and days; the Sun's mass includes the inner planets.
// Source: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, I.2.4, who took the
// values from the Ahnerts Kalender fuer Sternfreunde 1994.
#include <algorithm>
#include <iterator>

#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

struct Planet {
  const char* name;
  double mass;
  Vec3 position;
  Vec3 velocity;
  double drawn_radius;
};

constexpr Planet kPlanets[] = {
    {"Sun", 1.00000597682, {0, 0, 0}, {0, 0, 0}, 1.0},
    {"Jupiter",
     0.000954786104043,
     {-3.5023653, -3.8169847, -1.5507963},
     {0.00565429, -0.00412490, -0.00190589},
     0.6},
    {"Saturn",
     0.000285583733151,
     {9.0755314, -3.0458353, -1.6483708},
     {0.00168318, 0.00483525, 0.00192462},
     0.5},
    {"Uranus",
     0.0000437273164546,
     {8.3101420, -16.2901086, -7.2521278},
     {0.00354178, 0.00137102, 0.00055029},
     0.4},
    {"Neptune",
     0.0000517759138449,
     {11.4707666, -25.7294829, -10.8169456},
     {0.00288930, 0.00114527, 0.00039677},
     0.4},
    {"Pluto",
     1 / 1.3e8,
     {-15.5387357, -25.2225594, -3.1902382},
     {0.00276725, -0.00170702, -0.00136504},
     0.2},
};

static_assert(std::all_of(std::begin(kPlanets) + 1, std::end(kPlanets), [](const Planet& planet) {
  return planet.mass < kPlanets[0].mass / 1000;  // the Sun is the first
}));

}  // namespace

// Only an admin may command the planets: a force that hardly moves a box in other scenes would
// throw a planet out of the system. All bodies are drawn larger than they are, because at true
// scale they would be invisible: the Sun about 200 times, the planets 1,200 to 25,000 times.
Scene make_solar(std::uint32_t) {
  Scene scene;
  scene.name = "solar";
  scene.tick_time_numerator = 10;  // days
  scene.tick_time_denominator = 1;
  scene.integrator = Integrator::leapfrog_dkd;
  scene.gravitational_constant = 2.95912208286e-4;
  scene.grab_frequency = 0.001;  // cycles per day: a grabbed planet takes years to reach the target
  scene.grab_acceleration_max = 1e-6;
  // A thrust may pull as hard as the Sun does at Jupiter, and no command brings a planet above 87
  // km/s (0.05 AU a day). Point bodies do not turn, so torques are limited to 0.
  scene.command_limits = {
      .acceleration_max = 1e-5, .angular_acceleration_max = 0, .speed_max = 0.05, .spin_max = 0};
  for (const Planet& planet : kPlanets) {
    BodyDef body = point_mass(planet.mass, planet.drawn_radius, planet.position);
    body.velocity = planet.velocity;
    body.control = Control::nobody;
    add_body(scene, planet.name, body);
  }
  return scene;
}

}  // namespace orrery
