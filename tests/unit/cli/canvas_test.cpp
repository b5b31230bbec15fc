// Tests painting shapes, by their areas.
#include "client/cli/render/picture/canvas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/cli/render/picture/png.h"

namespace orrery::cli {
namespace {

constexpr Rgb kBlack{0, 0, 0};
constexpr Rgb kWhite{255, 255, 255};
constexpr double kPi = 3.141592653589793;

// Returns the painted area in pixels: a pixel that is half covered counts a half.
double area_of(const Canvas& canvas) {
  double area = 0;
  for (const Rgb& pixel : canvas.pixels()) area += pixel.red / 255.0;
  return area;
}

double filled_area(const FlatShape& shape) {
  Canvas canvas(100, 80, kBlack);
  canvas.fill(shape, kWhite);
  return area_of(canvas);
}

TEST(Canvas, HasTheAreaOfADisc) {
  for (const double r : {0.5, 1.0, 3.3, 17.0, 30.0}) {
    EXPECT_NEAR(filled_area({{{50.3, 40.8}}, r}), kPi * r * r, 0.02 * kPi * r * r + 0.1) << r;
  }
}

TEST(Canvas, HasTheAreaOfACapsule) {
  const double r = 5;
  const double length = std::hypot(30, 20);
  EXPECT_NEAR(filled_area({{{30, 20}, {60, 40}}, r}), kPi * r * r + 2 * r * length, 3);
}

TEST(Canvas, HasTheAreaOfAPolygon) {
  EXPECT_NEAR(filled_area({{{10.25, 10}, {20.75, 10}, {20.75, 30}, {10.25, 30}}, 0}), 210, 0.5);
  EXPECT_NEAR(filled_area({{{10, 10}, {50, 10}, {10, 70}}, 0}), 40 * 60 / 2, 2);
}

TEST(Canvas, ClipsAtItsEdges) {
  EXPECT_NEAR(filled_area({{{0, 0}}, 20}), kPi * 100, 3);       // a quarter of a disc
  EXPECT_NEAR(filled_area({{{100, 40}}, 20}), kPi * 200, 5);    // a half of a disc
  EXPECT_NEAR(filled_area({{{50, 1e9}}, 1e9 - 40}), 4000, 30);  // practically a half plane
  EXPECT_EQ(filled_area({{{-30, 40}}, 20}), 0);
  EXPECT_EQ(filled_area({{{50, 200}}, 20}), 0);
  EXPECT_NEAR(filled_area({{{-1e9, -1e9}, {1e9, -1e9}, {1e9, 1e9}, {-1e9, 1e9}}, 0}), 8000, 1);
}

TEST(Canvas, PaintsNothingOfNoShape) {
  EXPECT_EQ(filled_area({}), 0);
  EXPECT_EQ(filled_area({{{20, 20}, {30, 20}}, 0}), 0);
}

TEST(Canvas, StrokesAreAsLongAsTheEdgeIs) {
  for (const double r : {10.0, 25.0}) {
    Canvas canvas(100, 80, kBlack);
    canvas.stroke({{{50, 40}}, r}, kWhite, 2);
    EXPECT_NEAR(area_of(canvas), 2 * kPi * r * 2, 0.06 * 4 * kPi * r) << r;
  }
  Canvas canvas(100, 80, kBlack);
  canvas.stroke({{{20, 20}, {60, 20}, {60, 50}, {20, 50}}, 0}, kWhite, 2);
  EXPECT_NEAR(area_of(canvas), 2 * 140, 8);
}

TEST(Canvas, MixesWithTheGround) {
  Canvas canvas(4, 4, kBlack);
  canvas.fill({{{0, 0}, {4, 0}, {4, 4}, {0, 4}}, 0}, kWhite, 0.25);
  EXPECT_NEAR(canvas.at(2, 2).red, 64, 1);
}

TEST(Canvas, WritesTextAtItsPlace) {
  Canvas canvas(40, 20, kBlack);
  canvas.write({8, 3}, "|", kWhite);
  double inside = 0;
  for (std::uint32_t y = 3; y < 16; ++y) {
    for (std::uint32_t x = 8; x < 16; ++x) inside += canvas.at(x, y).red / 255.0;
  }
  EXPECT_GT(inside, 8);
  EXPECT_EQ(inside, area_of(canvas));
  Canvas unknown(40, 20, kBlack);
  Canvas question(40, 20, kBlack);
  unknown.write({1, 1}, "\x1b", kWhite);
  question.write({1, 1}, "?", kWhite);
  EXPECT_EQ(unknown.pixels(), question.pixels());
}

TEST(Canvas, BecomesAPng) {
  Canvas canvas(31, 17, kBlack);
  const std::string png = png_of(canvas);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x1f\0\0\0\x11", 8));  // width and height
}

}  // namespace
}  // namespace orrery::cli
