// Implements `orrery codec`: measures the delta codec on a file of frames.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "client/cli/codec_trial.h"
#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/disk/packing/zstd_stream.h"

namespace orrery::cli {
namespace {

// The names of the levels, in the order of codec::DeltaLevel.
constexpr std::array<std::string_view, 2> kLevels = {"cheap", "fast"};

struct CodecOptions {
  std::string file;
  std::uint32_t baseline_distance = 6;
  std::string level = "fast";
  bool json = false;
};

void print_figures(const CodecOptions& options, const CodingFigures& figures) {
  if (options.json) {
    json::print(json::object({{"frames", figures.frames},
                              {"baseline_distance", options.baseline_distance},
                              {"level", options.level},
                              {"bytes_per_frame", figures.bytes_per_frame()},
                              {"kbit_per_s", figures.kbit_per_second()},
                              {"encode_us", figures.encode_microseconds()},
                              {"decode_us", figures.decode_microseconds()},
                              {"mismatches", figures.mismatches}}));
    return;
  }
  std::printf(
      "%s, each coded against the one %u before, level %s\n"
      "%.1f bytes a frame, %.1f kbit/s at 60 frames a second\n"
      "CPU time a frame: encode %.1f us, decode %.1f us\n"
      "%s\n",
      counted(figures.frames, "frame").c_str(), options.baseline_distance, options.level.c_str(),
      figures.bytes_per_frame(), figures.kbit_per_second(), figures.encode_microseconds(),
      figures.decode_microseconds(),
      figures.mismatches == 0
          ? "every decoded frame equals the frame that was encoded"
          : (counted(figures.mismatches, "frame") + " changed by coding").c_str());
}

int codec_file(const CodecOptions& options) {
  Result<std::unique_ptr<host::FileSource>> file = host::FileSource::open(options.file);
  if (!file) return unusable(file.error().text());
  const std::string name = printable(options.file) + ": ";
  auto source = std::make_unique<host::ZstdSource>(std::move(file.value()));
  const bool misnamed = options.file.ends_with(".zst") && !source->is_compressed();
  const auto refuse = [&](const Error& error) {
    const char* const hint = misnamed ? "; in spite of its name, zstd has not compressed it" : "";
    return unusable(name + error.text() + hint);
  };
  Result<FrameReader> reader = FrameReader::open(std::move(source));
  if (!reader) return refuse(reader.error());

  const auto name_of_level = std::find(kLevels.begin(), kLevels.end(), options.level);
  const auto level = static_cast<codec::DeltaLevel>(name_of_level - kLevels.begin());
  CodecTrial trial(reader.value().scene(), level, options.baseline_distance);
  RecordedFrame frame;
  for (;;) {
    const Result<bool> read = reader.value().next(frame);
    if (!read) return refuse(read.error());
    if (!read.value()) break;
    trial.code(frame);
  }
  const CodingFigures& figures = trial.figures();
  if (figures.frames == 0) {
    return unusable(name + "has too few frames; give it more than --baseline-distance");
  }
  print_figures(options, figures);
  return figures.mismatches == 0 ? 0 : 1;
}

}  // namespace

void add_codec(Verb& program) {
  auto [verb, options] = program.add_verb(
      "codec", "Measure the snapshot codec on a file of frames, and check the decoded frames",
      "  orrery codec a.frames.zst\n"
      "  orrery codec a.frames.zst --baseline-distance 1 --level cheap --json",
      codec_file);
  verb.option("FILE", options.file,
              "Frames of `orrery record-frames`, or 901 records of eight 32-bit integers a frame; "
              "plain or compressed with zstd")
      .required();
  verb.option("--baseline-distance", options.baseline_distance,
              "Code each frame against the one N frames before")
      .shows_default()
      .whole_number(1, 64)
      .type("N");
  verb.option("--level", options.level,
              "cheap for the least CPU time, or fast for the fewest bytes")
      .shows_default()
      .check([](const std::string& text) {
        return std::count(kLevels.begin(), kLevels.end(), text) == 1 ? "" : "must be cheap or fast";
      })
      .type("LEVEL");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
