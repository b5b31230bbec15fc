// Implements `orrery lab methods` and `orrery lab problems`: lists the methods and the problems.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/lab/method.h"
#include "client/lab/problem.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"
#include "common/integrate/catalogue.h"

namespace orrery::cli {
namespace {

struct ListOptions {
  bool json = false;
};

std::string shown_limit(double limit) {
  if (std::isinf(limit)) return "none";
  if (limit == 0) return "never";
  char out[32];
  std::snprintf(out, sizeof out, "%.5f", limit);
  return out;
}

json::Text needs(std::uint8_t bits) {
  std::vector<json::Text> items;
  if (bits & integrate::kNeedsJacobian) items.push_back(json::of("jacobian"));
  if (bits & integrate::kNeedsDrag) items.push_back(json::of("drag"));
  if (bits & integrate::kNeedsForces) items.push_back(json::of("forces"));
  if (bits & integrate::kNeedsFixedStep) items.push_back(json::of("fixed-step"));
  return json::array(items);
}

json::Text method_object(const integrate::Method& method) {
  const auto limit = [](double value) {
    return std::isinf(value) ? json::null() : json::of(value);
  };
  return json::object({{"name", method.name},
                       {"title", method.title},
                       {"order", method.order},
                       {"limit", limit(method.oscillator_limit)},
                       {"drag_limit", limit(method.drag_limit)},
                       {"evaluations", method.evaluations},
                       {"evaluations_with_velocity", method.evaluations_with_velocity},
                       {"energy", method.energy},
                       {"needs", needs(method.needs)},
                       {"source", method.source}});
}

// Returns the lab's methods that are not in common/integrate/catalogue.h.
std::vector<std::string_view> variants() {
  std::vector<std::string_view> names;
  for (const std::string_view name : lab::method_names()) {
    if (integrate::find_method(name) == nullptr) names.push_back(name);
  }
  return names;
}

void print_methods() {
  std::printf("%-28s %5s %9s %9s %5s  %s\n", "METHOD", "ORDER", "LIMIT h*w", "DRAG h*b", "EVALS",
              "ENERGY OF AN OSCILLATOR; SOURCE");
  for (const integrate::Method& method : integrate::kMethods) {
    std::printf("%-28s %5d %9s %9s %5d  %s; %s\n", std::string(method.name).c_str(), method.order,
                shown_limit(method.oscillator_limit).c_str(),
                shown_limit(method.drag_limit).c_str(), method.evaluations,
                std::string(method.energy).c_str(), std::string(method.source).c_str());
  }
  std::printf("\nVariants that the claims and the problems with drag use:");
  for (const std::string_view name : variants()) std::printf(" %s", std::string(name).c_str());
  std::printf("\n\n%-28s %5s  %s\n", "ROTATION METHOD", "ORDER", "ENERGY; SOURCE");
  for (const integrate::RotationMethod& method : integrate::kRotationMethods) {
    std::printf("%-28s %5d  %s; %s\n", std::string(method.name).c_str(), method.order,
                std::string(method.energy).c_str(), std::string(method.source).c_str());
  }
}

json::Text problem_object(const lab::ProblemInfo& info) {
  json::Object parameters;
  for (const lab::Parameter& parameter : info.parameters) {
    parameters.add(parameter.name, parameter.value);
  }
  return json::object({{"name", info.name},
                       {"equation", info.equation},
                       {"about", info.about},
                       {"parameters", parameters.text()}});
}

int list_methods(const ListOptions& options) {
  if (!options.json) {
    print_methods();
    return 0;
  }
  std::vector<json::Text> methods, rotation;
  for (const integrate::Method& method : integrate::kMethods) {
    methods.push_back(method_object(method));
  }
  for (const integrate::RotationMethod& method : integrate::kRotationMethods) {
    rotation.push_back(json::object({{"name", method.name},
                                     {"title", method.title},
                                     {"order", method.order},
                                     {"energy", method.energy},
                                     {"source", method.source}}));
  }
  print(json::object(
      {{"methods", json::array(methods)}, {"rotation_methods", json::array(rotation)}}));
  return 0;
}

int list_problems(const ListOptions& options) {
  std::vector<json::Text> objects;
  for (const lab::ProblemInfo& info : lab::problems()) {
    objects.push_back(problem_object(info));
    if (options.json) continue;
    std::string parameters;
    for (const lab::Parameter& parameter : info.parameters) {
      parameters += " " + std::string(parameter.name) + "=" + json::of(parameter.value).text;
    }
    std::printf("%-15s %s\n%-15s %s;%s\n", std::string(info.name).c_str(),
                std::string(info.equation).c_str(), "", std::string(info.about).c_str(),
                parameters.c_str());
  }
  if (options.json) print(json::object({{"problems", json::array(objects)}}));
  return 0;
}

}  // namespace

void add_lab_methods(Verb& lab) {
  auto [verb, options] = lab.add_verb("methods", "List the integration and rotation methods",
                                      "  orrery lab methods --json", list_methods);
  add_json(verb, options.json);
}

void add_lab_problems(Verb& lab) {
  auto [verb, options] = lab.add_verb("problems", "List the test problems and their parameters",
                                      "  orrery lab problems", list_problems);
  add_json(verb, options.json);
}

}  // namespace orrery::cli
