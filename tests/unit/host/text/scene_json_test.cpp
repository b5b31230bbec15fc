// Tests scenes as JSON: the text and line of errors, vectors by name, and bodies by name.
#include "common/host/text/scene_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>

#include "tests/unit/host/text/scene_text.h"

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

// Returns the place of an error about this key: its line, column and path, as "4:3 gravity".
std::string place_of(const std::string& text, const std::string& key) {
  const Result<json::Document> document = json::Document::read(text);
  if (!document) return "not JSON: " + document.error().text();
  const Error error =
      host::located(document.value(), {"it is wrong", ErrorCode::invalid, {.key = key}});
  EXPECT_EQ(error.message, "it is wrong");
  const Place& place = error.place;
  return std::to_string(place.line) + ':' + std::to_string(place.column) + ' ' + place.key;
}

TEST(SceneJson, FindsKeysOfTheScene) {
  EXPECT_EQ(place_of(kScene, "name"), "2:3 name");
  EXPECT_EQ(place_of(kScene, "gravity"), "4:3 gravity");
  EXPECT_EQ(place_of(kScene, "softening"), "1:1 ");
  EXPECT_EQ(place_of(kScene, ""), "0:0 ");
}

TEST(SceneJson, FindsItemsByPlaceAndBodiesById) {
  EXPECT_EQ(place_of(kScene, "body[1].position"), "7:15 bodies[0].position");
  EXPECT_EQ(place_of(kScene, "body[0].mass"), "11:6 bodies[1].mass");
  EXPECT_EQ(place_of(kScene, "body[0].velocity"), "10:5 bodies[1]");
  EXPECT_EQ(place_of(kScene, "bodies[1].id"), "10:6 bodies[1].id");
  EXPECT_EQ(place_of(kScene, "spring[1].stiffness"), "14:6 springs[1].stiffness");
  EXPECT_EQ(place_of(kScene, "spring[1].b"), "13:20 springs[1].b");
  // There is no spring 7, so the place is the list of springs.
  EXPECT_EQ(place_of(kScene, "spring[7].b"), "13:3 springs");
  EXPECT_EQ(place_of(kScene, "tether[0].rest_length"), "1:1 ");
  EXPECT_EQ(place_of(kScene, "shape[0].part[0].radius"), "16:6 shapes[0].parts[0].radius");
  EXPECT_EQ(place_of(kScene, "shape[0].part[1].half_extents"),
            "18:6 shapes[0].parts[1].half_extents");
  for (const char* hostile :
       {"body[", "body[x]", "[", "..", "body[99999999999].mass", "shape[0]."}) {
    place_of(kScene, hostile);
  }
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
      {"{\"bodies\": [{\"mass\" 1}]}", "line 1: expected ':' after the key, not 1"},
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
      {"{\"name\": \"a\n}",
       "line 1: expected the closing quote in this line, not the end of the line"},
      {"{\"name\": \"\\q\"}",
       "line 1: expected an escape of JSON, such as \\n, \\\\ or \\u0041, not q"},
      {"{\"shapes\": [{\"parts\": [{\"heights\": [0,\n\"1\"]}]}]}",
       "line 2: shapes[0].parts[0].heights[1] must be a number, not \"1\""},
      {"{\"bodies\": {}}", "line 1: bodies must be a list, [...], not {"},
      {"{\"bodies\": [[]]}", "line 1: bodies[0] must be {...}, not ["},
      {"{\"bodies\": [{}\n{}]}", "line 2: expected ',' or ']', not {"},
      {"{\"bodies\": [{}]", "line 1: expected ',' or '}', not the end of the text"},
      {"{} {}", "line 1: expected nothing after the value, not {"},
      {"", "line 1: expected a value, not the end of the text"},
  };
  for (const auto& [text, problem] : cases) {
    const auto binary = test::binary_of(text);
    ASSERT_FALSE(binary) << text;
    EXPECT_EQ(test::line_and_message(binary.error()), problem) << text;
  }
}

TEST(SceneJson, TakesVectorsByName) {
  EXPECT_TRUE(test::binary_of("{\"gravity\": {\"z\": 3, y: 2, 'x': 1}}"));
  EXPECT_EQ(test::binary_of("{\"gravity\": {\"z\": 3, y: 2, 'x': 1,},}").value(),
            test::binary_of("{\"gravity\": [1, 2, 3]}").value());
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
    return test::binary_of(text);
  };
  ASSERT_TRUE(with("\"c\"", "\"it's \\\"b\\\"\"")) << with("\"c\"", "2").error().text();
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
      {"\"bob\n", "line 3: expected the closing quote in this line, not the end of the line"},
  };
  EXPECT_TRUE(test::binary_of(with_reference("\"bob\"")));
  for (const auto& [reference, problem] : cases) {
    const auto binary = test::binary_of(with_reference(reference));
    ASSERT_FALSE(binary) << reference;
    EXPECT_EQ(test::line_and_message(binary.error()), problem);
  }
  std::string escapes(100002, '\x1b');
  escapes.front() = escapes.back() = '"';
  const auto hostile = test::binary_of(with_reference(escapes));
  ASSERT_FALSE(hostile);
  EXPECT_LT(hostile.error().text().size(), 400u);
}

TEST(SceneJson, NamesTheColumnAndThePath) {
  const struct {
    std::string text;
    Place place;
  } cases[] = {
      {"{\n  \"gravty\": 1}", {.line = 2, .column = 3}},
      {"{\"bodies\": [{}, {\"mas\": 1}]}", {.line = 1, .column = 18, .key = "bodies[1]"}},
      {"{\"bodies\": [{\"mass\": x}]}", {.line = 1, .column = 22, .key = "bodies[0].mass"}},
      {"{\"sleeping\": true, \"sleeping\": true}", {.line = 1, .column = 20, .key = "sleeping"}},
  };
  for (const auto& [text, place] : cases) {
    const auto binary = test::binary_of(text);
    ASSERT_FALSE(binary) << text;
    EXPECT_EQ(binary.error().code, ErrorCode::invalid) << text;
    EXPECT_EQ(binary.error().place.line, place.line) << text;
    EXPECT_EQ(binary.error().place.column, place.column) << text;
    EXPECT_EQ(binary.error().place.key, place.key) << text;
  }
  EXPECT_EQ(test::binary_of("{").error().code, ErrorCode::syntax);
}

// Every number has the bits that std::from_chars gives it.
TEST(SceneJson, ReadsNumbersExactly) {
  const char* const numbers[] = {"0.1",
                                 "-0",
                                 "1e-320",
                                 "123456789012345680",
                                 "9007199254740993",
                                 "2.2250738585072011e-308",
                                 "0.30000000000000004",
                                 "1e22",
                                 "1e23"};
  for (const std::string number : numbers) {
    const auto binary = test::binary_of("{\"softening\": " + number +
                                        ", \"bodies\": [{\"position\": [" + number + ", 0, 0]}]}");
    ASSERT_TRUE(binary) << number;
    double expected = 0;
    std::from_chars(number.data(), number.data() + number.size(), expected);
    const auto bits = std::bit_cast<std::array<std::uint8_t, 8>>(expected);
    const std::vector<std::uint8_t>& bytes = binary.value();
    auto at = std::search(bytes.begin(), bytes.end(), bits.begin(), bits.end());
    ASSERT_NE(at, bytes.end()) << number;
    at = std::search(at + 8, bytes.end(), bits.begin(), bits.end());
    EXPECT_NE(at, bytes.end()) << number;
  }
}

TEST(SceneJson, EndsOnAnyText) {
  const std::string scene = kScene;
  EXPECT_TRUE(test::binary_of(scene));
  for (std::size_t size = 0; size < scene.size(); ++size) {
    EXPECT_FALSE(test::binary_of(scene.substr(0, size)));
  }
}

}  // namespace
}  // namespace orrery
