// Tests scenes as JSON: the text and line of errors, vectors by name, and bodies by name.
#include "common/host/text/scene_json.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery {
namespace {

constexpr const char* kScene = R"({
  "name": "{\"bodies\": [\n",
  // "gravity": a comment
  gravity: [0,
    -1, 0],
  "bodies": [
    {"id": 1, "position": [1, 2, 3]},
    /* two
       lines */
    {"id": 0,
     'mass': 3}
  ],
  "springs": [{}, {"b": 1,
     "stiffness": 2}],
  "shapes": [{"parts": [
    {"radius": 0},
    {"kind": "box",
     "half_extents": [1, 1, 0]}]}]
})";

// Returns the line that with_line() puts before the message.
std::string line_of(const std::string& text, const std::string& message) {
  const std::string found = host::with_line(text, message);
  EXPECT_TRUE(found.ends_with(message)) << found;
  return found.substr(0, found.size() - message.size());
}

TEST(SceneJson, FindsKeysOfTheScene) {
  EXPECT_EQ(line_of(kScene, "name must be short"), "line 2: ");
  EXPECT_EQ(line_of(kScene, "gravity must be finite"), "line 4: ");
  EXPECT_EQ(line_of(kScene, "gravity: unknown"), "line 4: ");
  EXPECT_EQ(line_of(kScene, "softening must be finite"), "");
}

TEST(SceneJson, FindsItemsByPlaceAndBodiesById) {
  EXPECT_EQ(line_of(kScene, "body 1: position must be finite"), "line 7: ");
  EXPECT_EQ(line_of(kScene, "body 0: mass must be positive"), "line 11: ");
  EXPECT_EQ(line_of(kScene, "body 0: velocity must be finite"), "line 10: ");
  EXPECT_EQ(line_of(kScene, "bodies[1]: id 0 is taken"), "line 10: ");
  EXPECT_EQ(line_of(kScene, "spring 1: stiffness must be positive"), "line 14: ");
  EXPECT_EQ(line_of(kScene, "spring 1: b: there is no body 9"), "line 13: ");
  // There is no spring 7, so the message names the line of the list of springs.
  EXPECT_EQ(line_of(kScene, "spring 7: b: there is no body 9"), "line 13: ");
  EXPECT_EQ(line_of(kScene, "tether 0: rest_length"), "");
  EXPECT_EQ(line_of(kScene, "shape 0: part 0: radius must be positive"), "line 16: ");
  EXPECT_EQ(line_of(kScene, "shape 0: part 1: half_extents must be positive"), "line 18: ");
}

TEST(SceneJson, SaysTheLineTheKeyAndWhatWouldBeRight) {
  const struct {
    std::string text, problem;
  } cases[] = {
      {"{\n\"gravty\": 1}", "line 2: unknown key \"gravty\"; did you mean gravity?"},
      {"{\"bodies\": [{\"mas\": 1}]}",
       "line 1: unknown key \"mas\" of bodies[0]; did you mean mass?"},
      {"{\"springs\": [{\"colour\": 1}]}",
       "line 1: unknown key \"colour\" of springs[0]; there are a, b, at_a, at_b, stiffness, "
       "damping, "
       "rest_length"},
      {"{\"bodies\": [{},\n{\"mass\": \"heavy\"\n}]}",
       "line 2: bodies[1].mass must be a number, not \"heavy\""},
      {"{\"bodies\": [{\"mass\": \"3\"}]}", "line 1: bodies[0].mass must be a number, not \"3\""},
      {"{\"bodies\": [{\"mass\": sin(1)}]}", "line 1: bodies[0].mass must be a number, not sin(1)"},
      {"{\"bodies\": [{\"mass\": 0x10}]}", "line 1: bodies[0].mass must be a number, not 0x10"},
      {"{\"bodies\": [{\"mass\": null}]}", "line 1: bodies[0].mass must be a number, not null"},
      {"{\"bodies\": [{\"mass\": 1, \"mass\": 2}]}", "line 1: bodies[0].mass is given twice"},
      {"{\"bodies\": [{\"mass\" 1}]}", "line 1: expected ':' behind bodies[0].mass, not 1"},
      {"{\"bodies\": [{\"kind\": \"ankor\"}]}",
       "line 1: bodies[0].kind must be rigid, point, anchor or kinematic, not \"ankor\"; did you "
       "mean anchor?"},
      {"{\"bodies\": [{\"kind\": 2}]}",
       "line 1: bodies[0].kind must be rigid, point, anchor or kinematic, not 2"},
      {"{\"bodies\": [{\"position\": [1, 2]}]}",
       "line 1: bodies[0].position must be [x, y, z], all of them numbers"},
      {"{\"bodies\": [{\"orientation\": [1, 2, 3, 4, 5]}]}",
       "line 1: bodies[0].orientation must be [x, y, z, w], all of them numbers"},
      {"{\"gravity\": {\"x\": 0, \"z\": 1, \"x\": 2}}",
       "line 1: gravity must be [x, y, z], all of them numbers"},
      {"{\"tick_rate\": 60.5}",
       "line 1: tick_rate must be a whole number from 0 to 4294967295, not 60.5"},
      {"{\"bodies\": [{\"shape\": -1}]}",
       "line 1: bodies[0].shape must be the place of a shape in the list shapes, a whole number "
       "from 0, not -1"},
      {"{\"sleeping\": 1}", "line 1: sleeping must be true or false, not 1"},
      {"{\"name\": a}", "line 1: name must be text in quotes, not a"},
      {"{\"name\": \"a\n}", "line 1: name must end in this line, with the quote it begins with"},
      {"{\"name\": \"\\q\"}", "line 1: unknown escape code in string constant"},
      {"{\"shapes\": [{\"parts\": [{\"heights\": [0,\n\"1\"]}]}]}",
       "line 2: shapes[0].parts[0].heights[1] must be a number, not \"1\""},
      {"{\"bodies\": {}}", "line 1: bodies must be a list, [...], not {"},
      {"{\"bodies\": [[]]}", "line 1: bodies[0] must be {...}, not ["},
      {"{\"bodies\": [{}\n{}]}", "line 2: expected ',' or ']', not {"},
      {"{\"bodies\": [{}]", "line 1: expected ',' or '}', not the end of the text"},
      {"{} {}", "line 1: nothing may follow the scene; there is {"},
      {"", "line 1: a scene must be {...}, not the end of the text"},
  };
  for (const auto& [text, problem] : cases) {
    const auto binary = host::binary_of_json(text);
    ASSERT_FALSE(binary) << text;
    EXPECT_EQ(binary.error().message, problem) << text;
  }
}

TEST(SceneJson, TakesVectorsByName) {
  EXPECT_TRUE(host::binary_of_json("{\"gravity\": {\"z\": 3, y: 2, 'x': 1}}"));
  EXPECT_EQ(host::binary_of_json("{\"gravity\": {\"z\": 3, y: 2, 'x': 1,},}").value(),
            host::binary_of_json("{\"gravity\": [1, 2, 3]}").value());
}

// Returns a scene with this reference in joints[1] in place of a body's id.
std::string with_reference(const std::string& reference) {
  return R"({
  "joints": [{"a": "bob", "b": 'hook'}, {"b": 0,
    "a": )" +
         reference + R"(}],
  "bodies": [{"name": "hook", "id": 2}, {'name': "bob",
    "id": 0}, {"id": 1}, {"name": "twin", "id": 3}, {"name": "twin", "id": 4}]
})";
}

TEST(SceneJson, TakesTheNameOfABodyForItsId) {
  const std::string scene = R"({"bodies": [{"name": "a"}, {"id": 2, "name": "it's \"b\""},
      {"name": "c", "id": 1}],
    "springs": [{"a": #1, "b": #2}], "tethers": [{"body": #2}], "scripts": [{"body": #1}],
    "joints": [{"b": #1}]})";
  const auto with = [&](const std::string& one, const std::string& two) {
    std::string text = scene;
    for (const auto& [place, id] : {std::pair{std::string("#1"), one}, {std::string("#2"), two}}) {
      for (auto at = text.find(place); at != text.npos; at = text.find(place)) {
        text.replace(at, place.size(), id);
      }
    }
    return host::binary_of_json(text);
  };
  ASSERT_TRUE(with("\"c\"", "\"it's \\\"b\\\"\"")) << with("\"c\"", "2").error().message;
  EXPECT_EQ(with("\"c\"", "\"it's \\\"b\\\"\"").value(), with("1", "2").value());
  EXPECT_EQ(with("'a'", "'c'").value(), with("0", "1").value());
}

TEST(SceneJson, SaysWhichBodyIsMeant) {
  const struct {
    std::string reference, problem;
  } cases[] = {
      {"\"bop\"", "line 3: joints[1].a: there is no body \"bop\"; did you mean bob?"},
      {"\"window\"",
       "line 3: joints[1].a: there is no body \"window\"; it must be the \"name\" of a body, or an "
       "id"},
      {"\"0\"",
       "line 3: joints[1].a: there is no body \"0\"; it must be the \"name\" of a body, or an id"},
      {"\"\"",
       "line 3: joints[1].a: there is no body \"\"; it must be the \"name\" of a body, or an id"},
      {"\"twin\"",
       "line 3: joints[1].a: bodies 3 and 4 are both named \"twin\"; it must be an id here, 3 or "
       "4"},
      {"1.5", "line 3: joints[1].a must be the id of a body, or its name in quotes, not 1.5"},
      {"bob", "line 3: joints[1].a must be the id of a body, or its name in quotes, not bob"},
      {"[1]", "line 3: joints[1].a must be the id of a body, or its name in quotes, not ["},
      {"\"bob\n", "line 3: joints[1].a must end in this line, with the quote it begins with"},
  };
  EXPECT_TRUE(host::binary_of_json(with_reference("\"bob\"")));
  for (const auto& [reference, problem] : cases) {
    const auto binary = host::binary_of_json(with_reference(reference));
    ASSERT_FALSE(binary) << reference;
    EXPECT_EQ(binary.error().message, problem);
  }
  std::string escapes(100002, '\x1b');
  escapes.front() = escapes.back() = '"';
  const auto hostile = host::binary_of_json(with_reference(escapes));
  ASSERT_FALSE(hostile);
  EXPECT_LT(hostile.error().message.size(), 400u);
}

TEST(SceneJson, EndsOnAnyText) {
  const std::string scene = kScene;
  EXPECT_TRUE(host::binary_of_json(scene));
  for (std::size_t size = 0; size < scene.size(); ++size) {
    EXPECT_FALSE(host::binary_of_json(scene.substr(0, size)));
    host::with_line(scene.substr(0, size), "body 0: mass");
    host::with_line(scene.substr(size), "bodies[");
  }
  EXPECT_EQ(host::with_line("", "a"), "a");
  EXPECT_EQ(host::with_line("/*", "a"), "a");
}

}  // namespace
}  // namespace orrery
