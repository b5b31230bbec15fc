// Combines the hashes of bodies, contacts, joints, sleep and controls into the state hash.
#include "common/world/image/state_hash.h"

#include <atomic>
#include <vector>

#include "common/core/hash.h"
#include "common/physics/motion/drift.h"
#include "common/world/image/controls_image.h"

namespace orrery {

std::uint64_t sum_of_body_hashes(const physics::Bodies& bodies, Executor& executor) {
  std::atomic<std::uint64_t> sum{0};
  parallel_ranges(executor, bodies.tiles(), physics::kTilesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    sum += physics::hash_tiles(bodies, begin, end);
                  });
  return sum;
}

std::uint64_t hash_controls(MutableWorld& world) {
  world.controls_bytes.clear();
  encode_controls(world, world.controls_bytes);
  return checksum(world.controls_bytes);
}

std::uint64_t hash_controls(const World& world) {
  std::vector<std::uint8_t> bytes;
  encode_controls(world, bytes);
  return checksum(bytes);
}

std::uint64_t hash_contacts(const Collision& collision) {
  std::uint64_t sum = collision.sleeping ? collision.sleeping->contacts_hash() : 0;
  collision.solver.contacts().for_each_record(
      [&sum](const physics::ContactRecord& record) { sum += physics::hash_contact(record); });
  return sum;
}

std::uint64_t combined_hash(std::uint64_t sum_of_hashes, std::uint64_t controls_hash) {
  return mix64(sum_of_hashes + controls_hash);
}

std::uint64_t hash_collision(MutableWorld& world, Executor& executor) {
  if (!world.collision) return 0;
  Collision& c = *world.collision;
  const std::uint64_t solved = c.solver.hash(executor);
  if (!c.sleeping) return solved;
  return solved + c.sleeping->contacts_hash() + c.sleeping->hash(world.bodies.slots());
}

std::uint64_t state_hash(const World& world, Executor& executor) {
  std::uint64_t sum = sum_of_body_hashes(world.bodies(), executor);
  if (world.collision()) {
    const Collision& c = *world.collision();
    sum += hash_contacts(c) + c.solver.joints().hash();
    if (c.sleeping) sum += c.sleeping->hash(world.bodies().slots());
  }
  return combined_hash(sum, hash_controls(world));
}

}  // namespace orrery
