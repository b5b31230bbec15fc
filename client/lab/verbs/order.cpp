// Implements `orrery lab order`: measures the order of a method.
#include <cstdio>
#include <string>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/lab/analysis.h"
#include "client/lab/verbs/choice.h"
#include "client/lab/verbs/lab.h"
#include "client/lab/verbs/report.h"

namespace orrery::cli {
namespace {

int lab_order(const LabChoice& options) {
  const Result<LabPair> pair = parse_pair(options.method, options.problem, options.settings);
  if (!pair) return unusable(pair.error().text());
  const lab::OrderReport report =
      lab::measure_order(options.method, pair.value().problem, pair.value().options);
  std::vector<json::Text> points;
  if (!options.json) std::printf("%8s %14s %14s %8s\n", "STEPS", "DT", "ERROR", "SLOPE");
  for (const lab::OrderPoint& point : report.points) {
    points.push_back(json::object({{"steps", point.steps},
                                   {"dt", number(point.dt)},
                                   {"error", number(point.error)},
                                   {"slope", number(point.slope)}}));
    if (options.json) continue;
    std::printf("%8llu %14.6e %14.6e", static_cast<unsigned long long>(point.steps),
                shown(point.dt), shown(point.error));
    if (point.slope) std::printf(" %8.3f", shown(*point.slope));
    std::printf("\n");
  }
  if (options.json) {
    print(json::object({{"method", options.method},
                        {"problem", options.problem},
                        {"time", number(report.time)},
                        {"slope", number(report.slope)},
                        {"points", json::array(points)}}));
  } else if (report.slope) {
    std::printf("slope %.3f, at the smallest step with an error above rounding\n",
                shown(*report.slope));
  } else {
    std::printf("no slope: fewer than two errors are above rounding\n");
  }
  return 0;
}

}  // namespace

void add_lab_order(Verb& lab) {
  auto [verb, options] =
      lab.add_verb("order", "Measure the order of a method: the slope of its error",
                   "  orrery lab order --method pefrl --problem kepler", lab_order);
  add_choice(verb, options);
}

}  // namespace orrery::cli
