// Tests scene files: accepted forms, and the line in each error.
#include "common/host/text/scene_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "common/core/limits.h"
#include "common/host/disk/file.h"
#include "tests/support/session.h"
#include "tests/support/source_path.h"
#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

// A test with a folder that is removed afterwards.
class SceneFile : public testing::Test {
 protected:
  SceneFile() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~SceneFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // Returns the error message for this JSON, without the path in front; empty if it is accepted.
  std::string problem(const std::string& text) const {
    const std::string file = write("scene.json", text);
    const Result<Scene> scene = host::load_scene(file);
    if (scene) return "";
    const std::string shown = scene.error().text();
    EXPECT_EQ(scene.error().place.source, file) << shown;
    EXPECT_LT(shown.size(), file.size() + 600);  // the longest lists the fields of a scene
    for (const char c : shown) EXPECT_TRUE(c >= 0x20 && c <= 0x7e) << shown;
    return test::line_and_message(scene.error());
  }

  std::filesystem::path folder_;
};

TEST_F(SceneFile, ReadsBuiltInScenes) {
  EXPECT_EQ(host::load_scene("springs:100").value().bodies.size(), 100u);
  EXPECT_EQ(host::load_scene("nothing").error().text().rfind("nothing: ", 0), 0u);
  EXPECT_FALSE(host::load_scene("springs:1000000000000"));
  EXPECT_FALSE(host::load_scene(""));
}

// The extensions of JSON in schema/scenes.md are read; similar ones are not.
TEST_F(SceneFile, ReadsWhatPeopleWriteBeyondJson) {
  const char* const same[] = {
      R"({"name": "a", "bodies": [{"position": [1, 2, 3]}]})",
      R"({"name": "a", "bodies": [{"position": [1, 2, 3],},],})",
      R"({name: "a", bodies: [{position: [1, 2, 3]}]})",
      R"({'name': 'a', 'bodies': [{'position': [1, 2, 3]}]})",
      "// one\n{\"name\": \"a\", \"bodies\": [/* it */ {\"position\": // here\n [1, 2, 3]}]}",
  };
  for (const char* text : same) {
    const Result<Scene> scene = host::load_scene(write("scene.json", text));
    ASSERT_TRUE(scene) << text << ": " << scene.error().text();
    ASSERT_EQ(scene.value().bodies.size(), 1u) << text;
    EXPECT_EQ(scene.value().name, "a") << text;
    EXPECT_EQ(scene.value().bodies[0].position, (Vec3{1, 2, 3})) << text;
  }
  EXPECT_NE(problem(R"({"bodies": [{},,{}]})"), "");
  EXPECT_NE(problem(R"({"bodies": [{} {}]})"), "");
  EXPECT_NE(problem(R"({"bodies": [{"position": [1, 2]}]})"), "");
  EXPECT_NE(problem(R"({"bodies": [{"mass": 0x10}]})"), "");
  EXPECT_NE(problem(R"({"bodies": [{"mass": 1, "mass": 2}]})"), "");
  EXPECT_NE(problem(R"({"bodies": [{}]} {})"), "");
}

TEST_F(SceneFile, ReadsJsonWithDefaultsAndVectorsBothWays) {
  const Result<Scene> read = host::load_scene(write("a.json", R"({
    "name": "pair", "gravity": {"x": 0, "y": -9.81, "z": 0},
    "bodies": [
      {"kind": "anchor"},
      {"position": [1, 0, 0], "mass": 3, "half_extents": [1, 2, 3]}
    ],
    "springs": [{"a": 0, "b": 1, "stiffness": 50, "rest_length": 1}]
  })"));
  ASSERT_TRUE(read) << read.error().text();
  const Scene& scene = read.value();
  EXPECT_EQ(scene.name, "pair");
  EXPECT_EQ(scene.gravity, (Vec3{0, -9.81, 0}));
  EXPECT_EQ(scene.tick_rate, 60u);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::anchor);
  EXPECT_EQ(scene.bodies[1].position, (Vec3{1, 0, 0}));
  // The inertia of a solid box about an axis is m (b^2 + c^2) / 3. b and c are its half lengths
  // along the two other axes.
  EXPECT_EQ(scene.bodies[1].inertia, (Vec3{13, 10, 5}));
  EXPECT_EQ(scene.springs[0].b, 1u);
}

TEST_F(SceneFile, ReadsTheLimitsOfCommands) {
  const Scene usual = host::load_scene(write("a.json", R"({"bodies": [{}]})")).value();
  EXPECT_EQ(usual.command_limits.acceleration_max, 1000);
  EXPECT_EQ(usual.command_limits.angular_acceleration_max, 1000);
  EXPECT_EQ(usual.command_limits.speed_max, 200);
  EXPECT_EQ(usual.command_limits.spin_max, 100);
  EXPECT_EQ(usual.command_excess, Excess::clamp);
  EXPECT_EQ(usual.commands_per_tick, 1u);
  const Result<Scene> read = host::load_scene(write("b.json", R"({
    "command_acceleration_max": 30, "command_angular_acceleration_max": 40.5,
    "command_speed_max": 0, "command_spin_max": 1e6, "command_excess": "refuse",
    "commands_per_tick": 16, "bodies": [{}]
  })"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read.value().command_limits.acceleration_max, 30);
  EXPECT_EQ(read.value().command_limits.angular_acceleration_max, 40.5);
  EXPECT_EQ(read.value().command_limits.speed_max, 0);
  EXPECT_EQ(read.value().command_limits.spin_max, 1e6);
  EXPECT_EQ(read.value().command_excess, Excess::refuse);
  EXPECT_EQ(read.value().commands_per_tick, 16u);
  EXPECT_EQ(problem("{\"bodies\": [{}],\n\"command_spin_max\": -1}"),
            "line 2: command_spin_max must be from 0 to 1e6");
  EXPECT_EQ(problem("{\"bodies\": [{}],\n\"command_speed_max\": inf}"),
            "line 2: command_speed_max must be from 0 to 1e9");
  EXPECT_NE(problem("{\"bodies\": [{}], \"command_excess\": \"ignore\"}"), "");
  for (const std::string rate : {"0", "17"}) {
    EXPECT_EQ(problem("{\"bodies\": [{}],\n\"commands_per_tick\": " + rate + "}"),
              "line 2: commands_per_tick must be from 1 to 16");
  }
}

TEST_F(SceneFile, BodiesWithAShapeGetTheirMassAndStepsFromIt) {
  const Result<Scene> read = host::load_scene(write("a.json", R"({
    "shapes": [
      {"parts": [{"kind": "box", "half_extents": [1, 2, 3], "density": 10, "friction": 0.25}]},
      {"parts": [{"position": [-1, 0, 0], "radius": 1}, {"position": [1, 0, 0], "radius": 1}]},
      {"parts": [{"kind": "plane"}]}
    ],
    "bodies": [{"shape": 0}, {"shape": 0, "mass": 240}, {"shape": 1, "inertia": [1, 2, 3]}, {},
               {"kind": "anchor", "shape": 2}]
  })"));
  ASSERT_TRUE(read) << read.error().text();
  const Scene& scene = read.value();
  EXPECT_EQ(scene.substeps, 4u);
  EXPECT_EQ(scene.integrator, Integrator::semi_implicit_euler);
  EXPECT_EQ(scene.shapes[0].parts[0].material.friction, 0.25);
  // The volume is 48 cubic metres. The inertia about an axis is m (b^2 + c^2) / 3, with the half
  // lengths b and c along the two other axes.
  EXPECT_EQ(scene.bodies[0].mass, 480);
  EXPECT_EQ(scene.bodies[0].inertia, (Vec3{2080, 1600, 800}));
  EXPECT_EQ(scene.bodies[0].half_extents, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.bodies[1].mass, 240);
  EXPECT_EQ(scene.bodies[1].inertia, (Vec3{1040, 800, 400}));
  EXPECT_NEAR(scene.bodies[2].mass, 1000 * 2 * 4.0 / 3 * 3.14159265358979, 1e-8);
  EXPECT_EQ(scene.bodies[2].inertia, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.bodies[2].half_extents, (Vec3{2, 1, 1}));
  EXPECT_EQ(scene.bodies[3].mass, 1);
  EXPECT_EQ(scene.bodies[3].shape, physics::kNoShape);
  EXPECT_EQ(scene.bodies[4].shape, 2u);
}

TEST_F(SceneFile, SaysWhatIsWrongWithShapes) {
  EXPECT_EQ(problem("{\"shapes\": [\n{\"parts\": [{\"radius\": 0}]}], \"bodies\": [{}]}"),
            "line 2: shape 0: part 0: radius must be from 1e-6 to 1e9");
  EXPECT_EQ(problem("{\"shapes\": [{}], \"bodies\": [{}]}"),
            "line 1: shape 0: a shape must have 1 to 1024 parts");
  EXPECT_EQ(problem("{\"bodies\": [{},\n{\"shape\": 3}]}"),
            "line 2: body 1: shape: there is no shape 3; the scene has 0");
  EXPECT_EQ(problem("{\"shapes\": [{\"parts\": [{\"kind\": \"plane\"}]}],\n"
                    "\"bodies\": [{\"shape\": 0}]}"),
            "line 2: body 0: shape: it has a plane, height_field or mesh, which only anchors may "
            "have");
  EXPECT_EQ(problem("{\"shapes\": [{\"parts\": [{}]}], \"bodies\": [{}],\n"
                    "\"integrator\": \"leapfrog-dkd\"}"),
            "line 2: integrator must be semi-implicit-euler in a scene with shapes, joints or "
            "kinematic bodies");
  EXPECT_EQ(problem("{\"shapes\": [{\"parts\": [{}]}], \"bodies\": [{}],\n"
                    "\"rotation\": \"momentum\"}"),
            "line 2: rotation must be cayley in a scene with shapes, joints or kinematic bodies");
}

TEST_F(SceneFile, SaysWhatIsWrongWithJoints) {
  EXPECT_EQ(problem("{\"bodies\": [{}],\n\"joints\": [{\"b\": 1}]}"),
            "line 2: joint 0: b: there is no body 1; ids are 0 to 0");
  EXPECT_EQ(problem("{\"bodies\": [{}, {}], \"joints\": [{},\n{\"b\": 1, \"axis\": [0, 0, 0]}]}"),
            "line 1: joint 0: a and b must be two bodies");
  EXPECT_EQ(
      problem("{\"bodies\": [{\"kind\": \"anchor\"}, {\"kind\": \"kinematic\"}],\n"
              "\"joints\": [{\"b\": 1}]}"),
      "line 2: joint 0: one of a and b must be rigid or a point: nothing can push the others");
  EXPECT_NE(problem("{\"bodies\": [{}], \"joints\": [{\"kind\": \"glue\"}]}"), "");
}

// Returns the scene of schema/scenes.md with this name.
std::string scene_of_the_guide(const std::string& name) {
  std::ifstream guide(test::source_path("schema/scenes.md"));
  const std::string text(std::istreambuf_iterator<char>(guide), {});
  const std::size_t begin = text.rfind("```json\n", text.find("\"name\": \"" + name + '"')) + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

// The crate of the guide, unchanged, comes to rest on the ground.
TEST_F(SceneFile, TheCrateOfTheGuideComesToRest) {
  const Result<Scene> scene = host::load_scene(write("crate.json", scene_of_the_guide("crate")));
  ASSERT_TRUE(scene) << scene.error().text();
  World world(scene.value());
  SerialExecutor serial;
  for (int i = 0; i < 300; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(1).y, 0.5, 0.001);
  EXPECT_NEAR(length(world.bodies().velocity(1)), 0, 1e-6);
}

// After ten seconds, the lift of the guide is 5 m up with its load. The motor of the crane holds
// the rod at its stop.
TEST_F(SceneFile, TheJointsOfTheGuideMoveAsItSays) {
  const Result<Scene> scene =
      host::load_scene(write("lift.json", scene_of_the_guide("lift-and-crane")));
  ASSERT_TRUE(scene) << scene.error().text();
  World world(scene.value());
  SerialExecutor serial;
  for (int i = 0; i < 600; ++i) step(world, {}, serial);
  EXPECT_NEAR(world.bodies().position(0).y, 5, 1e-9);
  EXPECT_NEAR(world.bodies().position(1).y, 5.3, 0.005);
  EXPECT_NEAR(world.bodies().position(2).x, 0.5 * std::cos(1), 0.01);
  EXPECT_NEAR(world.bodies().position(2).y, 6.5 + 0.5 * std::sin(1), 0.01);
}

// Puts values that are no numbers into each field: nan and inf by name, a number out of range, a
// text, null, and nothing.
TEST_F(SceneFile, RefusesWhatIsNoNumberInEveryFieldOfAShape) {
  const char* const fields[] = {
      R"("position": [%, 0, 0])",
      R"("orientation": [0, 0, 0, %])",
      R"("density": %)",
      R"("half_extents": [1, %, 1])",
      R"("radius": %)",
      R"("half_length": %)",
      R"("points": [[0, %, 0]])",
      R"("triangles": [0, %, 0])",
      R"("heights": [0, %, 1])",
      R"("columns": %)",
      R"("spacing": %)",
      R"("friction": %)",
      R"("restitution": %)",
      R"("rolling_resistance": %)",
      R"("category": %)",
      R"("mask": %)",
      R"("group": %)",
      R"("sensor": %)",
  };
  for (const char* field : fields) {
    for (const char* wrong : {"nan", "inf", "-inf", "1e999", "\"nan\"", "null", ""}) {
      std::string part = field;
      part.replace(part.find('%'), 1, wrong);
      EXPECT_NE(problem("{\"shapes\": [{\"parts\": [{" + part + "}]}], \"bodies\": [{}]}"), "")
          << part;
    }
  }
}

TEST_F(SceneFile, PutsBodiesAtTheirIds) {
  const Result<Scene> read = host::load_scene(write("a.json", R"({"bodies": [
    {"id": 2, "mass": 7}, {"id": 0, "mass": 5}, {"id": 1, "mass": 6}]})"));
  ASSERT_TRUE(read) << read.error().text();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(read.value().bodies[static_cast<std::size_t>(i)].mass, 5 + i);
}

TEST_F(SceneFile, ReadsTheBinaryForm) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(test::any_scene(4), bytes);
  const std::string file = write("scene.bin", std::string(bytes.begin(), bytes.end()));
  EXPECT_EQ(host::load_scene(file).value().name, "scene-4");
  write("scene.bin", std::string(bytes.begin(), bytes.end() - 20));
  EXPECT_FALSE(host::load_scene(file));
}

TEST_F(SceneFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem("{\n\n  \"gravty\": 1}"),
            "line 3: unknown key \"gravty\"; did you mean gravity?");
  EXPECT_EQ(problem("{\n\"bodies\": [{\n\"mas\": 1}]}"),
            "line 3: unknown key \"mas\" of bodies[0]; did you mean mass?");
  EXPECT_EQ(problem("{\"bodies\": [{},\n {\n\"mass\": -2}]}"),
            "line 3: body 1: mass must be from 1e-12 to 1e15");
  EXPECT_EQ(problem("{\"bodies\": [{\"id\": 1}, {\n\"id\": 0, \"mass\": nan}]}"),
            "line 2: body 0: mass must be from 1e-12 to 1e15");
  EXPECT_EQ(problem("{\"bodies\": [{}],\n\"gravity\": [0, inf, 0]}"),
            "line 2: gravity must be finite, at most 1e9");
  EXPECT_EQ(problem("{\"bodies\": [{\"id\": 0},\n {\"id\": 0}]}"),
            "line 2: bodies[1]: id 0 is already used by another body; give each id once, 0 to 1");
  EXPECT_EQ(problem("{\"bodies\": [{\"id\": 5}]}"),
            "line 1: bodies[0]: id 5 is too high; the ids of 1 bodies are 0 to 0");
  EXPECT_EQ(problem("{\"bodies\": [{}, {}],\n\"springs\": [\n{\"a\": 0,\n\"b\": 9}]}"),
            "line 4: spring 0: b: there is no body 9; ids are 0 to 1");
  EXPECT_EQ(problem("{\"bodies\": [{}],\n\"spare_bodies\": 4000000000}"),
            "line 1: bodies and spare_bodies together must be at most 1048576");
  EXPECT_EQ(problem(""), "line 1: expected a value, not the end of the text");
}

TEST_F(SceneFile, RefusesEveryNumberThatIsNotFinite) {
  for (const char* number :
       {"nan", "-nan", "inf", "-inf", "infinity", "NaN", "Infinity", "1e999"}) {
    for (const char* key : {"mass", "gravity_scale", "linear_drag", "quadratic_drag"}) {
      const std::string text = std::string("{\"bodies\": [{\"") + key + "\": " + number + "}]}";
      EXPECT_NE(problem(text), "") << text;
    }
    for (const char* key : {"position", "velocity", "angular_velocity", "inertia", "orientation"}) {
      const std::string rest = std::string(key) == "orientation" ? ", 0, 0, 1]}]}" : ", 1, 1]}]}";
      const std::string text = std::string("{\"bodies\": [{\"") + key + "\": [" + number + rest;
      EXPECT_NE(problem(text), "") << text;
    }
  }
}

TEST_F(SceneFile, DeepNestingIsBounded) {
  for (const char* open :
       {"[", "{\"a\":", "{\"bodies\":[", "{\"bodies\":[{\"mass\":sin(", "(", "\""}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += open;
    EXPECT_NE(problem(text), "") << open;
  }
  std::string calls = "{\"bodies\":[{\"mass\":";
  for (int i = 0; i < 200000; ++i) calls += "sin(";
  EXPECT_NE(problem(calls), "");
}

TEST_F(SceneFile, OnlyASceneIsRead) {
  EXPECT_NE(problem("include \"/etc/passwd\"; table X {}"), "");
  EXPECT_NE(problem("{\"bodies\": [{}]} {}"), "");
  EXPECT_NE(problem(std::string("{\"bodies\": [{}]}\0{}", 20)), "");
  EXPECT_NE(problem("{\"\x1b[31m\": 1}"), "");
  EXPECT_NE(problem("{\"name\": \"\\u001b[31m\", \"bodies\": [{}]}"), "");
  EXPECT_NE(problem("{\"bodies\": []}"), "");
  EXPECT_NE(problem("[]"), "");
}

TEST_F(SceneFile, RefusesWhatIsNoFile) {
  EXPECT_NE(host::load_scene(path("none.json")).error().text().find("No such file"),
            std::string::npos);
  EXPECT_NE(host::load_scene(folder_.string()).error().text().find("is a directory"),
            std::string::npos);
  const std::string large = path("large.json");
  std::ofstream(large) << "{";
  std::filesystem::resize_file(large, limits::kSceneTextBytesMax + 1);
  EXPECT_NE(host::load_scene(large).error().text().find("too large"), std::string::npos);
}

}  // namespace
}  // namespace orrery
