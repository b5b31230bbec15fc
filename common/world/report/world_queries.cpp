// Runs the queries of physics on a world, and turns slots into ids.
#include "common/world/report/world_queries.h"

namespace orrery {

WorldQueries::WorldQueries(const World& world) : index_(world.bodies().capacity()) {}

void WorldQueries::update(const World& world, Executor& executor) {
  tick_ = world.tick();
  if (!world.collision()) return;
  index_.bodies_changed();
  const Collision& c = *world.collision();
  index_.update({world.bodies(), c.shapes, c.shape_of}, {}, executor);
}

physics::QueryInput WorldQueries::input(const World& world) const {
  ORRERY_ASSERT(world.tick() == tick_);
  ORRERY_ASSERT(world.collision());
  const Collision& c = *world.collision();
  return {index_, {world.bodies(), c.shapes, c.shape_of}};
}

void WorldQueries::name(const World& world, std::vector<WorldHit>& hits) const {
  hits.clear();
  for (const physics::CastHit& hit : found_) {
    hits.push_back({body_id(world, hit.slot), hit.part, hit.fraction, hit.normal});
  }
}

void WorldQueries::cast_ray(const World& world, const Vec3& origin, const Vec3& along,
                            const physics::QueryFilter& filter, std::uint32_t most,
                            std::vector<WorldHit>& hits) {
  ORRERY_ASSERT(world.tick() == tick_);
  if (world.collision())
    orrery::physics::cast_ray(input(world), origin, along, filter, most, found_);
  name(world, hits);
}

void WorldQueries::cast_shape(const World& world, const physics::Part& part,
                              const physics::Motion& way, const physics::QueryFilter& filter,
                              std::uint32_t most, std::vector<WorldHit>& hits) {
  ORRERY_ASSERT(world.tick() == tick_);
  if (world.collision()) orrery::physics::cast_shape(input(world), part, way, filter, most, found_);
  name(world, hits);
}

void WorldQueries::find_overlaps(const World& world, const physics::Part& part, const Pose& pose,
                                 const physics::QueryFilter& filter, std::uint32_t most,
                                 std::vector<BodyId>& bodies) {
  ORRERY_ASSERT(world.tick() == tick_);
  bodies.clear();
  if (!world.collision()) return;
  orrery::physics::find_overlaps(input(world), part, pose, filter, most, slots_);
  for (const std::uint32_t slot : slots_) bodies.push_back(body_id(world, slot));
}

}  // namespace orrery
