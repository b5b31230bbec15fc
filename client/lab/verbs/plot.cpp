// Implements `orrery lab plot`: draws figures with gnuplot.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/output_file.h"
#include "client/cli/render/plot/gnuplot.h"
#include "client/cli/unusable.h"
#include "client/lab/figures/figures.h"
#include "client/lab/verbs/lab.h"
#include "common/core/nearest.h"
#include "common/core/printable.h"

namespace orrery::cli {
namespace {

struct LabPlotOptions {
  std::string figure;
  std::string output;
  bool list = false;
  bool json = false;
};

int list_figures(bool as_json) {
  std::vector<json::Text> objects;
  for (const lab::Figure& figure : lab::figures()) {
    objects.push_back(json::object({{"name", figure.name}, {"about", figure.about}}));
    if (as_json) continue;
    std::printf("%-38s %s\n", std::string(figure.name).c_str(), std::string(figure.about).c_str());
  }
  if (as_json) {
    json::print(json::object({{"figures", json::array(objects)}}));
  }
  return 0;
}

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
  const Result<plot::PictureFormat> format = plot::picture_format(options.output);
  if (!format) return unusable("--output: " + format.error().text());
  const Result<std::string> picture = plot::draw(figure->make(), format.value());
  if (!picture) return unusable("--output: " + picture.error().text());
  if (Status written = replace_file(options.output, picture.value()); !written) {
    return unusable("--output: " + written.error().text());
  }
  if (options.json) {
    json::print(json::object({{"figure", figure->name}, {"file", options.output}}));
  } else {
    std::printf("%s\n", printable(options.output).c_str());
  }
  return 0;
}

}  // namespace

void add_lab_plot(Verb& lab) {
  auto [verb, options] = lab.add_verb("plot", "Draw a figure with gnuplot",
                                      "  orrery lab plot --list\n"
                                      "  orrery lab plot phase-semi-implicit-euler -o phase.svg",
                                      lab_plot);
  verb.option("FIGURE", options.figure, "Figure to draw, from --list");
  verb.option("-o,--output", options.output,
              "Picture to write, .svg or .png. An existing file is replaced")
      .type("FILE");
  verb.flag("--list", options.list, "List the figures");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
