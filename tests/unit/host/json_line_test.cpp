// Owns the tests of finding the line of a problem in JSON.
#include "common/host/json_line.h"

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
    {"id": 1, "position": {"x": 1}},
    /* two
       lines */
    {"id": 0,
     'mass': 3}
  ],
  "springs": [{}, {"a": 0,
     "stiffness": 2}],
  "shapes": [{"parts": [
    {"radius": 0}]}]
})";

TEST(JsonLine, FindsKeysOfTheScene) {
  EXPECT_EQ(line_of_problem(kScene, "name must be short"), 2);
  EXPECT_EQ(line_of_problem(kScene, "gravity must be finite"), 4);
  EXPECT_EQ(line_of_problem(kScene, "softening must be finite"), std::nullopt);
}

TEST(JsonLine, FindsItemsByPlaceAndBodiesById) {
  EXPECT_EQ(line_of_problem(kScene, "body 1: position must be finite"), 7);
  EXPECT_EQ(line_of_problem(kScene, "body 0: mass must be positive"), 11);
  EXPECT_EQ(line_of_problem(kScene, "body 0: velocity must be finite"), 10);
  EXPECT_EQ(line_of_problem(kScene, "bodies[1]: id 0 is taken"), 10);
  EXPECT_EQ(line_of_problem(kScene, "spring 1: stiffness must be positive"), 14);
  EXPECT_EQ(line_of_problem(kScene, "spring 0: there is no body 9"), 13);
  EXPECT_EQ(line_of_problem(kScene, "spring 7: there is no body 9"), std::nullopt);
  EXPECT_EQ(line_of_problem(kScene, "tether 0: rest_length"), std::nullopt);
  EXPECT_EQ(line_of_problem(kScene, "shape 0: part 0: radius must be positive"), 15);
}

TEST(JsonLine, EndsOnAnyText) {
  const std::string scene = kScene;
  for (std::size_t size = 0; size < scene.size(); ++size) {
    line_of_problem(scene.substr(0, size), "body 0: mass");
    line_of_problem(scene.substr(size), "bodies[");
  }
  EXPECT_EQ(line_of_problem("", ""), std::nullopt);
  EXPECT_EQ(line_of_problem("/*", "a"), std::nullopt);
}

}  // namespace
}  // namespace orrery
