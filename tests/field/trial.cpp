// Runs a scene of the field suite, or a variation of it, with Orrery.
#include "tests/field/trial.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/world/step.h"

namespace orrery::field {
namespace {

Scene valid(const Scene& scene, const Variation& variation) {
  Scene varied = vary(scene, variation);
  if (const Status status = validate(varied); !status.ok()) {
    std::fprintf(stderr, "field: %s: %s\n", variation.name.c_str(), status.error().text().c_str());
    std::abort();
  }
  return varied;
}

}  // namespace

Trial::Trial(const Scene& scene, const Variation& variation)
    : scene_(scene), variation_(variation), world_(valid(scene, variation)) {}

double Trial::tick() const { return world_.tick_time() / variation_.time(); }

void Trial::run(double seconds) {
  seconds_ += seconds;
  // A tick whose end is nearer than half a tick counts.
  while ((static_cast<double>(world_.tick().value) + 0.5) * tick() < seconds_) {
    step(world_, {}, executor_);
    for (const WorldEvent& event : world_.events().list) {
      ++events_[static_cast<std::size_t>(event.kind)];
    }
  }
}

std::uint32_t Trial::slot_of(std::size_t body) const {
  return static_cast<std::uint32_t>(variation_.reversed ? scene_.bodies.size() - 1 - body : body);
}

BodyMotion Trial::motion(std::size_t body) const {
  const std::uint32_t slot = slot_of(body);
  const physics::Bodies& bodies = world_.bodies();
  Pose pose{bodies.position(slot), bodies.orientation(slot)};
  const std::uint32_t shape = scene_.bodies[body].shape;
  if (shape != physics::kNoShape) {
    const Pose& frame = world_.collision()->shapes.shape(shape).mass.frame;
    const Quat q = pose.orientation * conjugate(frame.orientation);
    pose = {pose.position - rotate(q, frame.position), q};
  }
  const double seconds = static_cast<double>(world_.tick().value) * world_.tick_time();
  return undo({pose, bodies.velocity(slot), bodies.angular_velocity(slot)}, variation_, seconds);
}

double Trial::kinetic() const {
  // A spin of the varied scene has the units of its mass and of its speed squared.
  const double speed = variation_.length / variation_.time();
  double sum = 0;
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    if (!is_dynamic(scene_.bodies[i].kind)) continue;
    const std::uint32_t slot = slot_of(i);
    const Vec3 v = motion(i).velocity, l = world_.bodies().angular_momentum(slot);
    const double turn = dot(l, scaled(world_.bodies().inverse_inertia(slot), l)) / 2;
    sum += scene_.bodies[i].mass * dot(v, v) / 2 + turn / (variation_.mass() * speed * speed);
  }
  return sum;
}

double Trial::energy() const {
  double sum = kinetic();
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    if (!is_dynamic(scene_.bodies[i].kind)) continue;
    sum -= scene_.bodies[i].mass * dot(scene_.gravity, motion(i).pose.position);
  }
  return sum;
}

Vec3 Trial::momentum() const {
  Vec3 sum;
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    if (is_dynamic(scene_.bodies[i].kind)) sum += scene_.bodies[i].mass * motion(i).velocity;
  }
  return sum;
}

Vec3 Trial::angular_momentum() const {
  const double unit = variation_.mass() * variation_.length * variation_.length / variation_.time();
  Vec3 sum;
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    if (!is_dynamic(scene_.bodies[i].kind)) continue;
    const std::uint32_t slot = slot_of(i);
    const Vec3 spin =
        rotate(world_.bodies().orientation(slot), world_.bodies().angular_momentum(slot));
    const BodyMotion turned = undo({{}, {}, spin}, variation_, 0);
    const BodyMotion m = motion(i);
    sum += 1 / (unit * variation_.time()) * turned.angular_velocity +
           scene_.bodies[i].mass * cross(m.pose.position, m.velocity);
  }
  return sum;
}

}  // namespace orrery::field
