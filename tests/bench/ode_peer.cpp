// Steps bodies on tethers with the Open Dynamics Engine.
#include "tests/bench/ode_peer.h"

#include <ode/ode.h>

#include <vector>

namespace orrery::bench {

struct OdePeer::State {
  dWorldID world;
  std::vector<dBodyID> bodies;
  std::vector<TetherDef> tethers;

  // Adds the tether forces before each step. ODE has no springs.
  void pull() const {
    for (const TetherDef& tether : tethers) {
      const dReal* const x = dBodyGetPosition(bodies[tether.body]);
      const double k = tether.stiffness;
      dBodyAddForce(bodies[tether.body], k * (tether.anchor.x - x[0]), k * (tether.anchor.y - x[1]),
                    k * (tether.anchor.z - x[2]));
    }
  }
};

OdePeer::OdePeer(const Scene& scene) : state_(std::make_unique<State>()) {
  dInitODE2(0);
  state_->world = dWorldCreate();
  dWorldSetGravity(state_->world, scene.gravity.x, scene.gravity.y, scene.gravity.z);
  dWorldSetAutoDisableFlag(state_->world, 0);
  for (const BodyDef& def : scene.bodies) {
    dBodyID body = dBodyCreate(state_->world);
    dMass mass;
    dMassSetParameters(&mass, def.mass, 0, 0, 0, def.inertia.x, def.inertia.y, def.inertia.z, 0, 0,
                       0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, def.position.x, def.position.y, def.position.z);
    dBodySetLinearVel(body, def.velocity.x, def.velocity.y, def.velocity.z);
    dBodySetAngularVel(body, def.angular_velocity.x, def.angular_velocity.y,
                       def.angular_velocity.z);
    state_->bodies.push_back(body);
  }
  state_->tethers = scene.tethers;
}

OdePeer::~OdePeer() {
  dWorldDestroy(state_->world);
  dCloseODE();
}

void OdePeer::step(double h) {
  state_->pull();
  dWorldStep(state_->world, h);
}

void OdePeer::quick_step(double h) {
  state_->pull();
  dWorldQuickStep(state_->world, h);
}

}  // namespace orrery::bench
