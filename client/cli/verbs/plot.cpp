// Implements `orrery plot`: a picture of the drift of energy and momentum.
#include <array>
#include <cstdio>
#include <vector>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/output_file.h"
#include "client/cli/render/plot/gnuplot.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/process/terminal.h"
#include "common/session/replay/replay.h"
#include "common/world/report/conserved.h"

namespace orrery::cli {
namespace {

struct PlotOptions {
  std::string log;
  std::string out;  // .svg or .png
  bool json = false;
};

// Samples at equal intervals of time. When the list has more than kSamplesMax, it drops every
// second sample and doubles the interval.
class Samples {
 public:
  void add(const World& world) {
    if (world.tick().value % stride_ != 0) return;
    list_.push_back(
        {static_cast<double>(world.tick().value) * world.tick_time(), conserved(world)});
    if (list_.size() <= kSamplesMax) return;
    stride_ *= 2;
    for (std::size_t i = 0; 2 * i < list_.size(); ++i) list_[i] = list_[2 * i];
    list_.resize((list_.size() + 1) / 2);
  }

  struct Sample {
    double time = 0;
    Conserved kept;
  };
  const std::vector<Sample>& list() const { return list_; }

 private:
  static constexpr std::size_t kSamplesMax = 2000;

  std::uint64_t stride_ = 1;  // ticks between samples
  std::vector<Sample> list_;
};

std::string four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// Returns a name that is safe in a title: gnuplot would interpret special characters.
std::string plain(const std::string& name) {
  std::string out = printable(name, 40);
  for (char& c : out) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '.' && c != ':') c = '-';
  }
  return out;
}

plot::Panel panel(const char* what, const char* unit, double first, const Samples& samples,
                  const Scene& scene, auto value) {
  const std::string in = is_in_si(scene) ? unit : "units of the scene";
  plot::Panel panel;
  panel.title = std::string(what) + ", " + four_digits(first) + " " +
                (is_in_si(scene) ? in + " " : "") + "at the start";
  panel.x_label = is_in_si(scene) ? "time [s]" : "time [unit of the scene]";
  panel.y_label = std::string("change [") + in + "]";
  panel.legend = false;
  plot::Curve curve;
  curve.colour = 2;
  bool flat = true;
  for (const auto& sample : samples.list()) {
    curve.points.emplace_back(sample.time, value(sample.kept));
    flat = flat && curve.points.back().second == 0;
  }
  if (flat) panel.y_range = plot::Range{-1, 1};
  if (samples.list().size() == 1) panel.x_range = plot::Range{0, 1};
  panel.curves.push_back(std::move(curve));
  return panel;
}

plot::Chart chart_of(const World& world, const Samples& samples) {
  ORRERY_ASSERT(!samples.list().empty());
  const Scene& scene = world.scene();
  const Conserved& first = samples.list().front().kept;
  plot::Chart chart;
  chart.title = plain(scene.name) + ", " + counted(world.tick().value, "tick");
  chart.panels = {panel("Energy", "J", first.energy, samples, scene,
                        [&](const Conserved& c) { return c.energy - first.energy; }),
                  panel("Momentum", "kg m/s", length(first.momentum), samples, scene,
                        [&](const Conserved& c) { return length(c.momentum - first.momentum); }),
                  panel("Angular momentum about the origin", "kg m^2/s",
                        length(first.angular_momentum), samples, scene, [&](const Conserved& c) {
                          return length(c.angular_momentum - first.angular_momentum);
                        })};
  return chart;
}

int plot(const PlotOptions& options) {
  const Result<plot::PictureFormat> format = plot::picture_format(options.out);
  if (!format) return unusable("-o: " + format.error().text());
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  const std::string name = printable(options.log) + ": ";
  Result<World> made = session::initial_world(log.value().header);
  if (!made) return unusable(name + made.error().text());
  World& world = made.value();
  Samples samples;
  samples.add(world);
  SerialExecutor executor;
  host::ProgressBar progress("plot " + printable(options.log, 40), log.value().source->size());
  const Status replayed = session::replay_to(
      *log.value().reader, log.value().header, world, executor, Tick{~std::uint64_t{0}}, [&] {
        samples.add(world);
        progress.show(log.value().reader->tail().complete_bytes);
      });
  const session::LogTail& tail = log.value().reader->tail();
  if (tail.unreadable) return unusable(tail.unreadable->text());
  if (!replayed) return unusable(name + replayed.error().text(), 1);
  const Result<std::string> picture = plot::draw(chart_of(world, samples), format.value());
  if (!picture) return unusable("-o: " + picture.error().text());
  if (Status written = replace_file(options.out, picture.value()); !written) {
    return unusable("-o: " + written.error().text());
  }
  if (options.json) {
    json::print(json::object({{"file", options.out},
                              {"ticks", world.tick().value},
                              {"samples", samples.list().size()}}));
  } else {
    std::printf("%s\n", printable(options.out).c_str());
  }
  return judge_end(options.log, tail);
}

}  // namespace

void add_plot(Verb& program) {
  auto [verb, options] =
      program.add_verb("plot", "Plot the drift of energy and momentum, with gnuplot",
                       "  orrery plot a.orrery -o a.svg", plot);
  add_log_argument(verb, options.log);
  verb.option("-o", options.out, "Picture to write, .svg or .png. An existing file is replaced")
      .required()
      .type("FILE");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
