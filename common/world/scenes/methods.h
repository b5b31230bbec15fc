// Names integrators and rotations, and checks which combinations a scene may use.
#pragma once

#include <span>
#include <string_view>

#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Returns the name of a method, as scenes and the catalogue of methods (integrate/catalogue.h)
// spell it.
std::string_view name_of(Integrator integrator);
std::string_view name_of(physics::Rotation rotation);

// Returns every name that a scene may use, in the order of the enumeration.
std::span<const std::string_view> integrator_names();
std::span<const std::string_view> rotation_names();

// Returns the method of that name. The Error for an unknown name suggests a similar one. The Error
// for a method that only the laboratory has names the closest method of a world.
Result<Integrator> find_integrator(std::string_view name);
Result<physics::Rotation> find_rotation(std::string_view name);

// Returns an Error if the integrator, rotation and forces of the scene cannot work together, or if
// its shapes, joints or kinematic bodies need another rotation.
Status check_methods(const Scene& scene);

}  // namespace orrery
