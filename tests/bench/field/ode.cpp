// Simulates a set-up of `bench field` with the Open Dynamics Engine.
#include <ode/ode.h>

#include <cmath>
#include <vector>

#include "tests/bench/fidelity/fidelity.h"
#include "tests/bench/field/field.h"

namespace orrery::bench {
namespace {

Vec3 vector(const dReal* v) { return {v[0], v[1], v[2]}; }
void set(dQuaternion out, const Quat& q) {
  out[0] = q.w;
  out[1] = q.x;
  out[2] = q.y;
  out[3] = q.z;
}

class FieldOde : public field::Engine {
 public:
  explicit FieldOde(const Scene& scene) : scene_(scene) {
    dInitODE2(0);
    world_ = dWorldCreate();
    space_ = dSimpleSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetQuickStepNumIterations(world_, 20);
    materials_.reserve(scene.bodies.size());
    for (const BodyDef& def : scene.bodies) add(def);
    for (const JointDef& joint : scene.joints) add(joint);
  }
  ~FieldOde() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    for (const dTriMeshDataID mesh : meshes_) dGeomTriMeshDataDestroy(mesh);
    dWorldDestroy(world_);
    dCloseODE();
  }

  void run(double seconds) override {
    seconds_ += seconds;
    while ((steps_ + 0.5) * tick() < seconds_) {
      dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
        static_cast<FieldOde*>(self)->touch(a, b);
      });
      dWorldQuickStep(world_, tick());
      dJointGroupEmpty(contacts_);
      ++steps_;
    }
  }
  double tick() const override { return 1.0 / 240; }

  field::BodyMotion motion(std::size_t body) const override {
    const dBodyID b = bodies_[body];
    if (!b) return {{scene_.bodies[body].position, scene_.bodies[body].orientation}, {}, {}};
    const dReal* const q = dBodyGetQuaternion(b);
    return {{vector(dBodyGetPosition(b)), normalized({q[1], q[2], q[3], q[0]})},
            vector(dBodyGetLinearVel(b)),
            vector(dBodyGetAngularVel(b))};
  }

 private:
  void add(const BodyDef& def) {
    dBodyID body = nullptr;
    if (def.kind != BodyKind::anchor) {
      body = dBodyCreate(world_);
      const Vec3 i = def.kind == BodyKind::kinematic ? Vec3{1, 1, 1} : moments_of(scene_, def);
      dMass mass;
      dMassSetParameters(&mass, def.mass, 0, 0, 0, i.x, i.y, i.z, 0, 0, 0);
      dBodySetMass(body, &mass);
      if (def.kind == BodyKind::kinematic) dBodySetKinematic(body);
      const Vec3 &x = def.position, &v = def.velocity, &w = def.angular_velocity;
      dQuaternion q;
      set(q, def.orientation);
      dBodySetPosition(body, x.x, x.y, x.z);
      dBodySetQuaternion(body, q);
      dBodySetLinearVel(body, v.x, v.y, v.z);
      dBodySetAngularVel(body, w.x, w.y, w.z);
    }
    bodies_.push_back(body);
    if (def.shape != kNoShape) add_geometry(def, body);
  }

  dGeomID make_mesh(const physics::PartDef& part) {
    for (const Vec3& p : part.points) numbers_.insert(numbers_.end(), {p.x, p.y, p.z});
    for (const physics::Triangle& t : part.triangles) {
      for (const std::uint32_t place : t) places_.push_back(place);
    }
    kept_numbers_.push_back(std::move(numbers_));
    kept_places_.push_back(std::move(places_));
    numbers_ = {};
    places_ = {};
    const dTriMeshDataID mesh = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(mesh, kept_numbers_.back().data(), 3 * sizeof(double),
                                static_cast<int>(part.points.size()), kept_places_.back().data(),
                                static_cast<int>(kept_places_.back().size()),
                                3 * sizeof(dTriIndex));
    meshes_.push_back(mesh);
    return dCreateTriMesh(space_, mesh, nullptr, nullptr, nullptr);
  }

  void add_geometry(const BodyDef& def, dBodyID body) {
    const physics::PartDef& part = scene_.shapes[def.shape].parts[0];
    materials_.push_back(part.material);
    dGeomID geometry = nullptr;
    if (part.kind == ShapeKind::plane) {
      const Vec3 up = rotate(def.orientation, {0, 1, 0});
      geometry = dCreatePlane(space_, up.x, up.y, up.z, dot(up, def.position));
      dGeomSetData(geometry, &materials_.back());
      return;
    }
    const Vec3& e = part.half_extents;
    if (part.kind == ShapeKind::sphere) {
      geometry = dCreateSphere(space_, part.radius);
    } else if (part.kind == ShapeKind::capsule) {
      geometry = dCreateCapsule(space_, part.radius, 2 * part.half_length);
    } else if (part.kind == ShapeKind::mesh) {
      geometry = make_mesh(part);
    } else {
      geometry = dCreateBox(space_, 2 * e.x, 2 * e.y, 2 * e.z);
    }
    dGeomSetData(geometry, &materials_.back());
    dGeomSetBody(geometry, body);
    if (!body) {
      dQuaternion q;
      set(q, def.orientation);
      dGeomSetPosition(geometry, def.position.x, def.position.y, def.position.z);
      dGeomSetQuaternion(geometry, q);
    }
    if (part.kind == ShapeKind::capsule) {  // ODE's capsules lie along z
      const dQuaternion z_to_y = {std::sqrt(0.5), -std::sqrt(0.5), 0, 0};
      dGeomSetOffsetQuaternion(geometry, z_to_y);
    }
  }

  void add(const JointDef& def) {
    const BodyDef& a = scene_.bodies[def.a];
    const Vec3 at = a.position + rotate(a.orientation, def.at_a);
    const Vec3 axis = rotate(a.orientation, def.axis);
    // ODE measures the coordinate of its first body against the second.
    if (def.kind == physics::JointKind::hinge) {
      const dJointID joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, bodies_[def.b], bodies_[def.a]);
      dJointSetHingeAnchor(joint, at.x, at.y, at.z);
      dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
      if (def.motor_max > 0) {
        dJointSetHingeParam(joint, dParamVel, def.motor_speed);
        dJointSetHingeParam(joint, dParamFMax, def.motor_max);
      }
      if (def.limited) {
        dJointSetHingeParam(joint, dParamLoStop, def.lower);
        dJointSetHingeParam(joint, dParamHiStop, def.upper);
      }
    } else if (def.kind == physics::JointKind::slider) {
      const dJointID joint = dJointCreateSlider(world_, nullptr);
      dJointAttach(joint, bodies_[def.b], bodies_[def.a]);
      dJointSetSliderAxis(joint, axis.x, axis.y, axis.z);
      dJointSetSliderParam(joint, dParamVel, def.motor_speed);
      dJointSetSliderParam(joint, dParamFMax, def.motor_max);
    } else {  // a distance joint: a ball joint at the length of its rod
      const dJointID joint = dJointCreateBall(world_, nullptr);
      dJointAttach(joint, bodies_[def.b], bodies_[def.a]);
      dJointSetBallAnchor(joint, at.x, at.y, at.z);
    }
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kContactsMax = 8;
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact contacts[kContactsMax] = {};
    const int count = dCollide(a, b, kContactsMax, &contacts[0].geom, sizeof(dContact));
    const auto& first = *static_cast<const physics::Material*>(dGeomGetData(a));
    const auto& second = *static_cast<const physics::Material*>(dGeomGetData(b));
    const double bounce = std::max(first.restitution, second.restitution);
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1 | (bounce > 0 ? dContactBounce : 0);
      contacts[i].surface.mu = std::sqrt(first.friction * second.friction);
      contacts[i].surface.bounce = bounce;
      dJointAttach(dJointCreateContact(world_, contacts_, &contacts[i]), body_a, body_b);
    }
  }

  const Scene scene_;
  double seconds_ = 0, steps_ = 0;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;  // null: fixed
  std::vector<physics::Material> materials_;
  std::vector<dTriMeshDataID> meshes_;
  std::vector<double> numbers_;
  std::vector<dTriIndex> places_;
  std::vector<std::vector<double>> kept_numbers_;
  std::vector<std::vector<dTriIndex>> kept_places_;
};

}  // namespace

std::unique_ptr<field::Engine> field_ode(const Scene& scene) {
  return std::make_unique<FieldOde>(scene);
}

}  // namespace orrery::bench
