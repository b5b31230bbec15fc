// The pages of `orrery watch`: a picture or a table, with lines about the session.
#include "client/cli/watch/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string_view>

#include "client/cli/render/picture/paint.h"
#include "client/cli/render/terminal/blocks.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kBars = 2;  // rows for the bars: one above the picture, one below it
constexpr Rgb kBarGround{48, 53, 64};

constexpr std::array<std::string_view, 7> kPictureKeys{"arrows   move the picture",
                                                       "+ -      zoom",
                                                       "0        follow the bodies again",
                                                       "f s t    front, side, top",
                                                       "tab      next body",
                                                       "?        these keys",
                                                       "q        quit"};
constexpr std::array<std::string_view, 6> kTableKeys{
    "up down      scroll, also page up and page down",
    "left right   sort by another column",
    "r            reverse the order",
    "tab          next body",
    "?            these keys",
    "q            quit"};

// Returns three significant digits.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

const DrawnBody* find(const Moment& moment, const std::optional<BodyId>& body) {
  const auto at = std::find_if(moment.bodies.begin(), moment.bodies.end(),
                               [&](const DrawnBody& b) { return b.id == body; });
  return at == moment.bodies.end() ? nullptr : &*at;
}

std::string title_of(const Moment& moment, const DrawnBody& body) {
  return title_of((*moment.models)[body.prototype], body.id);
}

// Writes a bar, with a hint at its right end if there is room.
void write_bar(Screen& screen, std::size_t row, const std::string& text, const std::string& hint) {
  screen.shade(row, kBarGround);
  screen.write(1, row, text, kDarkTheme.text);
  if (text.size() + hint.size() + 4 > screen.columns()) return;
  screen.write(screen.columns() - hint.size() - 1, row, hint,
               mixed(kBarGround, kDarkTheme.text, 0.6));
}

}  // namespace

void Page::press(Key key) {
  if (key == Key::help) helps_ = !helps_;
  if (key == Key::next) ++steps_;
  if (key == Key::previous) --steps_;
  if (kind_ == PageKind::picture) {
    camera_.press(key);
  } else {
    table_.press(key);
  }
}

// Moves the selection by `steps_` in the list of moving bodies.
void Page::select(const Moment& moment) {
  std::vector<BodyId> moving;
  for (const DrawnBody& body : moment.bodies) {
    if (!(*moment.models)[body.prototype].fixed) moving.push_back(body.id);
  }
  const auto count = static_cast<std::ptrdiff_t>(moving.size());
  if (steps_ != 0 && count > 0) {
    const auto at = selected_ ? std::find(moving.begin(), moving.end(), *selected_) : moving.end();
    // Without a selection, a step forwards selects the first moving body, and a step backwards the
    // last.
    const std::ptrdiff_t first = steps_ > 0 ? -1 : 0;
    const std::ptrdiff_t from = at == moving.end() ? first : at - moving.begin();
    selected_ = moving[static_cast<std::size_t>(((from + steps_) % count + count) % count)];
  }
  steps_ = 0;
}

std::string Page::title(const Moment& moment, const std::optional<BodyId>& fastest) const {
  char text[160];
  std::snprintf(text, sizeof text, "%s  tick %.0f  %zu bodies  %s", moment.scene.c_str(),
                moment.tick, moment.bodies.size(), std::string(axis_name(camera_.axis())).c_str());
  const DrawnBody* const body = find(moment, fastest);
  if (!body) return text;
  return text + ("  fastest: " + title_of(moment, *body)) + ", " +
         short_number(length(body->velocity));
}

std::string Page::footer(const Moment& moment) const {
  const DrawnBody* const body = find(moment, selected_);
  if (!body) return moment.note;
  const Vec3& p = body->pose.position;
  char text[200];
  std::snprintf(text, sizeof text, "%s  at %.3f %.3f %.3f  speed %.3f  spin %.3f%s",
                title_of(moment, *body).c_str(), p.x, p.y, p.z, length(body->velocity),
                length(body->angular_velocity), moment.in_si ? " rad/s" : "");
  return moment.note.empty() ? text : text + ("  " + moment.note);
}

void Page::draw_picture(const Moment& moment, Screen& screen) {
  const auto columns = static_cast<std::uint32_t>(screen.columns());
  const auto rows = static_cast<std::uint32_t>(screen.rows() - kBars);
  Canvas canvas(kCellWidth * columns, kCellHeight * rows, kDarkTheme.ground);
  View view = camera_.view(*moment.models, moment.bodies, canvas.width(), canvas.height());
  view.radius_min = 1;
  const Marks marks{.fastest = fastest_of(*moment.models, moment.bodies), .selected = selected_};
  const Picture picture = compose(*moment.models, moment.bodies, view, marks,
                                  {.width = kCellWidth, .height = kCellHeight});
  Screen middle(columns, rows, screen.at(0, 0));
  if (colours_ == Colours::none) {
    paint_lines(picture, canvas);
    show_dots(canvas, middle);
  } else {
    paint_bodies(picture, kDarkTheme, 0.4, canvas);
    show_blocks(canvas, middle);
  }
  for (const Label& label : picture.labels) {
    const Rgb& ink = label.body == marks.selected  ? kDarkTheme.selected
                     : label.body == marks.fastest ? kDarkTheme.fastest
                                                   : kDarkTheme.text;
    middle.write(static_cast<std::size_t>(std::lround(label.place.low.x / kCellWidth)),
                 static_cast<std::size_t>(std::lround(label.place.low.y / kCellHeight)), label.text,
                 ink);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      screen.put(column, row + 1, middle.at(column, row));
    }
  }
  write_bar(screen, 0, title(moment, marks.fastest), "? keys  q quit");
}

void Page::draw_table(const Moment& moment, Screen& screen) {
  const std::vector<std::string> lines = table_.lines(moment, screen.rows() - kBars - 1);
  screen.write(0, 1, table_.heading(moment), mixed(kDarkTheme.ground, kDarkTheme.text, 0.7));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    screen.write(0, i + 2, lines[i], kDarkTheme.text);
  }
  write_bar(screen, 0, table_title(moment), "? keys  q quit");
}

void Page::draw_help(Screen& screen) const {
  const std::span<const std::string_view> keys =
      kind_ == PageKind::picture ? std::span<const std::string_view>(kPictureKeys) : kTableKeys;
  std::size_t width = 0;
  for (const std::string_view line : keys) width = std::max(width, line.size());
  width = std::min(width + 4, screen.columns());
  const std::size_t left = (screen.columns() - width) / 2;
  const std::size_t top = (screen.rows() - std::min(screen.rows(), keys.size() + 2)) / 2;
  for (std::size_t row = 0; row < keys.size() + 2; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      screen.put(left + column, top + row, {U' ', kDarkTheme.text, kBarGround});
    }
    if (row == 0 || row > keys.size()) continue;
    screen.write(left + 2, top + row, keys[row - 1].substr(0, width - 2), kDarkTheme.text);
  }
}

Screen Page::draw(const Moment& moment, const host::TerminalSize& size) {
  constexpr std::size_t kSideMax = 1000;  // largest width and height of a page in characters
  select(moment);
  Screen screen(std::clamp<std::size_t>(size.columns, 1, kSideMax),
                std::clamp<std::size_t>(size.rows, 1, kSideMax),
                {U' ', kDarkTheme.text, kDarkTheme.ground});
  if (screen.rows() < kBars + 2) {  // too small
    screen.write(0, 0, title(moment, {}), kDarkTheme.text);
    return screen;
  }
  if (kind_ == PageKind::picture) {
    draw_picture(moment, screen);
  } else {
    draw_table(moment, screen);
  }
  write_bar(screen, screen.rows() - 1, footer(moment), "");
  if (helps_) draw_help(screen);
  return screen;
}

}  // namespace orrery::cli
