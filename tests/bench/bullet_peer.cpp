// Steps a scene of balls and boxes with Bullet.
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "tests/bench/contact_peers.h"

namespace orrery::bench {
namespace {

btVector3 vector(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

std::unique_ptr<btCollisionShape> shape_of(const physics::PartDef& part) {
  if (part.kind == physics::ShapeKind::sphere) {
    return std::make_unique<btSphereShape>(static_cast<btScalar>(part.radius));
  }
  return std::make_unique<btBoxShape>(vector(part.half_extents));
}

class BulletPeer : public ContactPeer {
 public:
  explicit BulletPeer(const Scene& scene) {
    world_.setGravity(vector(scene.gravity));
    for (const physics::ShapeDef& shape : scene.shapes) shapes_.push_back(shape_of(shape.parts[0]));
    for (const BodyDef& def : scene.bodies) add(def, scene.shapes[def.shape].parts[0].material);
  }

  ~BulletPeer() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void step(double h) override { world_.stepSimulation(static_cast<btScalar>(h), 0); }

  Pose pose(std::size_t body) const override {
    const btVector3& p = bodies_[body]->getCenterOfMassPosition();
    const btQuaternion q = bodies_[body]->getOrientation();
    return {{p.x(), p.y(), p.z()}, normalized({q.x(), q.y(), q.z(), q.w()})};
  }

 private:
  void add(const BodyDef& def, const physics::Material& material) {
    const bool moves = def.kind != BodyKind::anchor;
    btCollisionShape* const shape = shapes_[def.shape].get();
    const auto mass = static_cast<btScalar>(moves ? def.mass : 0);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape,
                                                  moves ? vector(def.inertia) : btVector3(0, 0, 0));
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(vector(def.position));
    // Bullet multiplies the coefficients of the two bodies of a contact, so each body gets the
    // square root.
    info.m_friction = btSqrt(static_cast<btScalar>(material.friction));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setLinearVelocity(vector(def.velocity));
    body.setAngularVelocity(vector(def.angular_velocity));
    body.setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(&body);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<ContactPeer> bullet_peer(const Scene& scene) {
  return std::make_unique<BulletPeer>(scene);
}

}  // namespace orrery::bench
