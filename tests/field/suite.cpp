// Collects the results of the field suite, and lists the variations of its scenes.
#include "tests/field/suite.h"

#include <cstdarg>
#include <cstdio>

namespace orrery::field {
namespace {

Variation sized(double target, double size, bool ticks_follow) {
  Variation v;
  v.length = target / size;
  v.ticks_follow = ticks_follow;
  v.name = text("%g m%s", target, ticks_follow ? "" : " at 60 Hz");
  return v;
}

Variation in_units(const char* name, double length) {
  Variation v;
  v.name = name;
  v.length = length;
  v.units = true;
  return v;
}

Variation turned(const char* name, const Quat& q) {
  Variation v;
  v.name = name;
  v.turned = q;
  return v;
}

// Returns the first word of the name of a check.
std::string kind_of(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

std::string text(const char* format, ...) {
  char made[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(made, sizeof made, format, arguments);
  va_end(arguments);
  return made;
}

void Suite::within(const std::string& name, double value, double low, double high) {
  const bool right = value >= low && value <= high;  // false for a value that is no number
  kinds_.insert(kind_of(name));
  if (const auto [before, is_new] = values_.emplace(name, value); !is_new) {
    if (before->second == value) return;  // the same scene
    std::printf("TWICE  %s: two checks have this name\n", name.c_str());
    ++unexpected_;
    return;
  }
  const bool excused = known_.count(name) != 0;
  if (!right) failed_[name] = value;
  if (right == excused) ++unexpected_;
  if (print_ == Print::nothing || (right != excused && print_ != Print::all)) return;
  const char* const what = right ? (excused ? "GONE" : "ok") : excused ? "known" : "FAILED";
  std::printf("%-6s %s: %.6g, right: %.6g to %.6g\n", what, name.c_str(), value, low, high);
  std::fflush(stdout);
}

bool Suite::is_stale(const std::string& name) const {
  return all_ && kinds_.count(kind_of(name)) != 0 && values_.count(name) == 0;
}

bool Suite::finish() const {
  std::uint32_t stale = 0;
  for (const auto& [name, value] : known_) {
    if (!is_stale(name)) continue;
    ++stale;
    std::printf("GONE   %s: there is no such check\n", name.c_str());
  }
  std::printf("%zu checks, %zu fail, %u not as known.txt says\n", values_.size(), failed_.size(),
              unexpected_ + stale);
  return unexpected_ + stale == 0;
}

Known Suite::shown() const {
  Known shown = failed_;
  for (const auto& [name, value] : known_) {
    if (values_.count(name) == 0 && !is_stale(name)) shown[name] = value;
  }
  return shown;
}

std::vector<Variation> sizes(const Suite& suite, double size) {
  std::vector<Variation> list{sized(0.001, size, true), sized(0.01, size, false),
                              sized(100, size, true), in_units("in centimetres", 100)};
  if (!suite.all()) return list;
  for (const double target : {0.01, 0.1, 1.0, 10.0}) list.push_back(sized(target, size, true));
  for (const double target : {0.001, 0.1, 10.0, 100.0}) list.push_back(sized(target, size, false));
  list.push_back(in_units("in millimetres", 1000));
  list.push_back(in_units("in units of 100 m", 1e-2));
  return list;
}

std::vector<Variation> rates(const Suite& suite) {
  std::vector<Variation> list;
  for (const std::uint32_t rate : {10u, 240u, 30u, 120u, 1000u}) {
    Variation v;
    v.name = text("%u Hz", rate);
    v.rate = rate;
    list.push_back(v);
  }
  if (!suite.all()) list.resize(2);
  return list;
}

std::vector<Variation> frames(const Suite& suite) {
  Variation mirrored, reversed;
  mirrored.name = "mirrored";
  mirrored.mirrored = true;
  reversed.name = "reversed";
  reversed.reversed = true;
  std::vector<Variation> list{mirrored, reversed,
                              turned("turned", normalized({0.3, -0.5, 0.7, 0.4}))};
  if (!suite.all()) return list;
  list.push_back(turned("turned about x", turn({1, 0, 0}, kPi / 2)));
  list.push_back(turned("turned about y", turn({0, 1, 0}, kPi / 2)));
  list.push_back(turned("turned about z", turn({0, 0, 1}, kPi / 2)));
  list.push_back(turned("upside down", turn({1, 0, 0}, kPi)));
  return list;
}

std::vector<Variation> drifts(const Suite& suite) {
  std::vector<Variation> list;
  for (const Vec3& drift : {Vec3{3, 1, -2}, Vec3{-0.01, 0, 0}, Vec3{0, 20, 0}}) {
    Variation v;
    v.name = text("seen at %g, %g, %g m/s", drift.x, drift.y, drift.z);
    v.drift = drift;
    list.push_back(v);
  }
  if (!suite.all()) list.resize(1);
  return list;
}

std::vector<Variation> variations(const Suite& suite, double size) {
  std::vector<Variation> list{{}};
  for (const auto& more : {sizes(suite, size), rates(suite), frames(suite)}) {
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

}  // namespace orrery::field
