// Owns the claims of the five source documents: what each says, what is measured, and the verdict.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::lab {

enum class Verdict {
  holds,
  qualified,  // true under conditions that the document does not state
  wrong,
  slip,  // of the pen: what is meant is clear and right
};

std::string_view to_string(Verdict verdict);

// One figure and the bounds that it has to stay in.
struct Measurement {
  std::string what;
  double value = 0;
  double low = 0;
  double high = 0;

  bool within() const { return value >= low && value <= high; }
};

// What a claim's measurement writes to.
class Notebook {
 public:
  // `thorough` asks for the long runs too.
  explicit Notebook(bool thorough) : thorough_(thorough) {}

  bool thorough() const { return thorough_; }

  void between(std::string what, double value, double low, double high);
  void near(std::string what, double value, double expected, double tolerance);
  void at_most(std::string what, double value, double high);
  void at_least(std::string what, double value, double low);

  const std::vector<Measurement>& measurements() const { return measurements_; }
  bool within() const;

 private:
  bool thorough_;
  std::vector<Measurement> measurements_;
};

struct Claim {
  std::string_view id;
  std::string_view sentence;  // in short words of ours, or a short quotation
  Verdict verdict;
  std::string_view reason;
  // Null where there is nothing to measure: a slip, or a matter of taste.
  void (*measure)(Notebook&);

  std::string_view document() const;
};

// One family a document.
std::span<const Claim> true_physics_claims();
std::span<const Claim> fiedler_claims();
std::span<const Claim> corrected_verlet_claims();
std::span<const Claim> catto_claims();
std::span<const Claim> catto_rotation_claims();
std::span<const Claim> utrecht_claims();

// All of them, sorted by id.
std::span<const Claim> claims();

}  // namespace orrery::lab
