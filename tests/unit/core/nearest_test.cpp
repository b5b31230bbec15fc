// Tests the suggestion for a misspelt name.
#include "common/core/nearest.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Nearest, ShowsHostileNamesSafely) {
  const std::string_view known[] = {"rk4", "verlet"};
  const std::string text = unknown_name("method", std::string(1000, '\x1b'), known);
  EXPECT_LT(text.size(), 400u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Nearest, ListsTheNearestFirst) {
  const std::string_view known[] = {"euler", "rk4", "verlet", "leapfrog"};
  EXPECT_EQ(unknown_name("method", "verlte", known),
            "unknown method \"verlte\"; did you mean verlet, euler or rk4?");
}

TEST(Nearest, MeansANameThatIsAFewLettersOff) {
  const std::string_view known[] = {"--at", "--scene", "--seconds", "--seed", "--log"};
  EXPECT_EQ(nearest_name("--scen", known), "--scene");
  EXPECT_EQ(nearest_name("--sed", known), "--seed");
  EXPECT_EQ(nearest_name("--seconnds", known), "--seconds");
  EXPECT_EQ(nearest_name("--seed-of-bots", known), "--seed");  // it contains --seed
  EXPECT_EQ(nearest_name("--log", known), "--log");
  const std::string_view verbs[] = {"log", "run", "bot"};
  EXPECT_EQ(nearest_name("rnu", verbs), "run");  // a swap counts as one letter
  EXPECT_EQ(nearest_name("lgo", verbs), "log");
  EXPECT_EQ(nearest_name("urn", verbs), "run");
  EXPECT_EQ(nearest_name("nur", verbs), "");
}

TEST(Nearest, MeansNothingWhereNoneIsNear) {
  const std::string_view known[] = {"a", "run", "--at"};
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("b", known), "");
  EXPECT_EQ(nearest_name("verify", known), "");
  EXPECT_EQ(nearest_name("rxx", known), "");  // two of three letters differ
  EXPECT_EQ(nearest_name("--colour", known), "");
  EXPECT_EQ(nearest_name("--at", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, '-'), known), "");
}

TEST(Nearest, SuggestsOneOrAll) {
  const std::string_view known[] = {"mass", "kind", "shape"};
  EXPECT_EQ(suggestion("mas", known), "; did you mean mass?");
  EXPECT_EQ(suggestion("colour", known), "; there are mass, kind, shape");
  EXPECT_EQ(suggestion("colour", std::span(known).first(1)), "; there is only mass");
}

}  // namespace
}  // namespace orrery
