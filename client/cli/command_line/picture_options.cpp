// Declares the options of verbs that draw pictures.
#include "client/cli/command_line/picture_options.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "common/core/assert.h"

namespace orrery::cli {
namespace {

constexpr std::uint32_t kSideMin = 160;  // the caption needs room
constexpr std::uint32_t kSideMax = 4096;

std::optional<Axis> find_axis(std::string_view view) {
  for (const Axis axis : {Axis::front, Axis::side, Axis::top}) {
    if (axis_name(axis) == view) return axis;
  }
  return {};
}

// Reads a whole number with nothing after it.
std::optional<std::uint32_t> side_of(std::string_view text) {
  std::uint32_t side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && side >= kSideMin && side <= kSideMax ? std::optional(side) : std::nullopt;
}

std::optional<PageSize> find_size(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) return {};
  const auto width = side_of(text.substr(0, cross));
  const auto height = side_of(text.substr(cross + 1));
  if (!width || !height) return {};
  return PageSize{*width, *height};
}

}  // namespace

Option add_view(Verb& verb, std::string& view) {
  return verb.option("--view", view, "Direction of view: front, side or top")
      .shows_default()
      .check([](const std::string& name) {
        return find_axis(name) ? "" : name + " is not front, side or top";
      })
      .type("VIEW");
}

Axis axis_named(const std::string& view) {
  const std::optional<Axis> axis = find_axis(view);
  ORRERY_ASSERT(axis);
  return *axis;
}

void add_size(Verb& verb, std::string& size) {
  verb.option("--size", size, "Width and height of the picture in pixels, each 160 to 4096")
      .shows_default()
      .check([](const std::string& text) {
        return find_size(text) ? "" : text + " is not a size such as 960x600, each 160 to 4096";
      })
      .type("WxH");
}

PageSize size_named(const std::string& size) {
  const std::optional<PageSize> found = find_size(size);
  ORRERY_ASSERT(found);
  return *found;
}

}  // namespace orrery::cli
