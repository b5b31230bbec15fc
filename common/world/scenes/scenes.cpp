// Lists the built-in scenes and parses "name" and "name:count".
#include "common/world/scenes/scenes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "common/core/limits.h"
#include "common/core/nearest.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

// The largest count of most scenes; it leaves room for 64 spawned bodies.
constexpr std::uint32_t kCountMax = 1'000'000;
static_assert(kCountMax + 64 <= limits::kBodiesMax);
// The largest number of masses in `springs`. The lattice has at most four springs for each mass.
constexpr std::uint32_t kLatticeMax = 1'000'000;
static_assert(4 * kLatticeMax <= limits::kSpringsMax);

// Each doll has eleven bodies and ten joints.
constexpr std::uint32_t kRagdollsMax = 10'000;
static_assert(11 * kRagdollsMax + 64 <= limits::kBodiesMax);
static_assert(10 * kRagdollsMax <= limits::kJointsMax);

// The largest number of dice or pencils: in layers, they start at most 34 m high.
constexpr std::uint32_t kSmallMax = 10'000;

constexpr std::array kScenes = {
    BuiltInScene{"playground", "a chain, a cloth, a mobile, tops and crates to pull at and throw",
                 0, 0, make_playground},
    BuiltInScene{"solar", "the Sun and the outer planets, ten days a tick", 0, 0, make_solar},
    BuiltInScene{"springs", "N masses on a square lattice of springs, its corners fixed", 400,
                 kLatticeMax, make_springs},
    BuiltInScene{"tumble", "the tennis-racket flip, beside bodies that do not flip", 0, 0,
                 make_tumble},
    BuiltInScene{"lander", "a lunar lander that the first client flies", 0, 0, make_lander},
    BuiltInScene{"free", "N boxes in free flight, the benchmark of the kernel", 1000, kCountMax,
                 make_free},
    BuiltInScene{"tethers", "N boxes on springs, the benchmark of forces", 1000, kCountMax,
                 make_tethers},
    BuiltInScene{"spheres", "N balls dropped into a tray, the benchmark of round contacts", 1000,
                 kCountMax, make_spheres},
    BuiltInScene{"pyramid", "1,240 boxes of 2 m fall into a pyramid, and stand", 0, 0,
                 make_pyramid},
    BuiltInScene{"boxes", "N tumbling boxes dropped into a tray", 500, kCountMax, make_boxes},
    BuiltInScene{"crates", "N crates in stacks of ten, to push over", 40, kCountMax, make_crates},
    BuiltInScene{"bullet", "balls of 20 cm at 500 m/s against walls of 10 cm, and one at crates", 0,
                 0, make_bullet},
    BuiltInScene{"mesh", "N balls, capsules, boxes and hulls roll down into a valley", 100,
                 kCountMax, make_mesh},
    BuiltInScene{"jumble", "N capsules, hulls and compounds dropped into a tray", 200, kCountMax,
                 make_jumble},
    BuiltInScene{"chain", "50 links of 1 m, swinging a hundred times the mass of one", 0, 0,
                 make_chain},
    BuiltInScene{"ragdolls", "N ragdolls dropped on a floor", 10, kRagdollsMax, make_ragdolls},
    BuiltInScene{"cubes", "900 cubes at rest, and one that pushes them and rolls them up", 0, 0,
                 make_cubes},
    BuiltInScene{"domino", "a row of a hundred dominoes, the first one falling", 0, 0, make_domino},
    BuiltInScene{"dice", "N dice of 16 mm fall into a bowl", 60, kSmallMax, make_dice},
    BuiltInScene{"pencils", "N pencils fall into a box", 40, kSmallMax, make_pencils},
    BuiltInScene{"cradle", "Newton's cradle: five balls, the first one falling", 0, 0, make_cradle},
    BuiltInScene{"pinball", "balls on a tilted table, and a rotor that throws them up", 0, 0,
                 make_pinball},
};

constexpr bool has_sound_counts(const BuiltInScene& scene) {
  return (scene.default_count == 0) == (scene.count_max == 0) &&
         scene.default_count <= scene.count_max;
}
static_assert(std::all_of(kScenes.begin(), kScenes.end(), has_sound_counts));

constexpr bool has_its_own_name(const BuiltInScene& scene) {
  return std::count_if(kScenes.begin(), kScenes.end(),
                       [&](const BuiltInScene& other) { return other.name == scene.name; }) == 1;
}
static_assert(std::all_of(kScenes.begin(), kScenes.end(), has_its_own_name));

Error unknown_scene(std::string_view name) {
  std::array<std::string_view, kScenes.size()> names;
  std::transform(kScenes.begin(), kScenes.end(), names.begin(),
                 [](const BuiltInScene& scene) { return scene.name; });
  return Error{"there is no such built-in scene" + suggestion(name, names)};
}

Error wrong_count(const BuiltInScene& scene) {
  const std::string name(scene.name);
  if (scene.default_count == 0) return Error{"the scene " + name + " takes no count"};
  return Error{"the count of " + name + " must be a number from 1 to " +
               std::to_string(scene.count_max) + ", as in " + name + ":" +
               std::to_string(scene.default_count)};
}

void leave_out_unused_shapes(Scene& scene) {
  std::vector<std::uint32_t> number(scene.shapes.size(), physics::kNoShape);
  for (const BodyDef& body : scene.bodies) {
    if (body.shape != physics::kNoShape) number[body.shape] = body.shape;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < number.size(); ++i) {
    if (number[i] == physics::kNoShape) continue;
    if (kept != i) scene.shapes[kept] = std::move(scene.shapes[i]);
    number[i] = kept++;
  }
  scene.shapes.resize(kept);
  for (BodyDef& body : scene.bodies) {
    if (body.shape != physics::kNoShape) body.shape = number[body.shape];
  }
}

// Removes items without effect, such as unused shapes, which a scene with a small count can
// contain. A scene file that contains one is rejected (host/text/scene_meaning.h), and every
// built-in scene must be writable to a file.
void remove_unused_items(Scene& scene) {
  for (BodyDef& body : scene.bodies) {
    if (body.kind == BodyKind::anchor) body.velocity = {};
  }
  std::erase_if(scene.springs, [&](const SpringDef& spring) {
    return !is_dynamic(scene.bodies[spring.a].kind) && !is_dynamic(scene.bodies[spring.b].kind);
  });
  leave_out_unused_shapes(scene);
}

Result<Scene> make(const BuiltInScene& built_in, std::uint32_t count) {
  ORRERY_ASSERT(count <= built_in.count_max && (count > 0 || built_in.count_max == 0));
  Scene scene = built_in.make(count);
  remove_unused_items(scene);
  scene.about = built_in.about;
  ORRERY_ASSERT(scene.name == built_in.name);
  ORRERY_ASSERT(validate(scene).ok());
  return scene;
}

}  // namespace

std::span<const BuiltInScene> built_in_scenes() { return kScenes; }

Result<Scene> built_in_scene(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  for (const BuiltInScene& scene : kScenes) {
    if (scene.name != name) continue;
    if (colon == std::string_view::npos) return make(scene, scene.default_count);
    const std::string_view digits = spec.substr(colon + 1);
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    if (!whole || count < 1 || count > scene.count_max) return wrong_count(scene);
    return make(scene, count);
  }
  return unknown_scene(name);
}

}  // namespace orrery
