// Owns the tables of the names.
#include "common/world/methods.h"

#include <algorithm>
#include <array>

#include "common/core/nearest.h"
#include "common/core/printable.h"
#include "common/integrate/catalogue.h"

namespace orrery {
namespace {

constexpr std::array<std::string_view, kIntegrators> kIntegratorNames = {
    "semi-implicit-euler",
    "velocity-verlet",
    "leapfrog-dkd",
};

constexpr std::array<std::string_view, kRotations> kRotationNames = {
    "cayley",
};

constexpr bool in_catalogue(std::string_view name) {
  return std::any_of(integrate::kMethods.begin(), integrate::kMethods.end(),
                     [name](const integrate::Method& method) { return method.name == name; });
}

// Every name is one of the catalogue: the method of a world is the one that the laboratory shows.
static_assert(std::all_of(kIntegratorNames.begin(), kIntegratorNames.end(), in_catalogue));

// A method that only the laboratory has, and the one of a world that is most like it.
struct LabOnly {
  std::string_view name;
  std::string_view nearest;
};

constexpr LabOnly kLabIntegrators[] = {
    {"taylor-euler", "semi-implicit-euler"},
    {"beeman", "velocity-verlet"},
};

constexpr LabOnly kLabRotations[] = {
    {"splitting", "cayley"},
};

// The index of `name` among `names`, or why there is none.
Result<std::size_t> find(std::string_view what, std::string_view name,
                         std::span<const std::string_view> names,
                         std::span<const LabOnly> lab_only) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  std::string message(what);
  for (const LabOnly& method : lab_only) {
    if (method.name != name) continue;
    message.append(" ").append(name).append(" is lab only; the nearest of a world is ");
    return Error{message.append(method.nearest)};
  }
  return Error{message.append(": ").append(unknown_name("method", name, names))};
}

}  // namespace

std::string_view name_of(Integrator integrator) {
  const auto index = static_cast<std::size_t>(integrator);
  ORRERY_ASSERT(index < kIntegratorNames.size());
  return kIntegratorNames[index];
}

std::string_view name_of(Rotation rotation) {
  const auto index = static_cast<std::size_t>(rotation);
  ORRERY_ASSERT(index < kRotationNames.size());
  return kRotationNames[index];
}

std::span<const std::string_view> integrator_names() { return kIntegratorNames; }

std::span<const std::string_view> rotation_names() { return kRotationNames; }

Result<Integrator> find_integrator(std::string_view name) {
  const Result<std::size_t> index = find("integrator", name, kIntegratorNames, kLabIntegrators);
  return index ? Result<Integrator>(static_cast<Integrator>(index.value())) : index.error();
}

Result<Rotation> find_rotation(std::string_view name) {
  const Result<std::size_t> index = find("rotation", name, kRotationNames, kLabRotations);
  return index ? Result<Rotation>(static_cast<Rotation>(index.value())) : index.error();
}

}  // namespace orrery
