// Tests the pages of `orrery watch`.
#include "client/cli/watch/page.h"

#include <gtest/gtest.h>

namespace orrery::cli {
namespace {

// A ball on the left, a faster box on the right, and a fixed floor.
class PageTest : public testing::Test {
 protected:
  PageTest() {
    scene_.names = {"ball", "b\033ox", ""};
    scene_.bodies.resize(3);
    PartDef ball;
    scene_.bodies[0].shape = shapes_.add({{ball}}).value();
    scene_.bodies[2].kind = BodyKind::anchor;
    scene_.bodies[2].half_extents = {6, 0.5, 6};
    models_ = Models(scene_, shapes_);
    moment_ = {
        .scene = "test", .tick = 12, .tick_rate = 60, .bodies = {}, .models = &models_, .note = ""};
    add(0, {-4, 0.5, 0}, {0, 1, 0});
    add(1, {4, 0.5, 0}, {0, 2, 0});
    add(2, {0, -0.5, 0}, {});
  }

  void add(std::uint32_t id, const Vec3& position, const Vec3& velocity) {
    moment_.bodies.push_back({.id = BodyId{id},
                              .prototype = id,
                              .pose = {position, {}},
                              .velocity = velocity,
                              .angular_velocity = {}});
  }

  std::string text(Page& page) {
    return lines_of(page.draw(moment_, {.columns = 80, .rows = 24}), Colours::none);
  }

  static std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
  }

  Scene scene_;
  ShapeSet shapes_;
  Models models_;
  Moment moment_;
};

TEST_F(PageTest, ThePictureHasBodiesNamesAndTheFastest) {
  Page page(PageKind::picture, Axis::front, Colours::none);
  const std::string shown = text(page);
  EXPECT_EQ(count_of(shown, "\n"), 24u);
  EXPECT_NE(shown.find("test  tick 12  3 bodies  front  fastest: b\\x1box, 2"), shown.npos)
      << shown;
  EXPECT_NE(shown.find(" ball"), shown.npos) << shown;
  EXPECT_GE(count_of(shown, "\xe2\xa3\xbf"), 4u) << shown;  // U+28FF: the fastest body is filled
  EXPECT_EQ(shown.find('\033'), shown.npos);
}

TEST_F(PageTest, TabSelectsTheNextMovingBody) {
  Page page(PageKind::picture, Axis::front, Colours::none);
  page.press(Key::next);
  EXPECT_NE(text(page).find("ball  at -4.000 0.500 0.000  speed 1.000"), std::string::npos);
  page.press(Key::next);
  EXPECT_NE(text(page).find("b\\x1box  at 4.000"), std::string::npos);
  page.press(Key::next);  // Tab skips the floor, which is fixed
  EXPECT_NE(text(page).find("ball  at -4.000"), std::string::npos);
  page.press(Key::previous);
  EXPECT_NE(text(page).find("b\\x1box  at 4.000"), std::string::npos);
}

TEST_F(PageTest, UnitsAreForScenesInSi) {
  Page picture(PageKind::picture, Axis::front, Colours::none);
  Page table(PageKind::table, Axis::front, Colours::none);
  picture.press(Key::next);
  EXPECT_NE(text(picture).find("spin 0.000 rad/s"), std::string::npos);
  EXPECT_NE(text(table).find("speed  spin rad/s"), std::string::npos);
  moment_.in_si = false;
  EXPECT_NE(text(picture).find("spin 0.000"), std::string::npos);
  EXPECT_NE(text(table).find("speed        spin"), std::string::npos);
  EXPECT_EQ((text(picture) + text(table)).find("rad/s"), std::string::npos);
}

TEST_F(PageTest, TheSelectionEndsWithItsBody) {
  Page page(PageKind::picture, Axis::front, Colours::none);
  page.press(Key::next);
  moment_.bodies.erase(moment_.bodies.begin());
  EXPECT_EQ(text(page).find("at -4.000"), std::string::npos);
}

TEST_F(PageTest, KeysAreShownAndHidden) {
  Page page(PageKind::picture, Axis::front, Colours::none);
  page.press(Key::help);
  EXPECT_NE(text(page).find("front, side, top"), std::string::npos);
  page.press(Key::help);
  EXPECT_EQ(text(page).find("front, side, top"), std::string::npos);
}

TEST_F(PageTest, TheTableSortsByAnyColumn) {
  Page page(PageKind::table, Axis::front, Colours::none);
  std::string shown = text(page);
  EXPECT_LT(shown.find("ball"), shown.find("b\\x1box"));
  page.press(Key::right);
  page.press(Key::reverse);  // sorted by x, the highest first
  shown = text(page);
  EXPECT_NE(shown.find(">x"), shown.npos) << shown;
  EXPECT_GT(shown.find("ball"), shown.find("b\\x1box"));
}

TEST_F(PageTest, TheTableScrollsToItsEnd) {
  for (std::uint32_t id = 3; id < 100; ++id) add(id, {}, {});
  Page page(PageKind::table, Axis::front, Colours::none);
  EXPECT_EQ(text(page).find("\n      99"), std::string::npos);
  for (int i = 0; i < 20; ++i) page.press(Key::page_down);
  const std::string shown = text(page);
  EXPECT_NE(shown.find("\n      99"), shown.npos) << shown;
  EXPECT_EQ(count_of(shown, "0.0000 "), 4 * 21u) << shown;  // a full page of bodies at the origin
}

TEST_F(PageTest, EverySizeOfTerminalWorks) {
  for (const Colours colours : {Colours::none, Colours::palette, Colours::all}) {
    for (const std::size_t columns : {1u, 2u, 7u, 300u, 5000u}) {
      for (const std::size_t rows : {1u, 3u, 4u, 5u, 90u}) {
        for (const PageKind kind : {PageKind::picture, PageKind::table}) {
          Page page(kind, Axis::side, colours);
          page.press(Key::help);
          const Screen screen = page.draw(moment_, {.columns = columns, .rows = rows});
          EXPECT_EQ(screen.rows(), rows);
        }
      }
    }
  }
}

TEST_F(PageTest, APageWithoutBodiesWorks) {
  moment_.bodies.clear();
  for (const PageKind kind : {PageKind::picture, PageKind::table}) {
    Page page(kind, Axis::top, Colours::none);
    page.press(Key::next);
    EXPECT_NE(text(page).find("tick 12"), std::string::npos);
  }
}

}  // namespace
}  // namespace orrery::cli
