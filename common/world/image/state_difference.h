// Compares two states of one scene: the bodies number by number, other parts by their hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/core/ids.h"
#include "common/physics/body/bodies.h"
#include "common/world/world.h"

namespace orrery {

// A field of a body with its values in the two states.
struct FieldDifference {
  BodyId body;
  physics::BodyField field{};
  double a = 0;
  double b = 0;
};

// Maximum number of slots whose bodies a StateDifference lists. Further ones are only counted.
inline constexpr std::size_t kBodiesListedMax = 100;

// The differences between two states, a and b.
struct StateDifference {
  std::vector<FieldDifference> fields;  // ascending by slot, then in the order of BodyField
  std::vector<BodyId> only_a;           // bodies that b lacks
  std::vector<BodyId> only_b;
  std::uint32_t bodies = 0;  // number of slots with different bodies, or a body in only one state
  // Whether these parts of the two states differ.
  bool controls = false;       // gravity, clients, grabs, thrusts, owners
  bool contacts = false;       // which contacts exist, or their geometry or impulses
  bool contact_pairs = false;  // which contacts exist
  bool joints = false;
  bool sleep = false;

  // Returns true if anything differs.
  bool any() const { return bodies > 0 || controls || contacts || joints || sleep; }
  // Returns the parts that differ: "bodies", "controls", "contacts", "joints", "sleep".
  std::vector<std::string_view> parts() const;
};

// Compares two worlds: the numbers of bodies bit by bit, the other parts by their hashes.
// REQUIRES: They are of one scene.
StateDifference difference(const World& a, const World& b);

// How far the bodies of two worlds are apart.
struct Separation {
  std::uint32_t bodies = 0;  // number of bodies with different bits, or in only one world
  double distance = 0;       // largest distance between the positions of one body in both worlds
  std::optional<FieldDifference> first;  // of a body in both worlds
};

// Compares the bodies of two worlds, of any scenes.
Separation separation(const World& a, const World& b);

// A contact of a body, for reports.
struct BodyContact {
  BodyId with;
  std::uint32_t points = 0;
  double impulse = 0;  // along the normal in the last substep: the sum over all points
};

// Returns the contacts of a body: first contacts of awake bodies, then contacts of sleeping bodies.
// Each group ascends by key.
std::vector<BodyContact> contacts_of(const World& world, std::uint32_t slot);

}  // namespace orrery
