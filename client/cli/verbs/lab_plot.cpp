// Implements `orrery lab plot`: draws figures with gnuplot.
#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/output_file.h"
#include "client/cli/verbs/lab.h"
#include "client/cli/verbs/verbs.h"
#include "client/lab/figures/figures.h"
#include "client/lab/figures/gnuplot.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"

namespace orrery::cli {

namespace {

int list_figures(bool as_json) {
  std::vector<std::string> objects;
  for (const lab::Figure& figure : lab::figures()) {
    objects.push_back(json::Object()
                          .add("name", json::of(figure.name))
                          .add("about", json::of(figure.about))
                          .text());
    if (as_json) continue;
    std::printf("%-38s %s\n", std::string(figure.name).c_str(), std::string(figure.about).c_str());
  }
  if (as_json) {
    std::printf("%s\n", json::Object().add("figures", json::array(objects)).text().c_str());
  }
  return 0;
}

}  // namespace

int lab_plot(const LabPlotOptions& options) {
  if (options.list) return list_figures(options.json);
  if (options.figure.empty()) return unusable("FIGURE: none given; see orrery lab plot --list");
  const lab::Figure* const figure = lab::find_figure(options.figure);
  if (figure == nullptr) {
    std::vector<std::string_view> known;
    for (const lab::Figure& each : lab::figures()) known.push_back(each.name);
    return unusable("FIGURE: " + unknown_name("figure", options.figure, known));
  }
  if (options.output.empty()) return unusable("--output: none given; give a .svg or .png file");
  const Result<lab::PictureFormat> format = lab::picture_format(options.output);
  if (!format) return unusable("--output: " + format.error().message);
  const Result<std::string> picture = lab::draw(figure->make(), format.value());
  if (!picture) return unusable("--output: " + picture.error().message);
  if (Status written = replace_file(options.output, picture.value()); !written) {
    return unusable("--output: " + written.error().message);
  }
  if (options.json) {
    std::printf("%s\n", json::Object()
                            .add("figure", json::of(figure->name))
                            .add("file", json::of(std::string_view(options.output)))
                            .text()
                            .c_str());
  } else {
    std::printf("%s\n", printable(options.output).c_str());
  }
  return 0;
}

}  // namespace orrery::cli
