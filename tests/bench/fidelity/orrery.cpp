// Simulates a set-up of `bench fidelity` with Orrery.
#include "common/world/step.h"
#include "tests/bench/fidelity/fidelity.h"

namespace orrery::bench {
namespace {

Scene with_substeps(Scene scene, std::uint32_t substeps) {
  scene.substeps = substeps;
  return scene;
}

class OrrerySimulation : public Simulation {
 public:
  OrrerySimulation(const Scene& scene, std::uint32_t substeps)
      : world_(with_substeps(scene, substeps)) {}

  void tick() override { step(world_, {}, executor_); }

  BodyMotion motion(std::size_t body) const override {
    const auto slot = static_cast<std::uint32_t>(body);
    const physics::Bodies& bodies = world_.bodies();
    const std::uint32_t shape = world_.scene().bodies[body].shape;
    Pose pose{bodies.position(slot), bodies.orientation(slot)};
    if (shape != kNoShape) {
      const Quat principal = world_.collision()->shapes.shape(shape).mass.frame.orientation;
      pose.orientation = pose.orientation * conjugate(principal);
    }
    return {pose, bodies.velocity(slot), bodies.angular_velocity(slot)};
  }

 private:
  World world_;
  SerialExecutor executor_;
};

}  // namespace

std::unique_ptr<Simulation> simulate_orrery(const Scene& scene, std::uint32_t substeps) {
  return std::make_unique<OrrerySimulation>(scene, substeps);
}

}  // namespace orrery::bench
