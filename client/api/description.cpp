// Describes bodies, their shapes, and the links between bodies.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "client/api/commands.h"
#include "client/api/structs.h"
#include "client/api/world_handle.h"
#include "common/world/scenes/keys/keys.h"

namespace orrery::api {
namespace {

static_assert(ORRERY_RIGID == static_cast<int>(BodyKind::rigid) &&
              ORRERY_POINT == static_cast<int>(BodyKind::point) &&
              ORRERY_ANCHOR == static_cast<int>(BodyKind::anchor) &&
              ORRERY_KINEMATIC == static_cast<int>(BodyKind::kinematic));
static_assert(ORRERY_NOBODY == static_cast<int>(Control::nobody) &&
              ORRERY_ANYONE == static_cast<int>(Control::anyone) &&
              ORRERY_OWNER == static_cast<int>(Control::owner));
static_assert(ORRERY_SPHERE == static_cast<int>(ShapeKind::sphere) &&
              ORRERY_CAPSULE == static_cast<int>(ShapeKind::capsule) &&
              ORRERY_BOX == static_cast<int>(ShapeKind::box) &&
              ORRERY_HULL == static_cast<int>(ShapeKind::hull) &&
              ORRERY_PLANE == static_cast<int>(ShapeKind::plane) &&
              ORRERY_HEIGHT_FIELD == static_cast<int>(ShapeKind::height_field) &&
              ORRERY_MESH == static_cast<int>(ShapeKind::mesh));

// Returns the kind of a link. header_test.py compares the names in orrery.h and scene.fbs.
std::int32_t kind_of(const JointDef& joint) {
  return ORRERY_DISTANCE + static_cast<std::int32_t>(joint.kind);
}

// The shape of a body. `set` is null if the body has none.
struct BodyShape {
  const ShapeSet* set = nullptr;
  std::uint32_t index = kNoShape;

  std::uint32_t parts() const { return set == nullptr ? 0 : set->shape(index).parts; }
};

// REQUIRES: the slot is occupied.
BodyShape shape_of(const World& world, std::uint32_t slot) {
  const auto& collision = world.collision();
  if (!collision || collision->shape_of[slot] == kNoShape) return {};
  return {&collision->shapes, collision->shape_of[slot]};
}

std::int32_t check_body(orrery_world& w, std::uint32_t id) {
  if (contains(w.world(), BodyId{id})) return ORRERY_OK;
  return fail(w, ORRERY_NOT_FOUND, "there is no body %u", id);
}

std::int32_t check_part(orrery_world& w, std::uint32_t id, std::uint32_t part) {
  if (const std::int32_t code = check_body(w, id); code != ORRERY_OK) return code;
  const std::uint32_t parts = shape_of(w.world(), slot_of(BodyId{id})).parts();
  if (part < parts) return ORRERY_OK;
  return fail(w, ORRERY_NOT_FOUND, "body %u has %u parts, and no part %u", id, parts, part);
}

// The surface of a hull, height field or mesh. It is empty for other parts.
class Surface {
 public:
  Surface(const ShapeSet& set, std::uint32_t shape, std::uint32_t part) {
    const auto& p = set.parts(shape)[part];
    if (p.kind == ShapeKind::hull) {
      const auto& hull = set.hull(p);
      vertices_ = hull.vertices;
      for (const auto& face : hull.faces) add_fan(hull, face);
    } else if (is_surface(p.kind)) {
      const auto& mesh = set.mesh(p);
      vertices_ = mesh.vertices;
      for (const auto& t : mesh.triangles) corners_.insert(corners_.end(), t.begin(), t.end());
    }
  }

  std::span<const Vec3> vertices() const { return vertices_; }
  // Returns three vertex indices for each triangle.
  std::span<const std::uint32_t> corners() const { return corners_; }

 private:
  // Adds the triangles of a face, a convex polygon.
  template <class Hull, class Face>
  void add_fan(const Hull& hull, const Face& face) {
    const auto* const corner = &hull.corners[face.first];
    for (std::uint32_t i = 2; i < face.corners; ++i) {
      for (const std::uint32_t k : {0u, i - 1, i}) corners_.push_back(corner[k].vertex);
    }
  }

  std::span<const Vec3> vertices_;
  std::vector<std::uint32_t> corners_;
};

orrery_body describe(const orrery_world& w, std::uint32_t slot) {
  const World& world = w.world();
  const BodyDef& def = prototype_of(world, slot);
  const std::uint32_t prototype = world.controls().prototypes[slot];
  orrery_body body{};
  body.kind = static_cast<std::int32_t>(def.kind);
  body.control = static_cast<std::int32_t>(world.controls().control[slot]);
  body.owner = world.controls().owners[slot];
  body.scene_body = prototype;
  body.parts = shape_of(world, slot).parts();
  body.mass = is_dynamic(def.kind) ? def.mass : 0;
  store(w.space.extents_out(def.half_extents), body.half_extents);
  const auto& names = world.scene().names;
  if (!names.empty()) copy_text(names[prototype].c_str(), body.name, sizeof body.name);
  body.color = def.color == kNoColor ? ORRERY_NO_COLOR : static_cast<std::int32_t>(def.color);
  return body;
}

orrery_part describe(const orrery_world& w, const BodyShape& shape, std::uint32_t index) {
  const auto& p = shape.set->parts(shape.index)[index];
  const Surface surface(*shape.set, shape.index, index);
  orrery_part part{};
  part.kind = static_cast<std::int32_t>(p.kind);
  part.sensor = p.filter.sensor ? 1 : 0;
  part.vertices = static_cast<std::uint32_t>(surface.vertices().size());
  part.triangles = static_cast<std::uint32_t>(surface.corners().size() / 3);
  store(w.space.out(p.position), part.position);
  const Quat q = w.space.orientation_out(p.orientation);
  const double components[] = {q.x, q.y, q.z, q.w};
  std::copy_n(components, 4, part.orientation);
  store(w.space.extents_out(p.half_extents), part.half_extents);
  part.radius = w.space.units * p.radius;
  part.half_length = w.space.units * p.half_length;
  return part;
}

// Returns a spring or joint between points of two bodies.
orrery_link link_of(const Space& space, std::int32_t kind, const auto& def) {
  orrery_link link{};
  link.kind = kind;
  link.a = def.a;
  link.b = def.b;
  store(space.out(def.at_a), link.at_a);
  store(space.out(def.at_b), link.at_b);
  return link;
}

orrery_link link_of(const Space& space, const TetherDef& def) {
  orrery_link link{};
  link.kind = ORRERY_TETHER;
  link.a = def.body;
  store(space.out(def.at), link.at_a);
  store(space.position_out(def.anchor), link.at_b);
  return link;
}

// Returns a link of the scene, or nothing if there are fewer.
std::optional<orrery_link> link_at(const orrery_world& w, std::size_t index) {
  const Scene& scene = w.world().scene();
  if (index < scene.springs.size()) return link_of(w.space, ORRERY_SPRING, scene.springs[index]);
  index -= scene.springs.size();
  if (index < scene.tethers.size()) return link_of(w.space, scene.tethers[index]);
  index -= scene.tethers.size();
  if (index >= scene.joints.size()) return {};
  return link_of(w.space, kind_of(scene.joints[index]), scene.joints[index]);
}

orrery_key describe(const KeyDef& def, const Scene& scene) {
  orrery_key key{};
  const bool pushes = def.command == KeyCommand::thrust || def.command == KeyCommand::torque ||
                      def.command == KeyCommand::impulse;
  key.own_body = pushes && !def.body ? 1 : 0;
  key.releases = released_command(def, scene) ? 1 : 0;
  copy_text(def.key.c_str(), key.key, sizeof key.key);
  copy_text(def.label.empty() ? def.key.c_str() : def.label.c_str(), key.label, sizeof key.label);
  return key;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_get_body(orrery_world* world, uint32_t id, orrery_body* body) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (const std::int32_t code = check_struct(w, body, "body", false); code != 0) return code;
    if (const std::int32_t code = check_body(w, id); code != ORRERY_OK) return code;
    write_struct(body, describe(w, orrery::slot_of(orrery::BodyId{id})));
    return ORRERY_OK;
  });
}

int32_t orrery_get_part(orrery_world* world, uint32_t id, uint32_t part, orrery_part* description) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    std::int32_t code = check_struct(w, description, "description", false);
    if (code == ORRERY_OK) code = check_part(w, id, part);
    if (code != ORRERY_OK) return code;
    const BodyShape shape = shape_of(w.world(), orrery::slot_of(orrery::BodyId{id}));
    write_struct(description, describe(w, shape, part));
    return ORRERY_OK;
  });
}

int32_t orrery_get_link(orrery_world* world, uint32_t index, orrery_link* link) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    const std::int32_t code = check_struct(w, link, "link", false);
    if (code != ORRERY_OK) return code;
    const std::optional<orrery_link> found = link_at(w, index);
    if (!found) return ORRERY_END;
    write_struct(link, *found);
    return ORRERY_OK;
  });
}

int32_t orrery_get_key(orrery_world* world, uint32_t index, orrery_key* key,
                       orrery_command* pressed, orrery_command* released) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    std::int32_t code = check_struct(w, key, "key", false);
    if (code == ORRERY_OK) code = check_struct(w, pressed, "pressed", false);
    if (code == ORRERY_OK) code = check_struct(w, released, "released", false);
    if (code != ORRERY_OK) return code;
    const orrery::Scene& scene = w.world().scene();
    if (index >= scene.keys.size()) return ORRERY_END;
    const orrery::KeyDef& def = scene.keys[index];
    const orrery::CommandPayload press = pressed_command(def, scene);
    write_struct(key, describe(def, scene));
    write_struct(pressed, command_out(w.space, {{}, {}, press}));
    write_struct(released,
                 command_out(w.space, {{}, {}, released_command(def, scene).value_or(press)}));
    return ORRERY_OK;
  });
}

int32_t orrery_get_surface(orrery_world* world, uint32_t id, uint32_t part, double* vertices,
                           uint32_t vertices_capacity, uint32_t* triangles,
                           uint32_t triangles_capacity) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (vertices == nullptr || triangles == nullptr) {
      return fail(w, ORRERY_BAD_ARGUMENT, "vertices or triangles is null");
    }
    if (const std::int32_t code = check_part(w, id, part); code != ORRERY_OK) return code;
    const BodyShape shape = shape_of(w.world(), orrery::slot_of(orrery::BodyId{id}));
    const Surface surface(*shape.set, shape.index, part);
    const std::size_t count = surface.corners().size() / 3;
    if (vertices_capacity < surface.vertices().size() || triangles_capacity < count) {
      return fail(w, ORRERY_SHORT_BUFFER, "the part has %zu vertices and %zu triangles",
                  surface.vertices().size(), count);
    }
    for (const orrery::Vec3& v : surface.vertices()) {
      const orrery::Vec3 out = w.space.out(v);
      for (const double x : {out.x, out.y, out.z}) *vertices++ = x;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t* const t = &surface.corners()[3 * i];
      // In left-handed axes the cross product has the opposite direction, so two corners change
      // places.
      for (const std::size_t k : {0, w.space.mirrored() ? 2 : 1, w.space.mirrored() ? 1 : 2}) {
        *triangles++ = t[k];
      }
    }
    return ORRERY_OK;
  });
}
