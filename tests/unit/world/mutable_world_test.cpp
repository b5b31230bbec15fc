// Tests of MutableWorld: only step(), the restore functions and FaultInjector can change a state.
#include "common/world/mutable_world.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "common/world/fault_injector.h"
#include "common/world/scenes/scenes.h"

namespace orrery {
namespace {

// True if a caller of the member function Get of a World cannot change the world by its result.
template <class Get>
constexpr bool kReadOnly = [] {
  using Result = std::invoke_result_t<Get, World&>;
  return !std::is_reference_v<Result> || std::is_const_v<std::remove_reference_t<Result>>;
}();

// These lines fail to compile if code outside of the layer gets write access to a World.
static_assert(kReadOnly<decltype(&World::scene)> && kReadOnly<decltype(&World::tick_time)> &&
              kReadOnly<decltype(&World::substep_time)>);
static_assert(kReadOnly<decltype(&World::tick)> && kReadOnly<decltype(&World::bodies)> &&
              kReadOnly<decltype(&World::controls)> && kReadOnly<decltype(&World::collision)>);
static_assert(kReadOnly<decltype(&World::hash)> && kReadOnly<decltype(&World::forces)>);
static_assert(kReadOnly<decltype(&World::applied)> && kReadOnly<decltype(&World::events)>);
static_assert(!std::is_assignable_v<World&, World> && !std::is_assignable_v<World&, const World&>);
static_assert(!std::is_constructible_v<MutableWorld, World&>);
static_assert(!std::is_convertible_v<World&, MutableWorld&>);
// The scene is constant for code inside of the layer, too.
static_assert(std::is_same_v<decltype(MutableWorld::scene), const Scene&>);

TEST(MutableWorld, ReadsAsTheWorldThatItChanges) {
  World world(built_in_scene("free:9").value());
  FaultInjector injector(world);
  MutableWorld& state = injector.state();
  const World& read = state;
  EXPECT_EQ(&read, &world);
  EXPECT_EQ(&state.bodies, &world.bodies());
  EXPECT_EQ(&state.controls, &world.controls());
  EXPECT_EQ(state.tick_time, world.tick_time());
  EXPECT_EQ(state.substep_time, world.substep_time());
}

TEST(MutableWorld, RemovesAndCreatesBodies) {
  World world(built_in_scene("free:9").value());
  FaultInjector injector(world);
  remove_body(injector.state(), 4);
  EXPECT_FALSE(world.bodies().alive(4));
  create_body(injector.state(), 4, 7);
  ASSERT_TRUE(world.bodies().alive(4));
  EXPECT_EQ(world.bodies().position(4), world.bodies().position(7));
  EXPECT_EQ(&prototype_of(world, 4), &world.scene().bodies[7]);
}

}  // namespace
}  // namespace orrery
