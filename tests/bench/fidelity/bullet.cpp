// Simulates a set-up of `bench fidelity` with Bullet.
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "tests/bench/fidelity/fidelity.h"

namespace orrery::bench {
namespace {

btVector3 vector(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}
Vec3 vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion rotation_of(const Quat& q) {
  return {static_cast<btScalar>(q.x), static_cast<btScalar>(q.y), static_cast<btScalar>(q.z),
          static_cast<btScalar>(q.w)};
}

std::unique_ptr<btCollisionShape> make_shape(const Scene& scene, const BodyDef& def) {
  if (def.shape == kNoShape) return std::make_unique<btSphereShape>(btScalar(0.1));
  const physics::PartDef& part = scene.shapes[def.shape].parts[0];
  const auto radius = static_cast<btScalar>(part.radius);
  if (part.kind == ShapeKind::sphere) return std::make_unique<btSphereShape>(radius);
  if (part.kind == ShapeKind::capsule) {
    return std::make_unique<btCapsuleShape>(radius, static_cast<btScalar>(2 * part.half_length));
  }
  return std::make_unique<btBoxShape>(vector(part.half_extents));
}

// Returns true if the first shape of the scene bounces. By default, Bullet brakes a body from 2 cm
// before it touches another, so in short steps nothing bounces. For a scene that bounces, this
// program therefore changes two settings: Bullet ignores contacts that do not touch, and removes
// overlaps without a change of velocity. With these settings the block would slide on the slope, so
// all other scenes keep the defaults.
bool bounces(const Scene& scene) {
  return !scene.shapes.empty() && scene.shapes[0].parts[0].material.restitution > 0;
}

class BulletSimulation : public Simulation {
 public:
  BulletSimulation(const Scene& scene, std::uint32_t substeps) : substeps_(substeps) {
    world_.setGravity(vector(scene.gravity));
    if (bounces(scene)) world_.getSolverInfo().m_splitImpulsePenetrationThreshold = 0;
    for (const BodyDef& def : scene.bodies) add(scene, def);
    for (const JointDef& joint : scene.joints) add(scene, joint);
  }
  ~BulletSimulation() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void tick() override {
    const auto h = static_cast<btScalar>(1.0 / (60 * substeps_));
    for (std::uint32_t i = 0; i < substeps_; ++i) world_.stepSimulation(h, 0);
  }

  BodyMotion motion(std::size_t body) const override {
    const btRigidBody& b = *bodies_[body];
    const btQuaternion q = b.getOrientation();
    return {{vector(b.getCenterOfMassPosition()), normalized({q.x(), q.y(), q.z(), q.w()})},
            vector(b.getLinearVelocity()),
            vector(b.getAngularVelocity())};
  }

 private:
  void add(const Scene& scene, const BodyDef& def) {
    const bool moves = def.kind != BodyKind::anchor;
    shapes_.push_back(make_shape(scene, def));
    btRigidBody::btRigidBodyConstructionInfo info(
        static_cast<btScalar>(moves ? def.mass : 0), nullptr, shapes_.back().get(),
        moves ? vector(moments_of(scene, def)) : btVector3(0, 0, 0));
    info.m_startWorldTransform = btTransform(rotation_of(def.orientation), vector(def.position));
    if (def.shape != kNoShape) {
      // Bullet multiplies the coefficients of the two bodies of a contact, so each body gets the
      // square root.
      const physics::Material& material = scene.shapes[def.shape].parts[0].material;
      info.m_friction = btSqrt(static_cast<btScalar>(material.friction));
      info.m_restitution = btSqrt(static_cast<btScalar>(material.restitution));
    }
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setLinearVelocity(vector(def.velocity));
    body.setAngularVelocity(vector(def.angular_velocity));
    body.setActivationState(DISABLE_DEACTIVATION);
    if (bounces(scene)) body.setContactProcessingThreshold(0);
    const int group = scene.joints.empty() ? btBroadphaseProxy::DefaultFilter : 0;
    world_.addRigidBody(&body, group, group);
  }

  void add(const Scene& scene, const JointDef& def) {
    btRigidBody &a = *bodies_[def.a], &b = *bodies_[def.b];
    const btVector3 at_a = vector(def.at_a), at_b = vector(def.at_b);
    if (def.kind == physics::JointKind::ball) {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, at_a, at_b));
    } else {
      const Vec3 axis = rotate(scene.bodies[def.a].orientation, def.axis);
      const Vec3 axis_b = rotate(conjugate(scene.bodies[def.b].orientation), axis);
      joints_.push_back(std::make_unique<btHingeConstraint>(a, b, at_a, at_b, vector(def.axis),
                                                            vector(axis_b), true));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  std::uint32_t substeps_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

}  // namespace

std::unique_ptr<Simulation> simulate_bullet(const Scene& scene, std::uint32_t substeps) {
  return std::make_unique<BulletSimulation>(scene, substeps);
}

}  // namespace orrery::bench
