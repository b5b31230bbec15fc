// Prints the rows of `bench field`.
#include "tests/bench/rows.h"

#include <algorithm>

#include "tests/bench/field/field.h"
#include "tests/bench/table.h"
#include "tests/field/trial.h"

namespace orrery::bench {
namespace {

// Returns the error as a share of the bound, or nothing where the bound is 0.
std::string share(double error, double bound) {
  return bound > 0 ? format(" (%.2g of the bound)", error / bound) : std::string();
}

// Measures and prints a row. Returns whether it meets its bound.
bool print(const FieldCase& row) {
  const Outcome ours = row.measure(field_orrery);
  Outcome bullet{std::string(row.bullet.text), row.bullet.error};
  Outcome ode{std::string(row.ode.text), row.ode.error};
  if (row.peers_run) {
    bullet = row.measure(field_bullet);
    ode = row.measure(field_ode);
  }
  const double best = std::min({bullet.error, ode.error, row.box3d.error});
  const double bound = std::max(row.enough, best);
  const bool met = ours.error <= bound;
  std::string peers = row.peers_run ? "" : "recorded: ";
  const auto append = [&](const char* name, const std::string& text) {
    if (!text.empty()) peers += name + text + "; ";
  };
  append("Bullet ", bullet.text);
  append("ODE ", ode.text);
  append("Box3D (recorded) ", row.box3d.text);
  if (peers.size() > 2) peers.resize(peers.size() - 2);
  print_row(row.name, format("%s, within %.2g", row.right, bound),
            ours.text + share(ours.error, bound) + (met ? ", ok" : ", missed"), peers);
  return met;
}

}  // namespace

std::unique_ptr<field::Engine> field_orrery(const Scene& scene) {
  return std::make_unique<field::Trial>(scene);
}

void print_field_rows() {
  int rows = 0, met = 0;
  for (const auto& cases : {contact_cases(), impact_cases(), pile_cases(), joint_cases()}) {
    for (const FieldCase& row : cases) {
      ++rows;
      met += print(row);
    }
  }
  print_row("rows that meet their bound", "all", format("%d of %d", met, rows), "");
}

}  // namespace orrery::bench
