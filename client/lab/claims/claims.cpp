// The list of all claims, and the bounds of their measurements.
#include "client/lab/claims/claims.h"

#include <algorithm>
#include <limits>

namespace orrery::lab {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::qualified:
      return "qualified";
    case Verdict::wrong:
      return "wrong";
    default:
      return "slip of the pen";
  }
}

void Notebook::between(std::string what, Real value, double low, double high) {
  measurements_.push_back({std::move(what), static_cast<double>(value), low, high});
}

void Notebook::near(std::string what, Real value, double expected, double tolerance) {
  between(std::move(what), value, expected - tolerance, expected + tolerance);
}

void Notebook::at_most(std::string what, Real value, double high) {
  between(std::move(what), value, -std::numeric_limits<double>::infinity(), high);
}

void Notebook::at_least(std::string what, Real value, double low) {
  between(std::move(what), value, low, std::numeric_limits<double>::infinity());
}

bool Notebook::within() const {
  return std::all_of(measurements_.begin(), measurements_.end(),
                     [](const Measurement& measurement) { return measurement.within(); });
}

std::string_view Claim::document() const {
  constexpr std::string_view kDocuments[] = {
      "True Physics (2010)", "Fiedler, Integration Basics (2004)",
      "Dummer, Time-Corrected Verlet (2005)", "Catto, Numerical Methods (GDC 2015)",
      "Pronost, Numerical Integration (Utrecht University)"};
  return kDocuments[id[1] - '0'];
}

std::span<const Claim> claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> list;
    for (const auto family :
         {true_physics_claims(), kinematic_claims(), fiedler_claims(), corrected_verlet_claims(),
          catto_claims(), catto_rotation_claims(), utrecht_claims()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    std::sort(list.begin(), list.end(), [](const Claim& a, const Claim& b) { return a.id < b.id; });
    return list;
  }();
  return all;
}

}  // namespace orrery::lab
