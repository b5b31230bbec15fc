// A table with the position, speed and spin of each body.
#include "client/cli/watch/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace orrery::cli {
namespace {

constexpr std::array<const char*, 6> kColumns{"id", "x", "y", "z", "speed", "spin"};

std::array<double, kColumns.size()> numbers_of(const DrawnBody& body) {
  const Vec3& p = body.pose.position;
  return {static_cast<double>(body.id.value), p.x, p.y, p.z, length(body.velocity),
          length(body.angular_velocity)};
}

std::string line_of(const DrawnBody& body, const Models& models) {
  const auto n = numbers_of(body);
  char line[160];
  std::snprintf(line, sizeof line, "%8u %11.4f %11.4f %11.4f %11.4f %11.4f", body.id.value, n[1],
                n[2], n[3], n[4], n[5]);
  const std::string& name = models[body.prototype].name;
  return name.empty() ? line : line + ("  " + name);
}

}  // namespace

std::string table_title(const Moment& moment) {
  char line[160];
  std::snprintf(line, sizeof line, "%s  tick %.1f  %zu bodies  %u ticks/s", moment.scene.c_str(),
                moment.tick, moment.bodies.size(), moment.tick_rate);
  return line;
}

std::string Table::heading(const Moment& moment) const {
  std::string out;
  const bool by_id = column_ == 0 && !descending_;  // the default order has no mark in the heading
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const std::string mark = by_id || i != column_ ? "" : descending_ ? ">" : "<";
    const bool has_unit = moment.in_si && i + 1 == kColumns.size();
    const std::string text = mark + kColumns[i] + (has_unit ? " rad/s" : "");
    const std::size_t width = i == 0 ? 8 : 12;
    out += std::string(width - std::min(width, text.size()), ' ') + text;
  }
  return out;
}

std::vector<std::string> Table::lines(const Moment& moment, std::size_t count) {
  std::vector<std::size_t> order(moment.bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double at_a = numbers_of(moment.bodies[a])[column_];
    const double at_b = numbers_of(moment.bodies[b])[column_];
    return descending_ ? at_b < at_a : at_a < at_b;
  });
  page_ = std::max<std::size_t>(count, 1);
  first_ = std::min(first_, order.size() - std::min(order.size(), page_));
  std::vector<std::string> lines;
  for (std::size_t i = first_; i < order.size() && lines.size() < count; ++i) {
    lines.push_back(line_of(moment.bodies[order[i]], *moment.models));
  }
  return lines;
}

void Table::scroll(std::ptrdiff_t lines) {
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(first_) + lines;
  first_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(first, 0));
}

void Table::press(Key key) {
  const auto page = static_cast<std::ptrdiff_t>(page_);
  switch (key) {
    case Key::up:
      return scroll(-1);
    case Key::down:
      return scroll(1);
    case Key::page_up:
      return scroll(-page);
    case Key::page_down:
      return scroll(page);
    case Key::left:
      column_ = (column_ + kColumns.size() - 1) % kColumns.size();
      return;
    case Key::right:
      column_ = (column_ + 1) % kColumns.size();
      return;
    case Key::reverse:
      descending_ = !descending_;
      return;
    default:
      return;
  }
}

}  // namespace orrery::cli
