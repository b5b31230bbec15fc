// Owns what the methods of a scene are called, and which of them go together.
#pragma once

#include <span>
#include <string_view>

#include "common/core/result.h"
#include "common/world/scene.h"

namespace orrery {

// As in scenes and in the catalogue of methods (integrate/catalogue.h).
std::string_view name_of(Integrator integrator);
std::string_view name_of(Rotation rotation);

// Every name that a scene may give, in the order of the enumerations.
std::span<const std::string_view> integrator_names();
std::span<const std::string_view> rotation_names();

// The method of that name. Errors name the nearest one: of a method that only the laboratory has,
// the one of a world that is most like it.
Result<Integrator> find_integrator(std::string_view name);
Result<Rotation> find_rotation(std::string_view name);

// Refuses what makes no sense together: integrator, rotation, and forces of the scene.
Status check_methods(const Scene& scene);

}  // namespace orrery
