// Tests the places of labels.
#include "client/cli/render/picture/labels.h"

#include <gtest/gtest.h>

namespace orrery::cli {
namespace {

constexpr View kView{Axis::front, {}, 1, 200, 100, 0};
constexpr GlyphSize kGlyph{8, 13};

Outline disc(std::uint32_t body, double x, double y, double radius) {
  Outline outline;
  outline.shape = {{{x, y}}, radius};
  outline.body = BodyId{body};
  return outline;
}

TEST(Labels, ALabelIsRightOfItsBody) {
  const std::vector<Outline> outlines{disc(1, 50, 50, 10)};
  const std::vector<WantedLabel> wanted{{BodyId{1}, "ball"}};
  const auto labels = place_labels(wanted, outlines, kView, kGlyph);
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_GT(labels[0].place.low.x, 60);
  EXPECT_DOUBLE_EQ(labels[0].place.high.x - labels[0].place.low.x, 32);
  EXPECT_DOUBLE_EQ((labels[0].place.low.y + labels[0].place.high.y) / 2, 50);
}

TEST(Labels, AtTheRightEdgeItIsLeftOfTheBody) {
  const std::vector<Outline> outlines{disc(1, 185, 50, 10)};
  const std::vector<WantedLabel> wanted{{BodyId{1}, "ball"}};
  const auto labels = place_labels(wanted, outlines, kView, kGlyph);
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_LT(labels[0].place.high.x, 175);
}

TEST(Labels, NoTwoOverlapAndNoneCoversABody) {
  std::vector<Outline> outlines;
  std::vector<WantedLabel> wanted;
  for (std::uint32_t i = 0; i < 30; ++i) {
    outlines.push_back(disc(i, 10 + 6.5 * i, 50 + (i % 3) * 9.0, 4));
    wanted.push_back({BodyId{i}, "body"});
  }
  const auto labels = place_labels(wanted, outlines, kView, kGlyph);
  EXPECT_GT(labels.size(), 4u);
  for (const Label& label : labels) {
    for (const Label& other : labels) {
      EXPECT_TRUE(&label == &other || !label.place.meets(other.place));
    }
    for (const Outline& outline : outlines) {
      EXPECT_FALSE(label.place.meets(bounds_of(outline.shape.points, outline.shape.radius)));
    }
    EXPECT_TRUE(label.place.low.x >= 0 && label.place.high.x <= kView.width);
  }
}

TEST(Labels, AMarkedBodyKeepsItsLabelInACrowd) {
  std::vector<Outline> outlines;
  for (std::uint32_t i = 0; i < 400; ++i) outlines.push_back(disc(i, i % 20 * 10, i / 20 * 5, 6));
  std::vector<WantedLabel> wanted{{BodyId{210}, "crate"}};
  EXPECT_EQ(place_labels(wanted, outlines, kView, kGlyph).size(), 0u);
  wanted[0].marked = true;
  EXPECT_EQ(place_labels(wanted, outlines, kView, kGlyph).size(), 1u);
}

TEST(Labels, ABodyOutsideThePictureHasNone) {
  const std::vector<WantedLabel> wanted{{BodyId{1}, "ball"}};
  EXPECT_TRUE(place_labels(wanted, {}, kView, kGlyph).empty());
}

}  // namespace
}  // namespace orrery::cli
