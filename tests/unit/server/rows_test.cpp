// Tests which bodies are rows of a frame.
#include "server/senders/rows.h"

#include <gtest/gtest.h>

#include "common/world/fault_injector.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// Three bodies that do not move by themselves.
struct Resting {
  Resting() { rows.watch(); }

  static Scene scene() {
    Scene scene;
    scene.name = "rest";
    scene.bodies.resize(3);
    for (std::size_t i = 0; i < 3; ++i) scene.bodies[i].position.x = 3 * static_cast<double>(i);
    return scene;
  }
  // Steps the world and looks at it.
  void tick() {
    step(world, {}, executor);
    rows.see_tick();
  }
  void place(std::uint32_t slot, double height) {
    FaultInjector(world).state().bodies.set_position(slot, {3.0 * slot, height, 0});
  }
  // Returns the slots of the bodies that changed after a tick.
  std::vector<std::uint32_t> since(Tick tick) const {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      if (rows.changed()[slot] > tick) slots.push_back(slot);
    }
    return slots;
  }

  SerialExecutor executor;
  World world{scene()};
  server::Rows rows{world};
};

using Slots = std::vector<std::uint32_t>;

TEST(Rows, EveryBodyIsNewAtTheFirstLook) {
  Resting r;
  EXPECT_TRUE(r.rows.changed().empty());
  r.tick();
  EXPECT_EQ(r.rows.last_change(), r.world.tick());
  EXPECT_EQ(r.since(Tick{}), (Slots{0, 1, 2}));
  EXPECT_EQ(r.since(r.world.tick()), Slots{});
}

TEST(Rows, ABodyThatMovesOrLeavesChanges) {
  Resting r;
  r.tick();
  const Tick first = r.world.tick();
  r.tick();
  EXPECT_EQ(r.rows.last_change(), first);
  r.place(1, 5);
  r.tick();
  EXPECT_EQ(r.since(first), (Slots{1}));
  remove_body(FaultInjector(r.world).state(), 2);
  r.tick();
  EXPECT_EQ(r.rows.last_change(), r.world.tick());
  EXPECT_EQ(r.since(first), (Slots{1, 2}));
}

TEST(Rows, ThereAndBackIsAChange) {
  Resting r;
  r.tick();
  const Tick first = r.world.tick();
  for (const double height : {1.0, 0.0}) {
    r.place(1, height);
    r.tick();
  }
  EXPECT_EQ(r.since(first), (Slots{1}));
}

TEST(Rows, NobodyLooksBeforeItIsAskedFor) {
  Resting r;
  server::Rows idle(r.world);
  r.tick();
  idle.see_tick();
  EXPECT_TRUE(idle.changed().empty());
}

}  // namespace
}  // namespace orrery
