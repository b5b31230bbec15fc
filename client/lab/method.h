// Makes an integration method from its name, behind one interface.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "client/lab/problem.h"
#include "client/lab/system.h"
#include "common/integrate/system.h"

namespace orrery::lab {

// An integration method and the data that it keeps between steps.
template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Prepares for steps from a state. `h` is the length of the first step. May be called again.
  virtual void start(integrate::State<T>& state, LabSystem<T>& system, T h) = 0;
  virtual void step(integrate::State<T>& state, LabSystem<T>& system, T h) = 0;
};

// Options of a method. Only newmark has any.
struct MethodOptions {
  double beta = 0.25;
  double gamma = 0.5;
};

// Returns the names of the catalogue (common/integrate/catalogue.h), and of some variants that only
// claims and figures use:
// - methods with kicks that also solve drag: leapfrog-kdk-exact-drag, leapfrog-kdk-crank-nicolson,
//   forest-ruth-exact-drag, pefrl-exact-drag
// - verlet-central-drag and leapfrog-staggered-no-start
std::span<const std::string_view> method_names();

// Returns a method. T is float, double or long double. REQUIRES: a name of method_names().
template <class T>
std::unique_ptr<Stepper<T>> make_stepper(std::string_view name, std::size_t dimension,
                                         const MethodOptions& options = {});

// Returns an error in these cases: there is no such method; the method solves some forces exactly
// (kinematic), and the problem has none of these; or the method needs equal steps, and bounces cut
// the steps of the problem.
Status check_method(std::string_view name, const Problem& problem);

// Returns true if a step depends on more than the current state.
bool has_memory(std::string_view name, const Problem& problem);

// Returns true if the laboratory refuses random steps for the method: for Adams methods and Beeman.
bool needs_equal_steps(std::string_view name);

// Removes beta and gamma from the settings if the method is newmark, and returns them. Returns an
// error if one is not from 0 to 1. Returns the defaults for other methods.
Result<MethodOptions> take_method_options(std::string_view method, std::vector<Setting>& settings);

}  // namespace orrery::lab
