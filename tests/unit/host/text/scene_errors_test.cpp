// Tests the hints in errors of scene files.
#include "common/host/text/scene_errors.h"

#include <gtest/gtest.h>

#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

struct Mistake {
  const char* text;
  const char* message;
};

void expect_messages(std::span<const Mistake> mistakes) {
  for (const auto& [text, message] : mistakes) {
    const auto read = test::binary_of(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(test::line_and_message(read.error()), message) << text;
  }
}

TEST(SceneErrors, AMisplacedKeyNamesTheListsThatHaveIt) {
  const Mistake mistakes[] = {
      {"{\"bodies\": [{\"friction\": 1}]}",
       "line 1: unknown key \"friction\" of bodies[0]; it is a key of shapes[].parts[]"},
      {"{\"shapes\": [{\"kind\": \"box\"}]}",
       "line 1: unknown key \"kind\" of shapes[0]; it is a key of shapes[].parts[]"},
      {"{\"shapes\": [{\"foo\": 1}]}",
       "line 1: unknown key \"foo\" of shapes[0]; there is only parts"},
      {"{\"joints\": [{\"stiffness\": 1}]}",
       "line 1: unknown key \"stiffness\" of joints[0]; it is a key of springs[] or tethers[]"},
      {"{\"bodies\": [{\"gravity\": 1}]}",
       "line 1: unknown key \"gravity\" of bodies[0]; did you mean gravity_scale?"},
      {"{\"springs\": [{\"rest\": 1}]}",
       "line 1: unknown key \"rest\" of springs[0]; did you mean rest_length?"},
      {"{\"springs\": [{\"tick_rate\": 1}]}",
       "line 1: unknown key \"tick_rate\" of springs[0]; it is a key of the scene"},
  };
  expect_messages(mistakes);
}

TEST(SceneErrors, NamesOfOtherProgramsGiveTheNamesHere) {
  const Mistake mistakes[] = {
      {"{\"bodies\": [{\"shape\": \"ball\"}]}",
       "line 1: bodies[0].shape must be the place of a shape in the list shapes, a whole number "
       "from 0, not \"ball\""},
      {"{\"bodies\": [{\"kind\": \"static\"}]}",
       "line 1: bodies[0].kind must be rigid, point, anchor or kinematic, not \"static\"; did you "
       "mean anchor?"},
      {"{\"shapes\": [{\"parts\": [{\"kind\": \"cylinder\"}]}]}",
       "line 1: shapes[0].parts[0].kind must be sphere, capsule, box, hull, plane, height_field or "
       "mesh, not \"cylinder\"; did you mean hull?"},
  };
  expect_messages(mistakes);
}

TEST(SceneErrors, AFixedJointIsAWeld) {
  const auto read = test::binary_of("{\"joints\": [{\"kind\": \"fixed\"}]}");
  ASSERT_FALSE(read);
  const std::string message = test::line_and_message(read.error());
  EXPECT_TRUE(message.starts_with("line 1: joints[0].kind must be distance, ball,")) << message;
  EXPECT_TRUE(message.ends_with(", not \"fixed\"; did you mean weld?")) << message;
}

TEST(SceneErrors, AKnownNameOfTheListWinsOverAnother) {
  const std::string_view joints[] = {"ball", "hinge", "weld"};
  EXPECT_EQ(host::meant_name("fixed", joints), "weld");
  EXPECT_EQ(host::meant_name("hing", joints), "hinge");
  EXPECT_EQ(host::meant_name("cylinder", joints), "");
}

}  // namespace
}  // namespace orrery
