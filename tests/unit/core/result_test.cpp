// Tests errors: their place, their text, and the names of their codes.
#include "common/core/result.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(Result, HasAValueOrAnError) {
  const Result<int> value = 3;
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(value.value(), 3);
  const Result<int> error = Error{"no number"};
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.error().message, "no number");
}

TEST(Error, AnItemOfAListIsInTheMessageAndTheKey) {
  const Error error =
      Error::at("radius", " must be positive").in_item("part", 1).in_item("shape", 0);
  EXPECT_EQ(error.message, "shape 0: part 1: radius must be positive");
  EXPECT_EQ(error.place.key, "shape[0].part[1].radius");
  const Error whole = Error{"it does nothing"}.in_item("spring", 2);
  EXPECT_EQ(whole.message, "spring 2: it does nothing");
  EXPECT_EQ(whole.place.key, "spring[2]");
}

TEST(Error, ItsTextBeginsWithItsPlace) {
  Error error{"unknown key"};
  EXPECT_EQ(error.text(), "unknown key");
  error.place.line = 6;
  EXPECT_EQ(error.text(), "line 6: unknown key");
  error.place.column = 21;
  EXPECT_EQ(error.text(), "line 6, column 21: unknown key");
  EXPECT_EQ(error.in("a.json").text(), "a.json:6:21: unknown key");
  EXPECT_EQ(Error{"is empty"}.in("a\x1b").text(), "a\\x1b: is empty");
  error.place.column = 0;
  EXPECT_EQ(error.in("a.key").text(), "a.key:6: unknown key");
}

TEST(Error, KeepsItsFirstSource) {
  const Error error = Error{"cannot be read"}.in("a.orrery.0001");
  EXPECT_EQ(error.in("a.orrery").text(), "a.orrery.0001: cannot be read");
}

TEST(Error, OfAnOptionHasItAsKey) {
  const Error error = Error{"is taken", ErrorCode::io}.in("[::1]:1").of_option("--listen", " ");
  EXPECT_EQ(error.text(), "--listen [::1]:1: is taken");
  EXPECT_EQ(error.place.key, "--listen");
  EXPECT_EQ(error.code, ErrorCode::io);
}

TEST(Error, APrefixKeepsTheCode) {
  const Error error = Error{"is cut", ErrorCode::damaged}.in("a.orrery").after("--resume ");
  EXPECT_EQ(error.text(), "--resume a.orrery: is cut");
  EXPECT_EQ(error.code, ErrorCode::damaged);
}

TEST(Error, EachCodeHasAName) {
  EXPECT_EQ(name_of(ErrorCode::invalid), "invalid");
  EXPECT_EQ(name_of(ErrorCode::syntax), "syntax");
  EXPECT_EQ(name_of(ErrorCode::io), "io");
  EXPECT_EQ(name_of(ErrorCode::damaged), "damaged");
  EXPECT_EQ(name_of(ErrorCode::version), "version");
  EXPECT_EQ(name_of(ErrorCode::incomplete), "incomplete");
}

}  // namespace
}  // namespace orrery
