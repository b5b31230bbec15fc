// Owns the comparison of two states of one scene, number by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/physics/bodies.h"
#include "common/world/world.h"

namespace orrery {

struct FieldDifference {
  BodyId body;
  BodyField field{};
  double a = 0;
  double b = 0;
};

// Bodies that a difference lists; the others are counted.
inline constexpr std::size_t kBodiesListedMax = 100;

struct StateDifference {
  std::vector<FieldDifference> fields;  // ascending by slot, then in the order of storage
  std::vector<BodyId> only_a;           // bodies that the other state does not have
  std::vector<BodyId> only_b;
  std::uint32_t bodies = 0;  // that differ, one-sided ones included
  // The parts of a state besides bodies.
  bool controls = false;       // gravity, clients and what they hold, who owns what
  bool contacts = false;       // impulses and places
  bool contact_pairs = false;  // which parts of bodies are in contact
  bool joints = false;
  bool sleep = false;

  bool any() const { return bodies > 0 || controls || contacts || joints || sleep; }
  // "bodies", "controls", "contacts", "joints", "sleep": those that differ.
  std::vector<std::string_view> parts() const;
};

// Numbers are compared by their bits. The worlds are of one scene, and as they were; their hashes
// are taken, for which they need to change.
StateDifference difference(World& a, World& b, Executor& executor);

// A contact as reports tell of it.
struct BodyContact {
  BodyId with;
  std::uint32_t points = 0;
  double impulse = 0;  // along the normal, of the last substep, all points together
};

// The contacts of a body, sleeping or not, ascending by key.
std::vector<BodyContact> contacts_of(const World& world, std::uint32_t slot);

}  // namespace orrery
