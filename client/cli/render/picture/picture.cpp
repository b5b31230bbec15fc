// A picture of bodies: outlines, labels and marks, ready to paint.
#include "client/cli/render/picture/picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::cli {
namespace {

// Speed, in the units of the scene, at or below which a body counts as at rest and is never the
// fastest one.
constexpr double kAtRest = 1e-6;

std::vector<FramedBall> balls_of(const Models& models, std::span<const DrawnBody> bodies,
                                 bool fixed) {
  std::vector<FramedBall> balls;
  for (const DrawnBody& body : bodies) {
    const Model& model = models[body.prototype];
    if (model.fixed == fixed) balls.push_back({body.pose.position, model.radius});
  }
  return balls;
}

// Returns the labels of a picture, most important first.
std::vector<WantedLabel> labels_of(const Models& models, std::span<const DrawnBody> bodies,
                                   const Marks& marks) {
  std::vector<WantedLabel> labels;
  for (const DrawnBody& body : bodies) {
    const Model& model = models[body.prototype];
    if (body.id == marks.selected || body.id == marks.fastest) {
      labels.insert(labels.begin(), {body.id, title_of(model, body.id), /*marked=*/true});
    } else if (!model.fixed && !model.name.empty()) {
      labels.push_back({body.id, model.name});
    }
  }
  return labels;
}

}  // namespace

std::optional<BodyId> fastest_of(const Models& models, std::span<const DrawnBody> bodies) {
  std::optional<BodyId> fastest;
  double best = kAtRest;
  for (const DrawnBody& body : bodies) {
    const double speed = length(body.velocity);
    if (models[body.prototype].fixed || !(speed > best) || !std::isfinite(speed)) continue;
    best = speed;
    fastest = body.id;
  }
  return fastest;
}

std::string title_of(const Model& model, BodyId body) {
  return model.name.empty() ? "body " + std::to_string(body.value) : model.name;
}

View view_of(const Models& models, std::span<const DrawnBody> bodies, Axis axis, double width,
             double height) {
  std::vector<FramedBall> balls = balls_of(models, bodies, false);
  if (balls.empty()) balls = balls_of(models, bodies, true);
  return framed(balls, axis, width, height);
}

Picture compose(const Models& models, std::span<const DrawnBody> bodies, const View& view,
                const Marks& marks, const GlyphSize& glyph) {
  Picture picture{.view = view,
                  .outlines = outlines_of(models, bodies, view, Light::lit),
                  .labels = {},
                  .marks = marks};
  sort_by_depth(picture.outlines);
  picture.labels = place_labels(labels_of(models, bodies, marks), picture.outlines, view, glyph);
  return picture;
}

}  // namespace orrery::cli
