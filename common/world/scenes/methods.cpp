// Names integrators and rotations, and checks which combinations a scene may use.
#include "common/world/scenes/methods.h"

#include <algorithm>
#include <array>

#include "common/core/nearest.h"
#include "common/integrate/catalogue.h"
#include "common/physics/motion/flight.h"

namespace orrery {
namespace {

// Names in the order of the enumerations Integrator and physics::Rotation.
constexpr std::array<std::string_view, kIntegrators> kIntegratorNames = {
    "semi-implicit-euler",
    "velocity-verlet",
    "leapfrog-dkd",
    "leapfrog-kdk",
    "semi-implicit-euler-x-first",
    "explicit-euler",
    "backward-euler",
    "rk4",
    "tcv-full",
    "pefrl",
    "yoshida4",
    "kinematic",
    "kinematic-average",
};

constexpr std::array<std::string_view, physics::kRotations> kRotationNames = {
    "cayley", "explicit", "dropped", "momentum", "implicit-gyro", "implicit-gyro-midpoint",
};

// Returns true if `names` are exactly the methods that worlds run according to the catalogue. Each
// other row of the catalogue must name one of them as the nearest.
template <class Names, class Rows>
constexpr bool are_those_of_worlds(const Names& names, const Rows& catalogue) {
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::size_t found = 0;
  for (const auto& method : catalogue) {
    const bool in_worlds = method.nearest.empty();
    if (!has(in_worlds ? method.name : method.nearest)) return false;
    found += in_worlds ? 1 : 0;
  }
  return found == names.size();
}
static_assert(are_those_of_worlds(kIntegratorNames, integrate::kMethods),
              "common/integrate/catalogue.h says that worlds run other integrators");
static_assert(are_those_of_worlds(kRotationNames, integrate::kRotationMethods),
              "common/integrate/catalogue.h says that worlds run other rotations");

// Returns the index of `name` in `names`, or an Error that says why there is none.
template <class Rows>
Result<std::size_t> find(std::string_view what, std::string_view name,
                         std::span<const std::string_view> names, const Rows& catalogue) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  const std::string key(what);
  for (const auto& method : catalogue) {
    if (method.name != name) continue;
    return Error::at(key, " " + std::string(name) + " is lab only; the nearest of a world is " +
                              std::string(method.nearest));
  }
  return Error::at(key, ": " + unknown_name("method", name, names));
}

// Returns the reason why a method with steps back in time cannot run the scene. Returns an empty
// string if it can.
std::string negative_substep_problem(const Scene& scene) {
  if (scene.rotation != physics::Rotation::cayley && scene.rotation != physics::Rotation::dropped) {
    return "runs parts of a step back in time, which only the rotations cayley and dropped can do";
  }
  const auto damped = [](const auto& spring) { return spring.damping != 0; };
  const auto dragged = [](const BodyDef& b) {
    return b.kind != BodyKind::anchor && (b.linear_drag != 0 || b.quadratic_drag != 0);
  };
  constexpr const char* kReason =
      " would gain energy in the parts of a step that go back in time; leapfrog-dkd has none";
  const auto spring = std::find_if(scene.springs.begin(), scene.springs.end(), damped);
  if (spring != scene.springs.end()) {
    return "and damping: spring " + std::to_string(spring - scene.springs.begin()) + kReason;
  }
  const auto tether = std::find_if(scene.tethers.begin(), scene.tethers.end(), damped);
  if (tether != scene.tethers.end()) {
    return "and damping: tether " + std::to_string(tether - scene.tethers.begin()) + kReason;
  }
  const auto body = std::find_if(scene.bodies.begin(), scene.bodies.end(), dragged);
  if (body != scene.bodies.end()) {
    return "and drag: body " + std::to_string(body - scene.bodies.begin()) + kReason;
  }
  return {};
}

// Returns an error if the tethers of a scene swing too fast for exact flight, else an empty string.
// It computes each angle with the same bits as physics/motion/flight.cpp. Otherwise an angle just
// above the limit could pass here, and would then fail an assertion in sine or make the motion
// unstable.
std::string problem_of_flight(const Scene& scene, physics::FlightPosition position) {
  const double most = physics::flight_angle_max(position);
  const double h = tick_time(scene) / scene.substeps;
  std::vector<double> stiffness(scene.bodies.size(), 0);  // squared angular frequency
  for (const TetherDef& t : scene.tethers) {
    const BodyDef& body = scene.bodies[t.body];
    if (body.kind == BodyKind::anchor || !physics::is_point_spring(t)) continue;
    stiffness[t.body] += t.stiffness * (1 / body.mass);
  }
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    if (square_root(stiffness[i]) * h <= most) continue;
    return position == physics::FlightPosition::exact
               ? "and tethers: the tethers of body " + std::to_string(i) +
                     " swing more than 159154 times in a substep"
               : "and tethers: the tethers of body " + std::to_string(i) +
                     " swing more than half a period in a substep, "
                     "which diverges; kinematic does not";
  }
  return {};
}

}  // namespace

std::string_view name_of(Integrator integrator) {
  const auto index = static_cast<std::size_t>(integrator);
  ORRERY_ASSERT(index < kIntegratorNames.size());
  return kIntegratorNames[index];
}

std::string_view name_of(physics::Rotation rotation) {
  const auto index = static_cast<std::size_t>(rotation);
  ORRERY_ASSERT(index < kRotationNames.size());
  return kRotationNames[index];
}

std::span<const std::string_view> integrator_names() { return kIntegratorNames; }

std::span<const std::string_view> rotation_names() { return kRotationNames; }

Result<Integrator> find_integrator(std::string_view name) {
  const Result<std::size_t> index = find("integrator", name, kIntegratorNames, integrate::kMethods);
  return index ? Result<Integrator>(static_cast<Integrator>(index.value())) : index.error();
}

Result<physics::Rotation> find_rotation(std::string_view name) {
  const Result<std::size_t> index =
      find("rotation", name, kRotationNames, integrate::kRotationMethods);
  return index ? Result<physics::Rotation>(static_cast<physics::Rotation>(index.value()))
               : index.error();
}

Status check_methods(const Scene& scene) {
  if (needs_contact_solver(scene) && scene.rotation != physics::Rotation::cayley) {
    return Error::at("rotation",
                     " must be cayley in a scene with shapes, joints or kinematic bodies");
  }
  std::string problem;
  if (has_negative_substeps(scene.integrator)) problem = negative_substep_problem(scene);
  if (scene.integrator == Integrator::kinematic) {
    problem = problem_of_flight(scene, physics::FlightPosition::exact);
  }
  if (scene.integrator == Integrator::kinematic_average) {
    problem = problem_of_flight(scene, physics::FlightPosition::average);
  }
  if (problem.empty()) return ok_status();
  return Error::at("integrator", " " + std::string(name_of(scene.integrator)) + " " + problem);
}

}  // namespace orrery
