// Reads scenes from FlatBuffers, including untrusted ones.
#include "common/codec/scene_codec.h"

#include <algorithm>
#include <charconv>

#include "common/codec/body_extent.h"
#include "common/codec/scene_fields.h"
#include "common/core/limits.h"
#include "common/world/scenes/methods.h"

namespace orrery::codec {
namespace {

// The tables of the schema nest three deep: Scene -> Shape -> Part.
constexpr std::size_t kDepthMax = 4;
constexpr std::size_t kTablesMax = 1 + limits::kBodiesMax + 2 * limits::kSpringsMax +
                                   limits::kJointsMax + limits::kShapesMax +
                                   limits::kScenePartsMax + limits::kScriptsMax + limits::kKeysMax;

// FlatBuffers refers to positions by signed offsets of 32 bits, so a scene must be below 2 GiB.
static_assert(limits::kSceneBytesMax <= FLATBUFFERS_MAX_BUFFER_SIZE);
// The error messages below contain these limits as text.
static_assert(limits::kBodiesMax == 1'048'576 && limits::kSpringsMax == 4'194'304);
static_assert(limits::kJointsMax == 131'072 && limits::kScriptsMax == 64);
static_assert(limits::kScenePartsMax == 1'048'576 && limits::kShapePointsMax == 2'097'152);

physics::PartDef read_part(const wire::Part& in) {
  physics::PartDef part;
  numbers_of(part, reader_of(in, part));
  settings_of(part, reader_of(in, part));
  part.points.reserve(size_of(in.points()));
  for (std::uint32_t i = 0; i < size_of(in.points()); ++i) {
    part.points.push_back(read(in.points()->Get(i), {}));
  }
  part.triangles.resize(size_of(in.triangles()) / 3);
  for (std::uint32_t i = 0; i < 3 * part.triangles.size(); ++i) {
    part.triangles[i / 3][i % 3] = in.triangles()->Get(i);
  }
  if (in.heights()) part.heights.assign(in.heights()->begin(), in.heights()->end());
  return part;
}

std::size_t points_of(const wire::Part& part) {
  return size_of(part.points()) + size_of(part.triangles()) / 3 + size_of(part.heights());
}

// Counts parts and points before it copies them. An untrusted buffer may refer to one part many
// times, and each reference would become a copy.
Status read_shapes(const wire::Scene& in, Scene& scene) {
  std::size_t parts = 0;
  std::size_t points = 0;
  for (std::uint32_t i = 0; i < size_of(in.shapes()); ++i) {
    const wire::Shape& from = *in.shapes()->Get(i);
    physics::ShapeDef& shape = scene.shapes.emplace_back();
    for (std::uint32_t k = 0; k < size_of(from.parts()); ++k) {
      const wire::Part& part = *from.parts()->Get(k);
      const auto in_part = [&](const Error& error) {
        return error.in_item("part", k).in_item("shape", i);
      };
      if (part.kind() > wire::ShapeKind::MAX) return in_part({"unknown kind"});
      if (!aligned(part.points()) || !aligned(part.heights())) return in_part({"misaligned"});
      if (size_of(part.triangles()) % 3 != 0) {
        return in_part(Error::at("triangles", " must be three indices into points each"));
      }
      points += points_of(part);
      if (++parts > limits::kScenePartsMax || points > limits::kShapePointsMax) {
        return in_part(
            {"too much; all shapes together may have at most 1048576 parts, and 2097152 points, "
             "triangles and heights"});
      }
      shape.parts.push_back(read_part(part));
    }
  }
  return ok_status();
}

void read_extent(const wire::Body& in, const physics::ShapeSet& shapes, BodyDef& body) {
  body.shape = in.shape().value_or(physics::kNoShape);
  const Extent usual = default_extent(shapes, body.shape);
  body.mass = in.mass().value_or(usual.mass);
  body.half_extents = read(in.half_extents(), usual.half_extents);
  body.inertia = read(in.inertia(), default_inertia(usual, body));
}

// Returns the colour of "#rrggbb", or kNoColor if the field is absent. Any other text gives a
// number that validate() refuses.
std::uint32_t read_color(const flatbuffers::String* text) {
  constexpr std::uint32_t kInvalid = 0x1000000;
  if (!text) return kNoColor;
  if (text->size() != 7 || text->Get(0) != '#') return kInvalid;
  std::uint32_t color = 0;
  const char* const end = text->c_str() + text->size();
  const auto read = std::from_chars(text->c_str() + 1, end, color, 16);
  return read.ec == std::errc() && read.ptr == end ? color : kInvalid;
}

BodyDef read_body(const wire::Body& in, const physics::ShapeSet& shapes) {
  BodyDef body;
  body.kind = static_cast<BodyKind>(in.kind());
  body.control = static_cast<Control>(in.control());
  body.owner = in.account() != 0 ? in.account() : in.owner();
  body.position = read(in.position(), {});
  body.velocity = read(in.velocity(), {});
  body.orientation = read(in.orientation());
  body.angular_velocity = read(in.angular_velocity(), {});
  body.gravity_scale = in.gravity_scale();
  body.linear_drag = in.linear_drag();
  body.quadratic_drag = in.quadratic_drag();
  body.color = read_color(in.color());
  read_extent(in, shapes, body);
  return body;
}

using WireBodies = flatbuffers::Vector<flatbuffers::Offset<wire::Body>>;

// Returns an error about the id of the body at a position of the list.
Error unusable_id(std::uint32_t position, std::uint32_t id, const std::string& why) {
  const std::string body = "bodies[" + std::to_string(position) + "]";
  Error error{body + ": id " + std::to_string(id) + why};
  error.place.key = body + ".id";
  return error;
}

// Stores every body at the index of its id. The default id is its position in the encoded list.
Status read_bodies(const WireBodies& in, const physics::ShapeSet& shapes, Scene& scene) {
  ORRERY_ASSERT(scene.bodies.empty() && in.size() <= limits::kBodiesMax);
  const std::uint32_t count = in.size();
  const bool named =
      std::any_of(in.begin(), in.end(), [](const wire::Body* b) { return b->name(); });
  std::vector<bool> taken(count, false);
  scene.bodies.resize(count);
  if (named) scene.names.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const wire::Body& body = *in[i];
    const std::uint32_t id = body.id().value_or(i);
    if (id >= count) {
      return unusable_id(i, id,
                         " is too high; the ids of " + std::to_string(count) + " bodies are 0 to " +
                             std::to_string(count - 1));
    }
    if (taken[id]) {
      return unusable_id(
          i, id,
          " is already used by another body; give each id once, 0 to " + std::to_string(count - 1));
    }
    if (body.kind() > wire::BodyKind::MAX || body.control() > wire::Control::MAX) {
      return Error{"unknown kind or control"}.in_item("body", id);
    }
    if (body.owner() != 0 && body.account() != 0) {
      return Error{"give either owner or account, not both"}.in_item("body", id);
    }
    taken[id] = true;
    scene.bodies[id] = read_body(body, shapes);
    if (named) scene.names[id] = read(body.name(), limits::kNameBytesMax);
  }
  return ok_status();
}

// Reads a list of tables of numbers.
template <class Def>
void read_all(const auto* in, std::vector<Def>& out) {
  out.resize(size_of(in));
  for (std::uint32_t i = 0; i < out.size(); ++i) fields_of(out[i], reader_of(*in->Get(i), out[i]));
}

Status read_joints(const wire::Scene& in, Scene& scene) {
  for (std::uint32_t i = 0; i < size_of(in.joints()); ++i) {
    const wire::Joint& from = *in.joints()->Get(i);
    if (from.kind() > wire::JointKind::MAX || from.control() > wire::Control::MAX) {
      return Error{"unknown kind or control"}.in_item("joint", i);
    }
  }
  read_all(in.joints(), scene.joints);
  for (std::uint32_t i = 0; i < scene.joints.size(); ++i) {
    scene.joints[i].name = read(in.joints()->Get(i)->name(), limits::kNameBytesMax);
  }
  return ok_status();
}

Status read_keys(const wire::Scene& in, Scene& scene) {
  if (size_of(in.keys()) > limits::kKeysMax) return Error{"there must be at most 64 keys"};
  for (std::uint32_t i = 0; i < size_of(in.keys()); ++i) {
    const wire::Key& from = *in.keys()->Get(i);
    if (from.command() > wire::KeyCommand::MAX) return Error{"unknown command"}.in_item("key", i);
    KeyDef& key = scene.keys.emplace_back();
    fields_of(key, reader_of(from, key));
    key.key = read(from.key(), limits::kNameBytesMax);
    key.label = read(from.label(), limits::kLabelBytesMax);
    key.text = read(from.text(), limits::kValueBytesMax);
    key.text_released = read(from.text_released(), limits::kValueBytesMax);
    key.joint = read(from.joint(), limits::kNameBytesMax);
    if (from.body()) key.body = *from.body();
    if (from.position_released()) key.position_released = *from.position_released();
  }
  return ok_status();
}

// Returns the same result as needs_contact_solver(const Scene&) for the decoded scene.
bool needs_contact_solver(const wire::Scene& in) {
  const auto kinematic = [](const wire::Body* body) {
    return body->kind() == wire::BodyKind::kinematic;
  };
  return size_of(in.shapes()) > 0 || size_of(in.joints()) > 0 ||
         (in.bodies() && std::any_of(in.bodies()->begin(), in.bodies()->end(), kinematic));
}

Status read_excess(const wire::Scene& in, Scene& scene) {
  if (in.command_excess() > wire::Excess::MAX) {
    return Error::at("command_excess", " is unknown; it must be clamp or refuse");
  }
  scene.command_excess = static_cast<Excess>(in.command_excess());
  return ok_status();
}

// Reads the integrator and the rotation method, which are stored by name. Scenes of rules 1 store a
// number for the integrator and no names. A scene without the name of an integrator gets:
//
// - semi-implicit Euler, if it needs the contact solver. No scene of rules 1 needs it.
// - otherwise the integrator of the number, which is velocity-verlet by default.
Status read_methods(const wire::Scene& in, Scene& scene) {
  if (in.integrator_of_rules_1() > wire::IntegratorOfRules1::MAX) {
    return Error::at("integrator_of_rules_1", " is unknown; it must be 0, 1 or 2");
  }
  scene.integrator = static_cast<Integrator>(in.integrator_of_rules_1());
  if (in.integrator()) {
    const Result<Integrator> integrator = find_integrator(in.integrator()->string_view());
    if (!integrator) return integrator.error();
    scene.integrator = integrator.value();
  } else if (needs_contact_solver(in)) {
    scene.integrator = Integrator::semi_implicit_euler;
  }
  if (in.rotation()) {
    const Result<physics::Rotation> rotation = find_rotation(in.rotation()->string_view());
    if (!rotation) return rotation.error();
    scene.rotation = rotation.value();
  }
  return ok_status();
}

Result<Scene> read_scene(const wire::Scene& in) {
  if (size_of(in.bodies()) > limits::kBodiesMax || size_of(in.springs()) > limits::kSpringsMax ||
      size_of(in.tethers()) > limits::kSpringsMax || size_of(in.joints()) > limits::kJointsMax) {
    return Error{
        "too many bodies, springs, tethers or joints; at most 1048576, 4194304, 4194304 and "
        "131072"};
  }
  if (size_of(in.scripts()) > limits::kScriptsMax) return Error{"there must be at most 64 scripts"};
  Scene scene;
  scene.name = read(in.name(), limits::kNameBytesMax);
  scene.about = read(in.about(), limits::kDescriptionBytesMax);
  scene.tick_rate = in.tick_rate();
  scene.substeps = in.substeps().value_or(needs_contact_solver(in) ? kContactSubsteps : 1);
  if (Status status = read_methods(in, scene); !status) return status.error();
  scene.sleeping = in.sleeping();
  scene.sleep_events = in.sleep_events();
  numbers_of(scene, reader_of(in, scene));
  if (Status status = read_excess(in, scene); !status) return status.error();
  scene.spare_bodies = in.spare_bodies();
  scene.spawned_bodies_max = in.spawned_bodies_max();
  scene.commands_per_tick = in.commands_per_tick();
  scene.snapshot_orientation_bits = in.snapshot_orientation_bits();
  if (Status status = read_shapes(in, scene); !status) return status.error();
  if (in.bodies()) {
    const Result<physics::ShapeSet> shapes = make_shapes(scene);
    if (!shapes) return shapes.error();
    Status status = read_bodies(*in.bodies(), shapes.value(), scene);
    if (!status) return status.error();
  }
  read_all(in.springs(), scene.springs);
  read_all(in.tethers(), scene.tethers);
  read_all(in.scripts(), scene.scripts);
  if (Status status = read_joints(in, scene); !status) return status.error();
  if (Status status = read_keys(in, scene); !status) return status.error();
  if (Status status = validate(scene); !status) return status.error();
  return scene;
}

}  // namespace

Result<Scene> decode_scene(Bytes bytes) {
  if (bytes.size() > limits::kSceneBytesMax) return Error{"the scene is larger than 2 GiB"};
  if (!looks_like_scene(bytes)) return Error{"not a binary scene"};
  // Numbers are read in place, so they must be aligned. If they are not, decode an aligned copy.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(double) != 0) {
    return decode_scene(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kDepthMax, kTablesMax);
  if (!wire::VerifySceneBuffer(verifier))
    return Error{"the binary scene is cut or damaged", ErrorCode::incomplete};
  return read_scene(*wire::GetScene(bytes.data()));
}

bool looks_like_scene(Bytes bytes) {
  constexpr std::size_t kSmallest = sizeof(flatbuffers::uoffset_t) + 4;
  return bytes.size() >= kSmallest && wire::SceneBufferHasIdentifier(bytes.data());
}

}  // namespace orrery::codec
