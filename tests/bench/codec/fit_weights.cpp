// Fits the weights of the delta codec to files of frames, and prints them for
// common/codec/delta/weights.h.
//
//   fit_weights SECONDS FILE...
//
// It changes one weight at a time and keeps a change if the files get smaller: the sum of the
// logarithms of their sizes, so that every file counts the same. From each file it takes chains of
// frames at several distances. The result is the same for the same files and rounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/codec/delta/delta_codec.h"
#include "common/host/process/clock.h"
#include "tests/bench/codec/frame_set.h"

namespace orrery {
namespace {

using cli::RecordedFrame;

// Frames of which each is the baseline of the next.
using Chain = std::vector<RecordedFrame>;

struct TrainingSet {
  std::string name;
  codec::DeltaScene scene;
  std::vector<Chain> chains;
};

constexpr std::size_t kChainFrames = 40;
constexpr std::size_t kDistances[] = {6, 6, 1, 6, 12, 3};

// Takes chains from everywhere in the file.
TrainingSet training_set(const std::string& path) {
  const auto [scene, frames] = bench::read_frame_set("fit_weights", path);
  TrainingSet set{path, scene, {}};
  for (std::size_t i = 0; i < std::size(kDistances); ++i) {
    const std::size_t length = std::min(frames.size(), kChainFrames * kDistances[i]);
    const std::size_t begin = (frames.size() - length) * i / std::size(kDistances);
    Chain& chain = set.chains.emplace_back();
    for (std::size_t at = 0; at < length; at += kDistances[i]) chain.push_back(frames[begin + at]);
  }
  return set;
}

// Returns the bytes of all chains. The first frames of a chain do not count.
double size_of(const TrainingSet& set, const codec::Weights& weights) {
  codec::DeltaCodec coder(set.scene, codec::DeltaLevel::fast, weights);
  std::vector<std::uint8_t> bytes;
  std::size_t size = 0;
  for (const Chain& chain : set.chains) {
    codec::CodedFrame last, next;
    last.frame = chain[0].frame;
    for (std::size_t i = 1; i < chain.size(); ++i) {
      bytes.clear();
      coder.encode(last, chain[i].frame, chain[i].references, next, bytes);
      std::swap(last, next);
      if (i > 2) size += bytes.size();
    }
  }
  return static_cast<double>(size);
}

double cost_of(const std::vector<TrainingSet>& sets, const codec::Weights& weights) {
  double sum = 0;
  for (const TrainingSet& set : sets) sum += std::log(size_of(set, weights));
  return sum / static_cast<double>(sets.size());
}

// A weight other than 0, and how it may change: a number is added to weights of the scale, and
// other weights are multiplied by a number. A weight of 0 belongs to a feature that does not exist.
struct Handle {
  double* weight;
  bool adds;
  double step = 0.5;
};

std::vector<Handle> handles(codec::Weights& weights) {
  std::vector<Handle> all;
  const auto add = [&all](auto& blend) {
    for (codec::PredictorWeights& p : blend.predictors) {
      for (double* const weight : {&p.trust, &p.doubt, &p.surprise}) {
        if (*weight != 0) all.push_back({weight, false});
      }
    }
    for (double& weight : blend.scale) {
      if (weight != 0) all.push_back({&weight, true});
    }
    all.push_back({&blend.seen, false});
    all.push_back({&blend.drift, false});
  };
  add(weights.position);
  add(weights.rotation);
  return all;
}

// Tries a larger and a smaller weight. Returns the better cost.
double improve(const std::vector<TrainingSet>& sets, const codec::Weights& weights, Handle& handle,
               double best) {
  const double old = *handle.weight;
  for (const double sign : {1.0, -1.0}) {
    *handle.weight =
        handle.adds ? old + 0.2 * sign * handle.step : old * std::exp(2 * sign * handle.step);
    const bool sound = codec::is_sound(weights.position) && codec::is_sound(weights.rotation) &&
                       weights.position.seen < 1 && weights.rotation.seen < 1;
    const double cost = sound ? cost_of(sets, weights) : best;
    if (cost < best) {
      handle.step *= 1.5;
      return cost;
    }
  }
  *handle.weight = old;
  handle.step = handle.step < 0.02 ? 0.1 : handle.step * 0.6;
  return best;
}

template <class Blend>
void print(const char* name, const Blend& w) {
  std::printf("    .%s = {.predictors = {{", name);
  for (const codec::PredictorWeights& p : w.predictors) {
    std::printf("{%.3g, %.3g, %.3g}, ", p.trust, p.doubt, p.surprise);
  }
  std::printf("}},\n.scale = {");
  for (const double weight : w.scale) std::printf("%.3g, ", weight);
  std::printf("},\n.seen = %.3g, .drift = %.3g},\n", w.seen, w.drift);
}

int fit(double seconds, const std::vector<std::string>& files) {
  std::vector<TrainingSet> sets;
  for (const std::string& file : files) sets.push_back(training_set(file));
  codec::Weights weights = codec::kFittedWeights;
  std::vector<Handle> all = handles(weights);
  double best = cost_of(sets, weights);
  const double end = host::process_cpu_seconds() + seconds;
  while (host::process_cpu_seconds() < end) {
    const double before = best;
    for (Handle& handle : all) best = improve(sets, weights, handle, best);
    std::fprintf(stderr, "mean logarithm of the sizes %.5f\n", best);
    if (before - best < 1e-5) break;
  }
  for (const TrainingSet& set : sets) {
    std::fprintf(stderr, "%s: %.0f bytes, %.0f before\n", set.name.c_str(), size_of(set, weights),
                 size_of(set, codec::kFittedWeights));
  }
  std::printf("inline constexpr Weights kFittedWeights{\n");
  print("position", weights.position);
  print("rotation", weights.rotation);
  std::printf("};\n");
  return 0;
}

}  // namespace
}  // namespace orrery

int main(int argc, char** argv) {
  const double seconds = argc > 2 ? std::atof(argv[1]) : 0;
  if (seconds <= 0) {
    std::fprintf(stderr, "usage: fit_weights SECONDS FILE...\n");
    return 2;
  }
  return orrery::fit(seconds, {argv + 2, argv + argc});
}
