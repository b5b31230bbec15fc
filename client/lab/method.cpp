// Makes an integration method from its name, behind one interface.
#include "client/lab/method.h"

#include <algorithm>
#include <cmath>

#include "client/lab/library_functions.h"
#include "client/lab/methods/composition.h"
#include "client/lab/methods/euler.h"
#include "client/lab/methods/implicit.h"
#include "client/lab/methods/kinematic.h"
#include "client/lab/methods/multistep.h"
#include "client/lab/methods/predictor.h"
#include "client/lab/methods/runge_kutta.h"
#include "client/lab/methods/velocity_verlet.h"
#include "client/lab/methods/verlet.h"
#include "common/core/nearest.h"
#include "common/integrate/catalogue.h"

namespace orrery::lab {

namespace {

using namespace orrery::integrate;

template <class T, class Method>
class Adapter final : public Stepper<T> {
 public:
  template <class... Arguments>
  explicit Adapter(Arguments... arguments) : method_(arguments...) {}

  void start(State<T>& state, LabSystem<T>& system, T h) override {
    method_.start(state, system, h);
  }
  void step(State<T>& state, LabSystem<T>& system, T h) override { method_.step(state, system, h); }

 private:
  Method method_;
};

template <class T>
using Maker = std::unique_ptr<Stepper<T>> (*)(std::size_t, const MethodOptions&);

template <class T>
struct Entry {
  std::string_view name;
  Maker<T> make;
};

// Makes a method whose constructor takes the dimension and the constants `kArguments`.
template <class T, class Method, auto... kArguments>
std::unique_ptr<Stepper<T>> make(std::size_t n, const MethodOptions&) {
  return std::make_unique<Adapter<T, Method>>(n, kArguments...);
}

template <class T, class Method>
std::unique_ptr<Stepper<T>> make_with_exact_drag(std::size_t n, const MethodOptions&) {
  return std::make_unique<Adapter<T, Method>>(n, ExactDragKick<T>{library_functions<T>().exp});
}

template <class T>
std::unique_ptr<Stepper<T>> make_exponential(std::size_t n, const MethodOptions&) {
  return std::make_unique<Adapter<T, ExponentialEuler<T>>>(n, library_functions<T>());
}

template <class T>
std::unique_ptr<Stepper<T>> make_newmark(std::size_t n, const MethodOptions& options) {
  return std::make_unique<Adapter<T, Newmark<T>>>(n, static_cast<T>(options.beta),
                                                  static_cast<T>(options.gamma));
}

template <class T, KinematicPosition kPosition>
std::unique_ptr<Stepper<T>> make_kinematic(std::size_t n, const MethodOptions&) {
  return std::make_unique<Adapter<T, Kinematic<T>>>(n, kPosition, library_functions<T>());
}

template <class T>
constexpr auto makers() {
  using Predictor = BackwardEulerPredictor<T>;
  using Verlet = PositionVerlet<T>;
  using Corrected = TimeCorrectedVerlet<T>;
  using ExactDrag = ExactDragKick<T>;
  return std::to_array<Entry<T>>({
      {"explicit-euler", make<T, ExplicitEuler<T>>},
      {"semi-implicit-euler", make<T, SemiImplicitEuler<T>>},
      {"semi-implicit-euler-x-first", make<T, SemiImplicitEulerPositionFirst<T>>},
      {"taylor-euler", make<T, TaylorEuler<T>>},
      {"exponential-euler", make_exponential<T>},
      {"backward-euler", make<T, BackwardEuler<T>>},
      {"backward-euler-predictor", make<T, Predictor, CorrectedPosition::from_corrected_velocity>},
      {"backward-euler-predictor-x",
       make<T, Predictor, CorrectedPosition::from_predicted_velocity>},
      {"midpoint", make<T, Midpoint<T>>},
      {"heun", make<T, Heun<T>>},
      {"trapezoidal", make<T, Trapezoidal<T>>},
      {"implicit-midpoint", make<T, ImplicitMidpoint<T>>},
      {"rk4", make<T, RungeKutta4<T>>},
      {"verlet", make<T, Verlet, VerletStart::taylor>},
      {"verlet-rk4-start", make<T, Verlet, VerletStart::runge_kutta>},
      {"verlet-euler-start", make<T, Verlet, VerletStart::euler>},
      {"verlet-naive-start", make<T, Verlet, VerletStart::naive>},
      {"tcv", make<T, Corrected, TimeCorrection::published>},
      {"tcv-full", make<T, Corrected, TimeCorrection::full>},
      {"velocity-verlet", make<T, VelocityVerlet<T>>},
      {"leapfrog-dkd", make<T, LeapfrogDriftKickDrift<T>>},
      {"leapfrog-kdk", make<T, LeapfrogKickDriftKick<T>>},
      {"leapfrog-staggered", make<T, LeapfrogStaggered<T>, LeapfrogStart::half_step>},
      {"beeman", make<T, Beeman<T>>},
      {"newmark", make_newmark<T>},
      {"ab2", make<T, AdamsBashforth2<T>>},
      {"ab4", make<T, AdamsBashforth4<T>>},
      {"abm4", make<T, AdamsBashforthMoulton4<T>>},
      {"forest-ruth", make<T, ForestRuth<T>>},
      {"yoshida4", make<T, Yoshida4<T>>},
      {"yoshida6", make<T, Yoshida6<T>>},
      {"suzuki4", make<T, Suzuki4<T>>},
      {"pefrl", make<T, Pefrl<T>>},
      {"kinematic", make_kinematic<T, KinematicPosition::exact>},
      {"kinematic-average", make_kinematic<T, KinematicPosition::average>},
      // Variants that are not in the catalogue. Claims and figures use them.
      {"leapfrog-kdk-exact-drag", make_with_exact_drag<T, LeapfrogKickDriftKick<T, ExactDrag>>},
      {"leapfrog-kdk-crank-nicolson", make<T, LeapfrogKickDriftKick<T, CrankNicolsonKick<T>>>},
      {"forest-ruth-exact-drag", make_with_exact_drag<T, ForestRuth<T, ExactDrag>>},
      {"pefrl-exact-drag", make_with_exact_drag<T, Pefrl<T, ExactDrag>>},
      {"verlet-central-drag", make<T, VerletCentral<T>>},
      {"leapfrog-staggered-no-start", make<T, LeapfrogStaggered<T>, LeapfrogStart::none>},
  });
}

// Returns true if the table begins with all methods of the catalogue, in the same order.
constexpr bool begin_with_the_catalogue() {
  const auto all = makers<double>();
  return all.size() >= kMethods.size() &&
         std::equal(kMethods.begin(), kMethods.end(), all.begin(),
                    [](const auto& row, const auto& entry) { return row.name == entry.name; });
}
static_assert(begin_with_the_catalogue(), "common/integrate/catalogue.h has other methods");

bool is_kinematic(std::string_view name) { return name.starts_with("kinematic"); }

}  // namespace

std::span<const std::string_view> method_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& entry : makers<double>()) all.push_back(entry.name);
    return all;
  }();
  return names;
}

template <class T>
std::unique_ptr<Stepper<T>> make_stepper(std::string_view name, std::size_t dimension,
                                         const MethodOptions& options) {
  static constexpr auto kMakers = makers<T>();
  const auto found = std::find_if(kMakers.begin(), kMakers.end(),
                                  [name](const Entry<T>& entry) { return entry.name == name; });
  ORRERY_ASSERT(found != kMakers.end());
  return found->make(dimension, options);
}

template std::unique_ptr<Stepper<float>> make_stepper<float>(std::string_view, std::size_t,
                                                             const MethodOptions&);
template std::unique_ptr<Stepper<double>> make_stepper<double>(std::string_view, std::size_t,
                                                               const MethodOptions&);
template std::unique_ptr<Stepper<Real>> make_stepper<Real>(std::string_view, std::size_t,
                                                           const MethodOptions&);

Status check_method(std::string_view name, const Problem& problem) {
  const auto names = method_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return Error::at("--method", ": " + unknown_name("method", name, names));
  }
  if (is_kinematic(name) && LabSystem<double>(problem).has_other_forces()) {
    return Error::at("--method", " " + std::string(name) +
                                     ": needs a constant force, springs or linear drag, which " +
                                     std::string(problem.info->name) +
                                     " lacks; use semi-implicit-euler");
  }
  if (problem.form == Form::bounce && needs_equal_steps(name)) {
    return Error::at("--method", " " + std::string(name) +
                                     ": needs equal steps, which bounces cut; use velocity-verlet");
  }
  return ok_status();
}

bool has_memory(std::string_view name, const Problem& problem) {
  if (name.starts_with("verlet") || name.starts_with("tcv") || needs_equal_steps(name)) return true;
  const bool keeps_force = name == "leapfrog-kdk" || name == "yoshida4";
  return name.starts_with("leapfrog-staggered") || (keeps_force && problem.drag != 0);
}

// Position Verlet also assumes equal steps, but random steps are allowed for it: the claims measure
// how much larger its error then is than that of time-corrected Verlet.
bool needs_equal_steps(std::string_view name) {
  return name == "ab2" || name == "ab4" || name == "abm4" || name == "beeman";
}

Result<MethodOptions> take_method_options(std::string_view method, std::vector<Setting>& settings) {
  MethodOptions options;
  if (method != "newmark") return options;
  const auto take = [&settings](std::string_view key, double& value) {
    for (const Setting& setting : settings) {
      if (setting.key == key) value = setting.value;
    }
    std::erase_if(settings, [key](const Setting& setting) { return setting.key == key; });
  };
  take("beta", options.beta);
  take("gamma", options.gamma);
  const auto sensible = [](double value) { return value >= 0 && value <= 1; };
  if (!sensible(options.beta) || !sensible(options.gamma)) {
    return Error::at("--set", ": beta and gamma of newmark must be from 0 to 1");
  }
  return options;
}

}  // namespace orrery::lab
