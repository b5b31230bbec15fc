// Tests the list of built-in scenes, and their names and counts.
#include "common/world/scenes/scenes.h"

#include <gtest/gtest.h>

#include <string>

#include "common/world/step.h"
#include "tests/support/energy.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

TEST(Scenes, EachIsSoundAndSaysWhatItIs) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    const Result<Scene> scene = built_in_scene(built_in.name);
    ASSERT_TRUE(scene.ok()) << built_in.name;
    EXPECT_TRUE(validate(scene.value()).ok()) << built_in.name;
    EXPECT_EQ(scene.value().name, built_in.name);
    EXPECT_EQ(scene.value().about, built_in.about);
    EXPECT_EQ(built_in.about.find('\n'), std::string_view::npos);
    EXPECT_LT(built_in.about.size(), 80u) << built_in.name;
  }
  EXPECT_EQ(built_in_scenes().front().name, "playground");
}

TEST(Scenes, CountsAreTaken) {
  for (const std::uint32_t count : {1u, 2u, 3u, 4u, 5u, 10u, 64u, 65u, 1000u}) {
    for (const char* name : {"free", "tethers", "springs"}) {
      const std::string spec = std::string(name) + ":" + std::to_string(count);
      EXPECT_EQ(built_in_scene(spec).value().bodies.size(), count) << spec;
    }
  }
}

TEST(ContactScenes, CountsAreTaken) {
  for (const std::uint32_t count : {1u, 2u, 9u, 10u, 11u, 289u, 290u, 1000u}) {
    for (const char* name : {"spheres", "boxes", "crates", "mesh", "jumble"}) {
      const Scene scene = built_in_scene(std::string(name) + ":" + std::to_string(count)).value();
      const auto moving = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                        [](auto& body) { return body.kind != BodyKind::anchor; });
      EXPECT_EQ(moving, count) << name;
    }
  }
}

TEST(Scenes, AWrongNameOrCountSaysWhatWouldBeRight) {
  for (const char* spec : {"", ":", "nope", "nope:3", "\x1b[31m"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().text().find("; there are playground, solar, springs, "),
              std::string::npos);
  }
  for (const char* spec : {"Free", "free ", "fre:3"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().text().find("; did you mean free?"), std::string::npos) << spec;
  }
  for (const char* spec :
       {"free:", "free:0", "free:-1", "free:+1", "free: 1", "free:1x", "free:1:2", "free:1000001",
        "free:1000000000", "free:99999999999999999999"}) {
    const Result<Scene> scene = built_in_scene(spec);
    ASSERT_FALSE(scene.ok()) << spec;
    EXPECT_NE(scene.error().text().find("from 1 to 1000000"), std::string::npos) << spec;
  }
  EXPECT_EQ(built_in_scene("solar:3").error().text(), "the scene solar takes no count");
}

}  // namespace
}  // namespace orrery
