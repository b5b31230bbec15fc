// Simulates a set-up of `bench fidelity` with the Open Dynamics Engine.
#include <ode/ode.h>

#include <cmath>
#include <vector>

#include "tests/bench/fidelity/fidelity.h"

namespace orrery::bench {
namespace {

Vec3 vector(const dReal* v) { return {v[0], v[1], v[2]}; }

class OdeSimulation : public Simulation {
 public:
  OdeSimulation(const Scene& scene, std::uint32_t substeps) : substeps_(substeps) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dSimpleSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetERP(world_, 0.8);
    if (!scene.shapes.empty()) material_ = scene.shapes[0].parts[0].material;
    for (const BodyDef& def : scene.bodies) add(scene, def);
    for (const JointDef& joint : scene.joints) add(scene, joint);
  }
  ~OdeSimulation() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  void tick() override {
    for (std::uint32_t i = 0; i < substeps_; ++i) {
      dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
        static_cast<OdeSimulation*>(self)->touch(a, b);
      });
      dWorldStep(world_, 1.0 / (60 * substeps_));
      dJointGroupEmpty(contacts_);
    }
  }

  BodyMotion motion(std::size_t body) const override {
    const dBodyID b = bodies_[body];
    if (!b) return {};
    const dReal* const q = dBodyGetQuaternion(b);
    return {{vector(dBodyGetPosition(b)), normalized({q[1], q[2], q[3], q[0]})},
            vector(dBodyGetLinearVel(b)),
            vector(dBodyGetAngularVel(b))};
  }

 private:
  void add(const Scene& scene, const BodyDef& def) {
    dBodyID body = nullptr;
    if (def.kind != BodyKind::anchor) {
      body = dBodyCreate(world_);
      const Vec3 i = moments_of(scene, def);
      dMass mass;
      dMassSetParameters(&mass, def.mass, 0, 0, 0, i.x, i.y, i.z, 0, 0, 0);
      dBodySetMass(body, &mass);
      const Vec3 &x = def.position, &v = def.velocity, &w = def.angular_velocity;
      const dQuaternion q = {def.orientation.w, def.orientation.x, def.orientation.y,
                             def.orientation.z};
      dBodySetPosition(body, x.x, x.y, x.z);
      dBodySetQuaternion(body, q);
      dBodySetLinearVel(body, v.x, v.y, v.z);
      dBodySetAngularVel(body, w.x, w.y, w.z);
    }
    bodies_.push_back(body);
    if (def.shape != kNoShape && scene.joints.empty()) add_geometry(scene, def, body);
  }

  void add_geometry(const Scene& scene, const BodyDef& def, dBodyID body) {
    const physics::PartDef& part = scene.shapes[def.shape].parts[0];
    const Vec3& e = part.half_extents;
    dGeomID geometry = nullptr;
    if (part.kind == ShapeKind::sphere) {
      geometry = dCreateSphere(space_, part.radius);
    } else if (part.kind == ShapeKind::capsule) {
      geometry = dCreateCapsule(space_, part.radius, 2 * part.half_length);
    } else {
      geometry = dCreateBox(space_, 2 * e.x, 2 * e.y, 2 * e.z);
    }
    dGeomSetBody(geometry, body);
    if (!body) dGeomSetPosition(geometry, def.position.x, def.position.y, def.position.z);
    if (part.kind == ShapeKind::capsule) {  // ODE's capsules lie along z
      const dQuaternion z_to_y = {std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
      dGeomSetOffsetQuaternion(geometry, z_to_y);
    }
  }

  void add(const Scene& scene, const JointDef& def) {
    const BodyDef& a = scene.bodies[def.a];
    const Vec3 at = a.position + rotate(a.orientation, def.at_a);
    const Vec3 axis = rotate(a.orientation, def.axis);
    if (def.kind == physics::JointKind::ball) {
      const dJointID joint = dJointCreateBall(world_, nullptr);
      dJointAttach(joint, bodies_[def.a], bodies_[def.b]);
      dJointSetBallAnchor(joint, at.x, at.y, at.z);
    } else {
      const dJointID joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, bodies_[def.a], bodies_[def.b]);
      dJointSetHingeAnchor(joint, at.x, at.y, at.z);
      dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
    }
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kContactsMax = 4;
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact contacts[kContactsMax] = {};
    const int count = dCollide(a, b, kContactsMax, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode =
          dContactApprox1 | dContactSoftERP | (material_.restitution > 0 ? dContactBounce : 0);
      contacts[i].surface.mu = material_.friction;
      contacts[i].surface.bounce = material_.restitution;
      contacts[i].surface.soft_erp = 0.2;  // ODE's default
      dJointAttach(dJointCreateContact(world_, contacts_, &contacts[i]), body_a, body_b);
    }
  }

  std::uint32_t substeps_;
  physics::Material material_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;  // null: fixed
};

}  // namespace

std::unique_ptr<Simulation> simulate_ode(const Scene& scene, std::uint32_t substeps) {
  return std::make_unique<OdeSimulation>(scene, substeps);
}

}  // namespace orrery::bench
