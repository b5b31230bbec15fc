// Owns the choice of a method by its name: the methods of common/integrate behind one interface.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "client/lab/problem.h"
#include "client/lab/system.h"
#include "common/integrate/system.h"

namespace orrery::lab {

template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Gets the method going from a state; h is the first step. A Stepper may be started again.
  virtual void start(integrate::State<T>& state, LabSystem<T>& system, T h) = 0;
  virtual void step(integrate::State<T>& state, LabSystem<T>& system, T h) = 0;
};

// What may be chosen about a method: only newmark has something.
struct MethodOptions {
  double beta = 0.25;
  double gamma = 0.5;
};

// The names of the catalogue, and those of a few variants that claims are about: a kick that solves
// drag (leapfrog-kdk-exact-drag, leapfrog-kdk-crank-nicolson, forest-ruth-exact-drag,
// pefrl-exact-drag), verlet-central-drag and leapfrog-staggered-no-start.
std::span<const std::string_view> method_names();

// The method of that name, which there must be. T is float, double or long double.
template <class T>
std::unique_ptr<Stepper<T>> make_stepper(std::string_view name, std::size_t dimension,
                                         const MethodOptions& options = {});

// An error if there is no such method, or if the problem lacks what it needs.
Status check_method(std::string_view name, const Problem& problem);

// Whether a step depends on more than the state before it.
bool has_memory(std::string_view name, const Problem& problem);

// Whether its formula is one for steps of equal length.
bool needs_equal_steps(std::string_view name);

// Takes "beta" and "gamma" out of the settings if the method is newmark.
Result<MethodOptions> take_method_options(std::string_view method, std::vector<Setting>& settings);

}  // namespace orrery::lab
