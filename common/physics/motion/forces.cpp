// Applies each force to the velocities of its bodies.
#include "common/physics/motion/forces.h"

#include <algorithm>
#include <cmath>

#include "common/core/limits.h"
#include "common/integrate/phi.h"
#include "common/math/elementary.h"
#include "common/physics/motion/force_points.h"

namespace orrery::physics {
namespace {

void turn(Bodies& bodies, std::uint32_t slot, const Vec3& angular_impulse) {
  if (bodies.inverse_mass(slot) == 0) return;
  const Vec3 l =
      bodies.angular_momentum(slot) + rotate_back(bodies.orientation(slot), angular_impulse);
  bodies.set_angular_momentum(slot, bounded_momentum(l, bodies.inverse_inertia(slot)));
}

void push(Bodies& bodies, std::uint32_t slot, const Vec3& impulse) {
  const Vec3 v = bodies.velocity(slot) + bodies.inverse_mass(slot) * impulse;
  bodies.set_velocity(slot, bounded_velocity(v));
}

void push_at(Bodies& bodies, std::uint32_t slot, const Vec3& impulse, const Vec3& arm) {
  push(bodies, slot, impulse);
  if (arm != Vec3{}) turn(bodies, slot, cross(arm, impulse));
}

// Returns true if the force of a spring or tether depends on its speed.
template <class AnySpring>
bool feels_speed(const AnySpring& spring) {
  return spring.damping != 0 || spring.ahead != 0;
}

// Returns the impulse P along a spring or tether over time h at fixed positions. `w` is the sum of
// the inverse effective masses of its ends, and c the damping. If the elastic force f is constant,
// the speed u follows u' = w (f - c u), which decays exactly:
//
//   P = T (f - c u), T = h phi1(-h w c), or T = h / (1 + h w c) by implicit Euler
//
// With f = -stiffness stretch, a kick by -h with the exact T undoes a kick by h. Because of this
// symmetry the whole step has an error of order 2. Damping alone never makes |u| larger. A spring
// with `ahead` has f = -stiffness (stretch + ahead (u + w P)), so P depends on itself. Solving for
// P gives the formula below. Only springs that feel their speed need w.
template <class AnySpring>
double spring_impulse(const AnySpring& spring, bool damps_implicitly, double h, double stretch,
                      double speed, double w) {
  const double push = spring.stiffness * (stretch + spring.ahead * speed) + spring.damping * speed;
  const double z = h * w * spring.damping;
  const double time = spring.damping == 0 ? h
                      : damps_implicitly  ? h / (1 + z)
                                          : h * integrate::phi1(-z, elementary::exp);
  return -time * push / (1 + time * w * spring.stiffness * spring.ahead);
}

void kick_spring(Bodies& bodies, const ForceSet& forces, const Spring& spring, double h) {
  const PointState a = point_state(bodies, spring.a, spring.at_a);
  const PointState b = point_state(bodies, spring.b, spring.at_b);
  const Vec3 between = b.position - a.position;
  const double distance = length(between);
  if (distance == 0) return;  // the direction is undefined
  const Vec3 n = (1 / distance) * between;
  const double w = feels_speed(spring) ? inverse_effective_mass(bodies, spring.a, a.arm, n) +
                                             inverse_effective_mass(bodies, spring.b, b.arm, n)
                                       : 0;
  const Vec3 impulse =
      spring_impulse(spring, forces.damps_implicitly, h, distance - spring.rest_length,
                     dot(b.velocity - a.velocity, n), w) *
      n;
  push_at(bodies, spring.a, -impulse, a.arm);
  push_at(bodies, spring.b, impulse, b.arm);
}

// Applies a tether. Without rest length and damping its force is -stiffness times the offset. The
// force is then defined for an offset of 0 too, because it needs no unit vector.
void kick_tether(Bodies& bodies, const ForceSet& forces, const Tether& tether, double h) {
  const PointState p = point_state(bodies, tether.body, tether.at);
  const Vec3 offset = p.position - tether.anchor;
  if (tether.rest_length == 0 && tether.damping == 0) {
    if (tether.ahead == 0)
      return push_at(bodies, tether.body, (-h * tether.stiffness) * offset, p.arm);
    const Vec3 reach = offset + tether.ahead * p.velocity;
    const double size = length(reach);
    if (size == 0) return;
    const double w = inverse_effective_mass(bodies, tether.body, p.arm, (1 / size) * reach);
    const double share = h * tether.stiffness / (1 + h * w * tether.stiffness * tether.ahead);
    return push_at(bodies, tether.body, -share * reach, p.arm);
  }
  const double distance = length(offset);
  if (distance == 0) return;
  const Vec3 n = (1 / distance) * offset;
  const double w = inverse_effective_mass(bodies, tether.body, p.arm, n);
  const double impulse = spring_impulse(tether, forces.damps_implicitly, h,
                                        distance - tether.rest_length, dot(p.velocity, n), w);
  push_at(bodies, tether.body, impulse * n, p.arm);
}

// Applies Newton's law of gravity to all pairs of attractors. With G the gravitational constant, d
// the vector between two masses and e the softening, the force is G m1 m2 d / (|d|^2 + e^2)^(3/2)
// (Plummer).
void kick_mutual_gravity(Bodies& bodies, const ForceSet& forces, double h) {
  ORRERY_ASSERT(forces.softening >= 0);
  const double e2 = forces.softening * forces.softening;
  for (std::size_t i = 0; i < forces.attractors.size(); ++i) {
    const Attractor& a = forces.attractors[i];
    for (std::size_t j = i + 1; j < forces.attractors.size(); ++j) {
      const Attractor& b = forces.attractors[j];
      const Vec3 d = bodies.position(b.slot) - bodies.position(a.slot);
      const double r2 = dot(d, d) + e2;
      if (r2 == 0) continue;
      const double strength =
          h * forces.gravitational_constant * a.mass * b.mass / (r2 * square_root(r2));
      if (!std::isfinite(strength)) continue;  // too close for binary64
      push(bodies, a.slot, strength * d);
      push(bodies, b.slot, -strength * d);
    }
  }
}

// Applies implicit Euler to the critically damped spring, which is stable at any step length:
//
//   dv = -h (w^2 (x + h v) + 2 w v) / (1 + h w)^2
//
// x is the offset from the target, v the velocity of the point, w the angular frequency. The change
// dv is then limited to acceleration_max * h. The impulse is dv times the effective mass along dv.
void kick_grip(Bodies& bodies, const Grip& grip, double h) {
  const PointState p = point_state(bodies, grip.slot, grip.at);
  const Vec3 offset = p.position - grip.target;
  const double w = grip.angular_frequency;
  const Vec3 wanted =
      (-h / (1 + h * w * (2 + h * w))) * (w * w * (offset + h * p.velocity) + 2 * w * p.velocity);
  const double change = length(wanted);
  if (change == 0) return;
  const double inverse_mass =
      inverse_effective_mass(bodies, grip.slot, p.arm, (1 / change) * wanted);
  if (inverse_mass == 0) return;  // no impulse moves the body
  const double most = h * grip.acceleration_max;
  const double share = change > most ? most / change : 1;
  push_at(bodies, grip.slot, (share / inverse_mass) * wanted, p.arm);
}

void kick_pull(Bodies& bodies, const Pull& pull, double h) {
  const Vec3 offset = bodies.position(pull.towards) - bodies.position(pull.slot);
  const double distance = length(offset);
  if (distance == 0) return;  // the direction is undefined
  const Vec3 v = bodies.velocity(pull.slot) + (h * pull.acceleration / distance) * offset;
  bodies.set_velocity(pull.slot, bounded_velocity(v));
}

// exp(-rate h), cached for the latest rate: most bodies of a scene share one rate.
class Decay {
 public:
  explicit Decay(double h) : h_(h) { ORRERY_ASSERT(h > 0); }
  double at(double rate) {
    if (rate != rate_) {
      rate_ = rate;
      factor_ = elementary::exp(-h_ * rate);
    }
    return factor_;
  }

 private:
  double h_;
  double rate_ = 0;
  double factor_ = 1;
};

// Applies linear and quadratic drag, each as the exact solution of its own equation:
//
//   v' = -r v          gives v exp(-r h); `linear` is exp(-r h)
//   v' = -(q/h) |v| v  gives v / (1 + q |v|); q is h times the quadratic drag coefficient
//
// A backward kick applies the quadratic drag first.
void kick_drag(Bodies& bodies, std::uint32_t slot, double linear, double turning, double q,
               KickOrder order) {
  Vec3 v = bodies.velocity(slot);
  if (order == KickOrder::forward) v = linear * v;
  v = (1 / (1 + q * length(v))) * v;
  if (order == KickOrder::backward) v = linear * v;
  bodies.set_velocity(slot, v);
  bodies.set_angular_momentum(slot, turning * bodies.angular_momentum(slot));
}

template <class Item, class Kick>
void for_each(const std::vector<Item>& items, KickOrder order, Kick kick_one) {
  if (order == KickOrder::forward) {
    std::for_each(items.begin(), items.end(), kick_one);
  } else {
    std::for_each(items.rbegin(), items.rend(), kick_one);
  }
}

void kick_pulls_and_gravity(Bodies& bodies, const ForceSet& forces, double h) {
  for (const Pull& pull : forces.pulls) kick_pull(bodies, pull, h);
  if (forces.gravitational_constant != 0) kick_mutual_gravity(bodies, forces, h);
}

}  // namespace

void kick_thrusters(Bodies& bodies, const ForceSet& forces, double h) {
  ORRERY_ASSERT(h > 0);
  for (const Thruster& thruster : forces.thrusters) {
    push(bodies, thruster.slot, h * thruster.force);
    turn(bodies, thruster.slot, h * thruster.torque);
  }
}

void kick(Bodies& bodies, const ForceSet& forces, double h, KickOrder order) {
  ORRERY_ASSERT(h > 0);
  ORRERY_ASSERT(forces.softening >= 0);
  const auto springs = [&] {
    for_each(forces.springs, order, [&](const Spring& s) { kick_spring(bodies, forces, s, h); });
  };
  const auto tethers = [&] {
    for_each(forces.tethers, order, [&](const Tether& t) { kick_tether(bodies, forces, t, h); });
  };
  const auto drag = [&] {
    Decay linear(h), turning(h);
    for_each(forces.dragged, order, [&](const Dragged& d) {
      kick_drag(bodies, d.slot, linear.at(d.linear), turning.at(d.turning), h * d.quadratic, order);
    });
  };
  if (order == KickOrder::forward) {
    kick_pulls_and_gravity(bodies, forces, h);
    springs();
    tethers();
    kick_grips(bodies, forces, h, order);
    drag();
  } else {
    drag();
    tethers();
    springs();
    // Grips act after the springs in both orders, because a grip counters the springs.
    kick_grips(bodies, forces, h, order);
    kick_pulls_and_gravity(bodies, forces, h);
  }
}

void kick_uniformly(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Vec3& dv) {
  ORRERY_ASSERT(begin <= end && end <= bodies.tiles());
  const double* const scale = bodies.field(BodyField::gravity_scale);
  double* const x = bodies.field(BodyField::velocity_x);
  double* const y = bodies.field(BodyField::velocity_y);
  double* const z = bodies.field(BodyField::velocity_z);
  const auto bounded = [](double v) {
    return std::clamp(v, -limits::kSpeedMax, limits::kSpeedMax);
  };
  const std::uint32_t last = std::min(end * limits::kTileBodies, bodies.slots());
  for (std::uint32_t slot = begin * limits::kTileBodies; slot < last; ++slot) {
    x[slot] = bounded(x[slot] + scale[slot] * dv.x);
    y[slot] = bounded(y[slot] + scale[slot] * dv.y);
    z[slot] = bounded(z[slot] + scale[slot] * dv.z);
  }
}

void kick_grips(Bodies& bodies, const ForceSet& forces, double h, KickOrder order) {
  ORRERY_ASSERT(h > 0);
  for_each(forces.grips, order, [&](const Grip& g) { kick_grip(bodies, g, h); });
}

void kick_without_grips(Bodies& bodies, const ForceSet& forces, double h) {
  ORRERY_ASSERT(forces.dragged.empty() && !forces.damped);
  ORRERY_ASSERT(forces.softening >= 0);
  kick_pulls_and_gravity(bodies, forces, h);
  for (const Spring& spring : forces.springs) kick_spring(bodies, forces, spring, h);
  for (const Tether& tether : forces.tethers) kick_tether(bodies, forces, tether, h);
}

}  // namespace orrery::physics
