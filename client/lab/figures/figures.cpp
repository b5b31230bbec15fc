// The list of all figures.
#include "client/lab/figures/figures.h"

namespace orrery::lab {

std::span<const Figure> figures() {
  static const std::vector<Figure> all = [] {
    std::vector<Figure> list;
    for (const auto family : {fiedler_figures(), corrected_verlet_figures(), catto_figures(),
                              calculus_figures(), comparison_figures(), joint_figures()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    return list;
  }();
  return all;
}

const Figure* find_figure(std::string_view name) {
  for (const Figure& figure : figures()) {
    if (figure.name == name) return &figure;
  }
  return nullptr;
}

}  // namespace orrery::lab
