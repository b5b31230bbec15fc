// Declares the checks of the field suite, and the object that collects their results.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/field/known.h"
#include "tests/field/trial.h"

namespace orrery::field {

// Collects the results of checks. A check in the list of known failures must fail, and any other
// must pass.
class Suite {
 public:
  enum class Print { nothing, unexpected, all };  // which checks to print

  // `all`: whether the checks also run the large set of variations.
  Suite(bool all, Print print, Known known) : all_(all), print_(print), known_(std::move(known)) {}
  bool all() const { return all_; }

  // Check a value. The name of a check is unique: kind, case, variation. Two loops may run the same
  // scene, which must then give the same value.
  void within(const std::string& name, double value, double low, double high);
  void near(const std::string& name, double value, double right, double tolerance) {
    within(name, value, right - tolerance, right + tolerance);
  }
  void at_most(const std::string& name, double value, double most) {
    within(name, value, -1e300, most);
  }
  void at_least(const std::string& name, double value, double least) {
    within(name, value, least, 1e300);
  }

  // Prints the known failures that no check has, and the sums. Returns true if all is as expected.
  bool finish() const;
  // Returns how many checks so far are not as the list says.
  std::uint32_t unexpected() const { return unexpected_; }
  // Returns the list of known failures as the checks that ran show it.
  Known shown() const;

 private:
  // Returns whether no check has this name. Only a large run of its kind can say so.
  bool is_stale(const std::string& name) const;

  bool all_;
  Print print_;
  Known known_;
  std::map<std::string, double> values_;  // of the checks that ran
  Known failed_;
  std::set<std::string> kinds_;  // of the checks that ran
  std::uint32_t unexpected_ = 0;
};

// Returns text in the manner of printf.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Return variations of a scene in which the smallest body that moves has this size, in m.
//
// - sizes: from 1 mm to 100 m, with ticks that follow the size and with ticks of 1/60 s; and other
//   units of length.
// - rates: from 10 to 1,000 ticks per second.
// - frames: mirrored, turned, and with the bodies in the opposite order.
// - drifts: seen from a moving frame. Fixed bodies become kinematic, so no body may be a plane or a
//   mesh.
std::vector<Variation> sizes(const Suite& suite, double size);
std::vector<Variation> rates(const Suite& suite);
std::vector<Variation> frames(const Suite& suite);
std::vector<Variation> drifts(const Suite& suite);
// Returns the scene as it is, and all of the above but drifts.
std::vector<Variation> variations(const Suite& suite, double size);

// Returns a scene and its variation as one step of the name of a check.
inline std::string named(const std::string& check, const Variation& v) {
  return check + ", " + v.name;
}

// The kinds of checks, each in a file of its name in kinds/.
void check_rolling(Suite& suite);
void check_curved(Suite& suite);
void check_dice(Suite& suite);
void check_pencils(Suite& suite);
void check_joints(Suite& suite);
void check_motors(Suite& suite);
void check_movers(Suite& suite);
void check_continuous(Suite& suite);
void check_friction(Suite& suite);
void check_misses(Suite& suite);
void check_seams(Suite& suite);
void check_springs(Suite& suite);
void check_held(Suite& suite);
void check_impacts(Suite& suite);
void check_spin(Suite& suite);
void check_sleep(Suite& suite);
void check_stacks(Suite& suite);
void check_legs(Suite& suite);
void check_nets(Suite& suite);
void check_symmetry(Suite& suite);
void check_energy(Suite& suite);  // random bodies; it prints the worst seeds

}  // namespace orrery::field
