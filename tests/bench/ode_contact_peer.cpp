// Steps a scene of balls and boxes with the Open Dynamics Engine.
#include <ode/ode.h>

#include <vector>

#include "tests/bench/contact_peers.h"

namespace orrery::bench {
namespace {

class OdeContactPeer : public ContactPeer {
 public:
  OdeContactPeer(const Scene& scene, int iterations, unsigned threads) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    dHashSpaceSetLevels(space_, 0, 6);  // cells of 1 m to 64 m
    joints_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetQuickStepNumIterations(world_, iterations);
    for (const BodyDef& def : scene.bodies) add(def, scene.shapes[def.shape].parts[0]);
    if (threads > 1) use_threads(threads);
  }

  ~OdeContactPeer() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    if (threads_) {
      dThreadingImplementationShutdownProcessing(threading_);
      dThreadingFreeThreadPool(threads_);
      dThreadingFreeImplementation(threading_);
    }
    dCloseODE();
  }

  void step(double h) override {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeContactPeer*>(self)->touch(a, b);
    });
    dWorldQuickStep(world_, h);
    dJointGroupEmpty(joints_);
  }

  Pose pose(std::size_t body) const override {
    const dReal* const p = dGeomGetPosition(geometries_[body]);
    dQuaternion q;
    dGeomGetQuaternion(geometries_[body], q);
    return {{p[0], p[1], p[2]}, normalized({q[1], q[2], q[3], q[0]})};
  }

 private:
  // Lets `threads` threads of ODE step the world, while the calling thread waits.
  void use_threads(unsigned threads) {
    threading_ = dThreadingAllocateMultiThreadedImplementation();
    threads_ = dThreadingAllocateThreadPool(threads, 0, dAllocateFlagBasicData, nullptr);
    dThreadingThreadPoolServeMultiThreadedImplementation(threads_, threading_);
    dWorldSetStepThreadingImplementation(world_, dThreadingImplementationGetFunctions(threading_),
                                         threading_);
  }

  void add(const BodyDef& def, const physics::PartDef& part) {
    const Vec3& e = part.half_extents;
    const dGeomID geometry = part.kind == physics::ShapeKind::sphere
                                 ? dCreateSphere(space_, part.radius)
                                 : dCreateBox(space_, 2 * e.x, 2 * e.y, 2 * e.z);
    geometries_.push_back(geometry);
    if (def.kind != BodyKind::anchor) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, def.mass, 0, 0, 0, def.inertia.x, def.inertia.y, def.inertia.z, 0,
                         0, 0);
      dBodySetMass(body, &mass);
      dBodySetLinearVel(body, def.velocity.x, def.velocity.y, def.velocity.z);
      dBodySetAngularVel(body, def.angular_velocity.x, def.angular_velocity.y,
                         def.angular_velocity.z);
      dGeomSetBody(geometry, body);
    }
    dGeomSetPosition(geometry, def.position.x, def.position.y, def.position.z);
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kContactsMax = 4;
    const dBodyID body_a = dGeomGetBody(a);
    const dBodyID body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact contacts[kContactsMax];
    const int count = dCollide(a, b, kContactsMax, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = 0.5;
      dJointAttach(dJointCreateContact(world_, joints_, &contacts[i]), body_a, body_b);
    }
  }

  dWorldID world_;
  dThreadingImplementationID threading_ = nullptr;
  dThreadingThreadPoolID threads_ = nullptr;
  dSpaceID space_;
  dJointGroupID joints_;
  std::vector<dGeomID> geometries_;
};

}  // namespace

std::unique_ptr<ContactPeer> ode_peer(const Scene& scene, int iterations, unsigned threads) {
  return std::make_unique<OdeContactPeer>(scene, iterations, threads);
}

}  // namespace orrery::bench
