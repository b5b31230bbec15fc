// Writes scenes as FlatBuffers, without rounding. Equal scenes give equal bytes.
#include <algorithm>
#include <limits>
#include <string>

#include "common/codec/body_extent.h"
#include "common/codec/scene_codec.h"
#include "common/codec/scene_fields.h"
#include "common/core/limits.h"
#include "common/world/scenes/methods.h"

namespace orrery::codec {
namespace {

// Maximum encoded size of one item in bytes. The sizes of bodies and joints include their names.
// The size of a part does not include points, triangles and heights. The assertion below shows that
// a scene with as many items as limits.h allows fits into kSceneBytesMax.
constexpr std::size_t kBodyBytesMax = 400;
constexpr std::size_t kSpringBytesMax = 128;
constexpr std::size_t kScriptBytesMax = 128;
constexpr std::size_t kJointBytesMax = 336;
constexpr std::size_t kKeyBytesMax = 1024;
constexpr std::size_t kShapeBytesMax = 32;
constexpr std::size_t kPartBytesMax = 256;
static_assert(kBodyBytesMax * limits::kBodiesMax + 2 * kSpringBytesMax * limits::kSpringsMax +
                  kJointBytesMax * limits::kJointsMax + kShapeBytesMax * limits::kShapesMax +
                  kPartBytesMax * limits::kScenePartsMax +
                  sizeof(wire::Vec3) * limits::kShapePointsMax +
                  kScriptBytesMax * limits::kScriptsMax + kKeyBytesMax * limits::kKeysMax <
              limits::kSceneBytesMax);

// Writes mass, inertia and half extents, but leaves out values that equal the default. The shape of
// a body determines its defaults. If `known` is null, the shapes were not computed, so the defaults
// of a body with a shape are unknown. All three values are then written.
void write_extent(Builder& fbb, const BodyDef& body, const physics::ShapeSet* known) {
  using W = wire::Body;
  const bool full = body.shape != physics::kNoShape && !known;
  const physics::ShapeSet none;
  const Extent usual = default_extent(known ? *known : none, body.shape);
  add(fbb, W::VT_HALF_EXTENTS, body.half_extents, full ? kNotANumber : usual.half_extents);
  add(fbb, W::VT_INERTIA, body.inertia, full ? kNotANumber : default_inertia(usual, body));
  add(fbb, W::VT_MASS, body.mass, full ? kNan : usual.mass);
}

// Returns "#rrggbb".
std::string color_text(std::uint32_t color) {
  ORRERY_ASSERT(color <= 0xFFFFFF);
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4) text += "0123456789abcdef"[color >> shift & 15];
  return text;
}

flatbuffers::Offset<wire::Body> write_body(Builder& fbb, const BodyDef& body,
                                           const std::string* name,
                                           const physics::ShapeSet* known) {
  using W = wire::Body;
  const auto name_at = name ? fbb.CreateString(*name) : 0;
  const auto color_at = body.color == kNoColor ? 0 : fbb.CreateString(color_text(body.color));
  const BodyDef otherwise;
  wire::BodyBuilder out(fbb);
  add(fbb, W::VT_POSITION, body.position, {});
  add(fbb, W::VT_VELOCITY, body.velocity, {});
  add(fbb, W::VT_ORIENTATION, body.orientation, {});
  add(fbb, W::VT_ANGULAR_VELOCITY, body.angular_velocity, {});
  const bool is_wide = body.owner > std::numeric_limits<std::uint32_t>::max();
  if (is_wide) out.add_account(body.owner);
  write_extent(fbb, body, known);
  if (body.shape != physics::kNoShape) out.add_shape(body.shape);
  add(fbb, W::VT_GRAVITY_SCALE, body.gravity_scale, otherwise.gravity_scale);
  add(fbb, W::VT_LINEAR_DRAG, body.linear_drag, 0);
  add(fbb, W::VT_QUADRATIC_DRAG, body.quadratic_drag, 0);
  if (name) out.add_name(name_at);
  if (body.color != kNoColor) out.add_color(color_at);
  out.add_owner(is_wide ? 0 : static_cast<std::uint32_t>(body.owner));
  out.add_kind(static_cast<wire::BodyKind>(body.kind));
  out.add_control(static_cast<wire::Control>(body.control));
  return out.Finish();
}

// Writes a table of numbers.
template <class Def>
flatbuffers::Offset<void> write_table(Builder& fbb, const Def& def) {
  const flatbuffers::uoffset_t start = fbb.StartTable();
  fields_of(def, TableWriter<Def>{fbb, def});
  return fbb.EndTable(start);
}

flatbuffers::Offset<void> write_joint(Builder& fbb, const JointDef& joint) {
  const auto name = joint.name.empty() ? 0 : fbb.CreateString(joint.name);
  const flatbuffers::uoffset_t start = fbb.StartTable();
  fields_of(joint, TableWriter<JointDef>{fbb, joint});
  if (name.o != 0) fbb.AddOffset(wire::Joint::VT_NAME, name);
  return fbb.EndTable(start);
}

flatbuffers::Offset<void> write_key(Builder& fbb, const KeyDef& key) {
  using W = wire::Key;
  std::vector<std::pair<flatbuffers::voffset_t, flatbuffers::Offset<flatbuffers::String>>> texts;
  for (const auto& [field, text] :
       {std::pair(W::VT_KEY, &key.key), std::pair(W::VT_LABEL, &key.label),
        std::pair(W::VT_TEXT, &key.text), std::pair(W::VT_TEXT_RELEASED, &key.text_released),
        std::pair(W::VT_JOINT, &key.joint)}) {
    if (!text->empty()) texts.emplace_back(field, fbb.CreateString(*text));
  }
  const flatbuffers::uoffset_t start = fbb.StartTable();
  fields_of(key, TableWriter<KeyDef>{fbb, key});
  if (key.position_released) fbb.AddElement(W::VT_POSITION_RELEASED, *key.position_released);
  if (key.body) fbb.AddElement(W::VT_BODY, *key.body);
  for (const auto& [field, at] : texts) fbb.AddOffset(field, at);
  return fbb.EndTable(start);
}

flatbuffers::Offset<wire::Part> write_part(Builder& fbb, const physics::PartDef& part) {
  std::vector<wire::Vec3> points;
  points.reserve(part.points.size());
  for (const Vec3& p : part.points) points.emplace_back(p.x, p.y, p.z);
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * part.triangles.size());
  for (const auto& t : part.triangles) corners.insert(corners.end(), t.begin(), t.end());
  const auto points_at = points.empty() ? 0 : fbb.CreateVectorOfStructs(points);
  const auto triangles_at = corners.empty() ? 0 : fbb.CreateVector(corners);
  const auto heights_at = part.heights.empty() ? 0 : fbb.CreateVector(part.heights);
  wire::PartBuilder out(fbb);
  const TableWriter<PartDef> write{fbb, part};
  numbers_of(part, write);
  if (points_at.o != 0) out.add_points(points_at);
  if (triangles_at.o != 0) out.add_triangles(triangles_at);
  if (heights_at.o != 0) out.add_heights(heights_at);
  settings_of(part, write);
  return out.Finish();
}

template <class Table, class Item, class Write>
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>> write_all(
    Builder& fbb, const std::vector<Item>& items, Write write) {
  ORRERY_ASSERT(items.size() <= limits::kSpringsMax);
  std::vector<flatbuffers::Offset<Table>> offsets;
  offsets.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) offsets.push_back(write(items[i], i).o);
  return fbb.CreateVector(offsets);
}

// Writes a vector, but leaves it out if it is empty.
template <class Table, class Item, class Write>
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>> write_any(
    Builder& fbb, const std::vector<Item>& items, Write write) {
  return items.empty() ? 0 : write_all<Table>(fbb, items, write);
}

flatbuffers::Offset<wire::Shape> write_shape(Builder& fbb, const physics::ShapeDef& shape) {
  const auto parts = write_all<wire::Part>(
      fbb, shape.parts, [&](const physics::PartDef& p, std::size_t) { return write_part(fbb, p); });
  return wire::CreateShape(fbb, parts);
}

}  // namespace

void encode_scene(const Scene& scene, std::vector<std::uint8_t>& out,
                  const physics::ShapeSet* known) {
  ORRERY_ASSERT(validate(scene).ok());
  Builder fbb;
  const auto bodies =
      write_all<wire::Body>(fbb, scene.bodies, [&](const BodyDef& b, std::size_t i) {
        return write_body(fbb, b, scene.names.empty() ? nullptr : &scene.names[i], known);
      });
  const auto write = [&](const auto& def, std::size_t) { return write_table(fbb, def); };
  const auto springs = write_all<wire::Spring>(fbb, scene.springs, write);
  const auto tethers = write_all<wire::Tether>(fbb, scene.tethers, write);
  const auto joints = write_any<wire::Joint>(
      fbb, scene.joints,
      [&](const JointDef& joint, std::size_t) { return write_joint(fbb, joint); });
  const auto shapes = write_any<wire::Shape>(
      fbb, scene.shapes,
      [&](const physics::ShapeDef& s, std::size_t) { return write_shape(fbb, s); });
  const auto scripts = write_any<wire::Script>(fbb, scene.scripts, write);
  const auto keys = write_any<wire::Key>(
      fbb, scene.keys, [&](const KeyDef& key, std::size_t) { return write_key(fbb, key); });
  const auto name = fbb.CreateString(scene.name);
  const auto about = fbb.CreateString(scene.about);
  const Scene usual;
  const auto integrator =
      scene.integrator == usual.integrator ? 0 : fbb.CreateString(name_of(scene.integrator));
  const auto rotation =
      scene.rotation == usual.rotation ? 0 : fbb.CreateString(name_of(scene.rotation));
  wire::SceneBuilder builder(fbb);
  numbers_of(scene, TableWriter<Scene>{fbb, scene});
  builder.add_name(name);
  builder.add_about(about);
  builder.add_tick_rate(scene.tick_rate);
  if (needs_contact_solver(scene) || scene.substeps != 1) builder.add_substeps(scene.substeps);
  builder.add_spare_bodies(scene.spare_bodies);
  builder.add_spawned_bodies_max(scene.spawned_bodies_max);
  builder.add_commands_per_tick(scene.commands_per_tick);
  builder.add_bodies(bodies);
  builder.add_springs(springs);
  builder.add_tethers(tethers);
  builder.add_sleeping(scene.sleeping);
  builder.add_sleep_events(scene.sleep_events);
  builder.add_shapes(shapes);
  builder.add_scripts(scripts);
  builder.add_command_excess(static_cast<wire::Excess>(scene.command_excess));
  builder.add_joints(joints);
  builder.add_keys(keys);
  builder.add_snapshot_orientation_bits(scene.snapshot_orientation_bits);
  if (scene.integrator != usual.integrator) builder.add_integrator(integrator);
  if (scene.rotation != usual.rotation) builder.add_rotation(rotation);
  wire::FinishSceneBuffer(fbb, builder.Finish());
  out.assign(fbb.GetBufferPointer(), fbb.GetBufferPointer() + fbb.GetSize());
  ORRERY_ASSERT(out.size() <= limits::kSceneBytesMax);
}

}  // namespace orrery::codec
