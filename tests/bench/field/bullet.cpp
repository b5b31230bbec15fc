// Simulates a set-up of `bench field` with Bullet.
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/bench/fidelity/fidelity.h"
#include "tests/bench/field/field.h"

namespace orrery::bench {
namespace {

btScalar real(double x) { return static_cast<btScalar>(x); }
btVector3 vector(const Vec3& v) { return {real(v.x), real(v.y), real(v.z)}; }
Vec3 vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion rotation(const Quat& q) { return {real(q.x), real(q.y), real(q.z), real(q.w)}; }

class FieldBullet : public field::Engine {
 public:
  explicit FieldBullet(const Scene& scene) {
    world_.setGravity(vector(scene.gravity));
    for (const BodyDef& def : scene.bodies) add(scene, def);
    for (const JointDef& joint : scene.joints) add(scene, joint);
  }
  ~FieldBullet() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void run(double seconds) override {
    seconds_ += seconds;
    while ((steps_ + 0.5) * tick() < seconds_) {
      for (std::size_t i : driven_) move(*bodies_[i]);
      world_.stepSimulation(real(tick()), 0);
      ++steps_;
    }
  }
  double tick() const override { return 1.0 / 240; }

  field::BodyMotion motion(std::size_t body) const override {
    const btRigidBody& b = *bodies_[body];
    const btQuaternion q = b.getOrientation();
    return {{vector(b.getCenterOfMassPosition()), normalized({q.x(), q.y(), q.z(), q.w()})},
            vector(b.getLinearVelocity()),
            vector(b.getAngularVelocity())};
  }

 private:
  std::unique_ptr<btCollisionShape> make_shape(const physics::PartDef& part) {
    switch (part.kind) {
      case ShapeKind::sphere:
        return std::make_unique<btSphereShape>(real(part.radius));
      case ShapeKind::capsule:
        return std::make_unique<btCapsuleShape>(real(part.radius), real(2 * part.half_length));
      case ShapeKind::box:
        return std::make_unique<btBoxShape>(vector(part.half_extents));
      case ShapeKind::plane:
        return std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), real(0));
      case ShapeKind::mesh: {
        auto mesh = std::make_unique<btTriangleMesh>();
        for (const physics::Triangle& t : part.triangles) {
          mesh->addTriangle(vector(part.points[t[0]]), vector(part.points[t[1]]),
                            vector(part.points[t[2]]));
        }
        meshes_.push_back(std::move(mesh));
        return std::make_unique<btBvhTriangleMeshShape>(meshes_.back().get(), true);
      }
      default: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (const Vec3& point : part.points) hull->addPoint(vector(point));
        hull->setMargin(real(1e-4));
        return hull;
      }
    }
  }

  // Moves a kinematic body along its velocities: Bullet leaves that to the program.
  void move(btRigidBody& body) const {
    btTransform next;
    btTransformUtil::integrateTransform(body.getWorldTransform(), body.getLinearVelocity(),
                                        body.getAngularVelocity(), real(tick()), next);
    body.setWorldTransform(next);
  }

  void add(const Scene& scene, const BodyDef& def) {
    const bool moves = is_dynamic(def.kind), shaped = def.shape != kNoShape;
    physics::PartDef part;
    if (shaped) part = scene.shapes[def.shape].parts[0];
    shapes_.push_back(shaped ? make_shape(part) : std::make_unique<btSphereShape>(real(0.1)));
    btVector3 inertia(0, 0, 0);
    if (moves && shaped) shapes_.back()->calculateLocalInertia(real(def.mass), inertia);
    if (moves && !shaped) inertia = vector(def.inertia);
    if (moves && part.kind != ShapeKind::hull) inertia = vector(moments_of(scene, def));
    btRigidBody::btRigidBodyConstructionInfo info(moves ? real(def.mass) : real(0), nullptr,
                                                  shapes_.back().get(), inertia);
    info.m_startWorldTransform = btTransform(rotation(def.orientation), vector(def.position));
    // Bullet multiplies the coefficients of the two bodies of a contact.
    info.m_friction = btSqrt(real(part.material.friction));
    info.m_restitution = btSqrt(real(part.material.restitution));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    if (def.kind == BodyKind::kinematic) {
      body.setCollisionFlags(body.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
      driven_.push_back(bodies_.size() - 1);
    }
    body.setActivationState(DISABLE_DEACTIVATION);
    body.setLinearVelocity(vector(def.velocity));
    body.setAngularVelocity(vector(def.angular_velocity));
    const int group = shaped ? btBroadphaseProxy::AllFilter : 0;
    world_.addRigidBody(&body, group, group);
    body.setLinearVelocity(vector(def.velocity));
    body.setAngularVelocity(vector(def.angular_velocity));
  }

  static btTransform frame(const Vec3& at, const Vec3& axis) {  // z along the axis
    const btVector3 z = vector(axis).normalized();
    const btVector3 x = std::abs(z.x()) < 0.9f ? btVector3(1, 0, 0) : btVector3(0, 1, 0);
    const btVector3 y = z.cross(x).normalized(), u = y.cross(z);
    const btMatrix3x3 basis(u.x(), y.x(), z.x(), u.y(), y.y(), z.y(), u.z(), y.z(), z.z());
    return btTransform(basis, vector(at));
  }

  void add(const Scene& scene, const JointDef& def) {
    btRigidBody &a = *bodies_[def.a], &b = *bodies_[def.b];
    const Vec3 world_axis = rotate(scene.bodies[def.a].orientation, def.axis);
    const Vec3 axis_b = rotate(conjugate(scene.bodies[def.b].orientation), world_axis);
    if (def.kind == physics::JointKind::hinge) {
      auto hinge = std::make_unique<btHingeConstraint>(a, b, frame(def.at_a, def.axis),
                                                       frame(def.at_b, axis_b));
      if (def.motor_max > 0) {  // Bullet's motor counts the other way round, in impulses
        hinge->enableAngularMotor(true, real(-def.motor_speed), real(def.motor_max * tick()));
      }
      if (def.limited) hinge->setLimit(real(def.lower), real(def.upper), real(0.9), real(0.3), 0);
      joints_.push_back(std::move(hinge));
    } else if (def.kind == physics::JointKind::slider) {
      btTransform at_a = frame(def.at_a, def.axis), at_b = frame(def.at_b, axis_b);
      const btMatrix3x3 z_to_x(0, 0, -1, 0, 1, 0, 1, 0, 0);
      at_a.setBasis(at_a.getBasis() * z_to_x);
      at_b.setBasis(at_b.getBasis() * z_to_x);
      auto slider = std::make_unique<btSliderConstraint>(a, b, at_a, at_b, true);
      slider->setLowerLinLimit(real(1));
      slider->setUpperLinLimit(real(-1));
      slider->setPoweredLinMotor(true);
      slider->setTargetLinMotorVelocity(real(def.motor_speed));
      slider->setMaxLinMotorForce(real(def.motor_max));
      joints_.push_back(std::move(slider));
    } else {  // a distance joint: a ball joint at the length of its rod
      const Vec3 at = scene.bodies[def.a].position - scene.bodies[def.b].position;
      const Vec3 at_b = rotate(conjugate(scene.bodies[def.b].orientation), at);
      joints_.push_back(
          std::make_unique<btPoint2PointConstraint>(a, b, vector(def.at_a), vector(at_b)));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  double seconds_ = 0, steps_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btTriangleMesh>> meshes_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::size_t> driven_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

}  // namespace

std::unique_ptr<field::Engine> field_bullet(const Scene& scene) {
  return std::make_unique<FieldBullet>(scene);
}

}  // namespace orrery::bench
