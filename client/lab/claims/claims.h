// The claims of the five source documents, with measurements and verdicts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/lab/problem.h"

namespace orrery::lab {

enum class Verdict {
  holds,
  qualified,  // true under conditions that the document does not state
  wrong,
  slip,  // a slip of the pen: the meaning is clear and right
};

std::string_view to_string(Verdict verdict);

// A measured value and the bounds that it must stay in.
struct Measurement {
  std::string what;
  double value = 0;
  double low = 0;
  double high = 0;

  bool within() const { return value >= low && value <= high; }
};

// A list of measurements, to which the functions of the claims write.
class Notebook {
 public:
  // `thorough`: include the long runs.
  explicit Notebook(bool thorough) : thorough_(thorough) {}

  bool thorough() const { return thorough_; }

  void between(std::string what, Real value, double low, double high);
  void near(std::string what, Real value, double expected, double tolerance);
  void at_most(std::string what, Real value, double high);
  void at_least(std::string what, Real value, double low);

  const std::vector<Measurement>& measurements() const { return measurements_; }
  bool within() const;

 private:
  bool thorough_;
  std::vector<Measurement> measurements_;
};

struct Claim {
  std::string_view id;
  std::string_view sentence;  // paraphrase or short quotation
  Verdict verdict;
  std::string_view reason;
  // Null if there is nothing to measure: a slip, or a matter of taste.
  void (*measure)(Notebook&);

  std::string_view document() const;
};

// The claims by document.
std::span<const Claim> true_physics_claims();
std::span<const Claim> kinematic_claims();  // True Physics about its kinematic integrator
std::span<const Claim> fiedler_claims();
std::span<const Claim> corrected_verlet_claims();
std::span<const Claim> catto_claims();
std::span<const Claim> catto_rotation_claims();
std::span<const Claim> utrecht_claims();

// Returns all claims, sorted by id.
std::span<const Claim> claims();

}  // namespace orrery::lab
