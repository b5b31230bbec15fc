// Prints tables of the delta codec for files of frames: bytes and CPU time at several baseline
// distances, and what each prediction gains. Times are also shown as multiples of the time of
// `zstd -1` for the same frame, because machines and their load differ.
//
//   codec_table FILE...
//
// Exit status 1: a decoded frame differs from the frame that was encoded.
#include <zstd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/codec_trial.h"
#include "client/cli/stopwatch.h"
#include "tests/bench/codec/frame_set.h"

namespace orrery::bench {
namespace {

using cli::CodecTrial;
using cli::CodingFigures;
using codec::DeltaLevel;
using codec::Weights;

constexpr std::size_t kDistance = 6;  // as in the published comparisons

// Trust with which a prediction has no effect.
constexpr double kNoTrust = 1e-30;

struct NamedSet {
  std::string name;
  FrameSet set;
};

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.find('.'));
}

CodingFigures code_all(const FrameSet& set, DeltaLevel level, std::size_t distance,
                       const Weights& weights = codec::kFittedWeights) {
  CodecTrial trial(set.scene, level, distance, weights);
  for (const cli::RecordedFrame& frame : set.frames) trial.code(frame);
  return trial.figures();
}

// Returns the microseconds of CPU time that zstd takes, at level 1, to compress a frame as eight
// 32-bit numbers a body.
double zstd_microseconds(const FrameSet& set) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::vector<std::int32_t> raw;
  std::vector<char> packed;
  double seconds = 0;
  std::size_t frames = 0;
  for (std::size_t i = 0; i < set.frames.size(); i += 7, ++frames) {
    raw.clear();
    for (const codec::QuantisedBody& body : set.frames[i].frame.bodies) {
      raw.insert(raw.end(),
                 {body.largest, body.orientation[0], body.orientation[1], body.orientation[2],
                  body.position[0], body.position[1], body.position[2], body.active});
    }
    const std::size_t size = raw.size() * sizeof(std::int32_t);
    packed.resize(ZSTD_compressBound(size));
    const cli::Stopwatch watch;
    ZSTD_compressCCtx(zstd.get(), packed.data(), packed.size(), raw.data(), size, 1);
    seconds += watch.cpu_seconds();
  }
  return seconds * 1e6 / static_cast<double>(frames);
}

// Returns simple weights instead of fitted ones. Each prediction counts by its last error. A
// residual is expected to be as large as the predictions differ from each other.
Weights untrained() {
  Weights weights{};
  const auto set = [](auto& blend) {
    blend.predictors.fill({.trust = 1, .doubt = 1, .surprise = 0});
    blend.scale[codec::kOne] = -1;
    blend.scale[codec::kSpread] = 1;
    blend.seen = 0.5;
    blend.drift = 0.125;
  };
  set(weights.position);
  set(weights.rotation);
  return weights;
}

struct Ablation {
  std::string name;
  Weights weights;
};

std::vector<Ablation> ablations() {
  const Weights fitted = codec::kFittedWeights;
  std::vector<Ablation> all = {{"all", fitted}};
  const char* const positions[] = {"on", "falls", "rests", "rides"};
  const char* const rotations[] = {"on", "rests", "rides", "swerves", "rolls"};
  for (std::size_t i = 0; i < codec::kPositionPredictors; ++i) {
    all.push_back({std::string("without displacement *") + positions[i] + "*", fitted});
    all.back().weights.position.predictors[i].trust = kNoTrust;
  }
  for (std::size_t i = 0; i < codec::kRotationPredictors; ++i) {
    all.push_back({std::string("without rotation *") + rotations[i] + "*", fitted});
    all.back().weights.rotation.predictors[i].trust = kNoTrust;
  }
  const auto add = [&](const char* name, auto change) {
    all.push_back({name, fitted});
    change(all.back().weights.position);
    change(all.back().weights.rotation);
  };
  add("predictions count the same, however wrong they were", [](auto& blend) {
    for (codec::PredictorWeights& p : blend.predictors) p = {p.trust, 1e12, 0};
  });
  add("surprises do not count", [](auto& blend) {
    for (codec::PredictorWeights& p : blend.predictors) p.surprise = 0;
  });
  add("the scale does not follow the frame",
      [](auto& blend) { blend.drift = blend.scale[codec::kRecent] = 0; });
  add("axes do not learn from each other", [](auto& blend) { blend.seen = 0; });
  all.push_back({"untrained: round numbers for all weights", untrained()});
  return all;
}

// Prints the figures of each set, level and distance. Returns the number of mismatches.
std::uint64_t print_figures(const std::vector<NamedSet>& sets) {
  std::printf(
      "| frames | count | level | distance | bytes | kbit/s | encode us | decode us | of zstd -1 | "
      "wrong |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  std::uint64_t wrong = 0;
  for (const NamedSet& named : sets) {
    const auto print = [&](const char* level_name, DeltaLevel level, std::size_t distance) {
      const CodingFigures f = code_all(named.set, level, distance);
      wrong += f.mismatches;
      const double zstd = zstd_microseconds(named.set);
      std::printf("| %s | %llu | %s | %zu | %.1f | %.1f | %.1f | %.1f | %.2f, %.2f | %llu |\n",
                  named.name.c_str(), static_cast<unsigned long long>(f.frames), level_name,
                  distance, f.bytes_per_frame(), f.kbit_per_second(), f.encode_microseconds(),
                  f.decode_microseconds(), f.encode_microseconds() / zstd,
                  f.decode_microseconds() / zstd, static_cast<unsigned long long>(f.mismatches));
      std::fflush(stdout);
    };
    for (const std::size_t distance : {1, 2, 6, 12, 30}) print("fast", DeltaLevel::fast, distance);
    for (const std::size_t distance : {1, 6}) print("cheap", DeltaLevel::cheap, distance);
  }
  return wrong;
}

// Prints kbit/s of each set, each time without one idea of the codec.
std::uint64_t print_ablations(const std::vector<NamedSet>& sets) {
  std::printf("\n| kbit/s at distance %zu |", kDistance);
  for (const NamedSet& named : sets) std::printf(" %s |", named.name.c_str());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < sets.size(); ++i) std::printf("---|");
  std::uint64_t wrong = 0;
  std::vector<double> all;  // kbit/s of each set with all ideas
  for (const Ablation& ablation : ablations()) {
    std::printf("\n| %s |", ablation.name.c_str());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const CodingFigures f = code_all(sets[i].set, DeltaLevel::fast, kDistance, ablation.weights);
      wrong += f.mismatches;
      if (all.size() == i) all.push_back(f.kbit_per_second());
      std::printf(" %.1f (%+.1f %%) |", f.kbit_per_second(),
                  100 * (f.kbit_per_second() / all[i] - 1));
      std::fflush(stdout);
    }
  }
  std::printf("\n");
  return wrong;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  const bool asks_help = argc == 2 && std::string_view(argv[1]) == "--help";
  if (argc < 2 || asks_help) {
    std::fprintf(asks_help ? stdout : stderr, "usage: codec_table FILE...\n");
    return asks_help ? 0 : 2;
  }
  std::vector<orrery::bench::NamedSet> sets;
  for (int i = 1; i < argc; ++i) {
    sets.push_back(
        {orrery::bench::name_of(argv[i]), orrery::bench::read_frame_set("codec_table", argv[i])});
  }
  const std::uint64_t wrong =
      orrery::bench::print_figures(sets) + orrery::bench::print_ablations(sets);
  return wrong == 0 ? 0 : 1;
}
