// Implements `orrery draw`: a picture of the bodies after a tick.
#include <cstdio>
#include <optional>

#include "client/cli/command_line/picture_options.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/log_state.h"
#include "client/cli/output_file.h"
#include "client/cli/render/picture/font.h"
#include "client/cli/render/picture/paint.h"
#include "client/cli/render/picture/png.h"
#include "client/cli/render/plot/gnuplot.h"
#include "client/cli/render/world_bodies.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"

namespace orrery::cli {
namespace {

struct DrawOptions {
  std::string log;
  std::optional<std::uint64_t> at;
  std::string out;
  std::string view = "front";
  std::string size = "960x600";
};

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Returns the facts of the caption: scene, tick, hash, view and fastest body.
std::vector<std::string> facts_of(const World& world, const Models& models,
                                  const std::vector<DrawnBody>& bodies, Axis axis,
                                  const std::optional<BodyId>& fastest) {
  std::vector<std::string> facts{
      printable(world.scene().name, 60), "tick " + std::to_string(world.tick().value),
      "hash " + json::hash(world.hash()), std::string(axis_name(axis)) + " view"};
  for (const DrawnBody& body : bodies) {
    if (body.id != fastest) continue;
    facts.push_back("fastest " + title_of(models[body.prototype], body.id) + ", speed " +
                    short_number(length(body.velocity)));
  }
  return facts;
}

// Returns the bytes of the picture file.
std::string draw_world(const World& world, Axis axis, const PageSize& size,
                       plot::PictureFormat format) {
  const Models models = models_of(world);
  const std::vector<DrawnBody> bodies = bodies_of(world);
  const Marks marks{.fastest = fastest_of(models, bodies), .selected = {}};
  const std::vector<std::string> caption =
      caption_lines(facts_of(world, models, bodies, axis, marks.fastest), size.width);
  View view = view_of(models, bodies, axis, size.width, size.height - caption_height(caption));
  view.radius_min = 1.5;
  const Picture picture =
      compose(models, bodies, view, marks, {.width = kGlyphWidth, .height = kGlyphHeight});
  return format == plot::PictureFormat::svg ? svg_page(picture, caption, size)
                                            : png_of(paint_page(picture, caption, size));
}

int draw(const DrawOptions& options) {
  const Result<plot::PictureFormat> format = plot::picture_format(options.out);
  if (!format) return unusable("-o: " + format.error().text());
  const auto playback = session::Playback::open(session::open_log(host::segments_of(options.log)),
                                                session::OtherRules::by_checkpoints);
  if (!playback) return refuse(playback.error().in(options.log));
  const std::optional<Tick> tick = options.at ? std::optional(Tick{*options.at}) : std::nullopt;
  const int exit_code = go_to(*playback.value(), options.log, tick, "--at");
  if (exit_code != 0) return exit_code;
  const World& world = playback.value()->world();
  const std::string picture =
      draw_world(world, axis_named(options.view), size_named(options.size), format.value());
  if (const Status written = replace_file(options.out, picture); !written) {
    return unusable("-o: " + written.error().text());
  }
  std::printf("%s: tick %llu, hash %s\n", printable(options.out).c_str(),
              static_cast<unsigned long long>(world.tick().value),
              json::hash(world.hash()).c_str());
  return tick ? 0 : judge_end(options.log, playback.value()->tail());
}

}  // namespace

void add_draw(Verb& program) {
  auto [verb, options] =
      program.add_verb("draw", "Draw the bodies after any tick of a session log",
                       "  orrery draw a.orrery -o a.svg\n"
                       "  orrery draw a.orrery --at 300 --view top --size 1280x800 -o a.png",
                       draw);
  add_log_argument(verb, options.log);
  verb.option("--at", options.at, "Draw the state after this tick")
      .shows_default("the end of the log")
      .ticks()
      .type("TICK");
  verb.option("-o", options.out, "Picture to write, .svg or .png. An existing file is replaced")
      .required()
      .type("FILE");
  add_view(verb, options.view);
  add_size(verb, options.size);
}

}  // namespace orrery::cli
