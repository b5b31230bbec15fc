// Implements `orrery codec`: measures the delta codec on a file of frames.
#include <cstdio>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/frame_file.h"
#include "client/cli/json.h"
#include "client/cli/stopwatch.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/codec/delta/delta_codec.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/disk/zstd_stream.h"

namespace orrery::cli {
namespace {

constexpr double kFramesPerSecond = 60;

struct CodecOptions {
  std::string file;
  std::uint32_t baseline_distance = 6;
  std::string level = "full";
  bool json = false;
};

// The sums over all coded frames.
struct Figures {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t mismatches = 0;
  double encode_seconds = 0;
  double decode_seconds = 0;

  double mean(double sum) const { return frames == 0 ? 0 : sum / static_cast<double>(frames); }
};

// Both sides of a connection. Each keeps the frames that it coded, in a ring.
class Link {
 public:
  Link(const codec::DeltaScene& scene, codec::DeltaLevel level, std::size_t distance)
      : level_(level),
        encoder_(scene, level),
        decoder_(scene, level),
        distance_(distance),
        sent_(distance + 1),
        received_(distance + 1) {}

  // Codes the next frame. The first `distance` frames are the start: both sides have them.
  void code(const RecordedFrame& frame, Figures& figures) {
    hold(static_cast<std::uint32_t>(frame.frame.bodies.size()));
    codec::CodedFrame& sent = sent_[count_ % sent_.size()];
    codec::CodedFrame& received = received_[count_ % sent_.size()];
    if (count_ < distance_) {
      sent.frame = received.frame = frame.frame;
    } else {
      measure(frame, (count_ - distance_) % sent_.size(), sent, received, figures);
    }
    ++count_;
  }

 private:
  // Makes room for so many slots. A codec keeps nothing from frame to frame.
  void hold(std::uint32_t slots) {
    codec::DeltaScene scene = encoder_.scene();
    if (scene.slots == slots) return;
    scene.slots = slots;
    encoder_ = codec::DeltaCodec(scene, level_);
    decoder_ = codec::DeltaCodec(scene, level_);
    for (std::vector<codec::CodedFrame>* const frames : {&sent_, &received_}) {
      for (codec::CodedFrame& kept : *frames) kept.frame.bodies.resize(slots);
    }
  }

  void measure(const RecordedFrame& frame, std::size_t baseline, codec::CodedFrame& sent,
               codec::CodedFrame& received, Figures& figures) {
    bytes_.clear();
    const Stopwatch encoding;
    encoder_.encode(sent_[baseline], frame.frame, frame.references, sent, bytes_);
    figures.encode_seconds += encoding.cpu_seconds();
    const Stopwatch decoding;
    const bool decoded =
        decoder_.decode(received_[baseline], frame.frame.tick, true, bytes_, received);
    figures.decode_seconds += decoding.cpu_seconds();
    const bool equal = decoded && received.frame.bodies == frame.frame.bodies;
    figures.mismatches += equal ? 0 : 1;
    figures.bytes += bytes_.size();
    ++figures.frames;
  }

  codec::DeltaLevel level_;
  codec::DeltaCodec encoder_;
  codec::DeltaCodec decoder_;
  std::size_t distance_;
  std::vector<codec::CodedFrame> sent_;
  std::vector<codec::CodedFrame> received_;
  std::vector<std::uint8_t> bytes_;
  std::size_t count_ = 0;
};

void print(const CodecOptions& options, const Figures& figures) {
  const double bytes = figures.mean(static_cast<double>(figures.bytes));
  const double rate = bytes * 8 * kFramesPerSecond / 1000;
  const double encode = figures.mean(figures.encode_seconds * 1e6);
  const double decode = figures.mean(figures.decode_seconds * 1e6);
  if (options.json) {
    std::printf("%s\n", json::Object()
                            .add("frames", json::of(figures.frames))
                            .add("baseline_distance", json::of(options.baseline_distance))
                            .add("level", json::of(std::string_view(options.level)))
                            .add("bytes_per_frame", json::of(bytes))
                            .add("kbit_per_s", json::of(rate))
                            .add("encode_us", json::of(encode))
                            .add("decode_us", json::of(decode))
                            .add("mismatches", json::of(figures.mismatches))
                            .text()
                            .c_str());
    return;
  }
  std::printf(
      "%s, each coded against the one %u before, level %s\n"
      "%.1f bytes a frame, %.1f kbit/s at 60 frames a second\n"
      "CPU time a frame: encode %.1f us, decode %.1f us\n"
      "%s\n",
      counted(figures.frames, "frame").c_str(), options.baseline_distance, options.level.c_str(),
      bytes, rate, encode, decode,
      figures.mismatches == 0
          ? "every decoded frame equals the frame that was encoded"
          : (counted(figures.mismatches, "frame") + " changed by coding").c_str());
}

int codec_file(const CodecOptions& options) {
  Result<std::unique_ptr<host::FileSource>> file = host::FileSource::open(options.file);
  if (!file) return unusable(file.error().message);
  const std::string name = printable(options.file) + ": ";
  auto source = std::make_unique<host::ZstdSource>(std::move(file.value()));
  const bool misnamed = options.file.ends_with(".zst") && !source->is_compressed();
  const auto refuse = [&](const Error& error) {
    const char* const hint = misnamed ? "; in spite of its name, zstd has not compressed it" : "";
    return unusable(name + error.message + hint);
  };
  Result<FrameReader> reader = FrameReader::open(std::move(source));
  if (!reader) return refuse(reader.error());

  const auto level = options.level == "full" ? codec::DeltaLevel::full : codec::DeltaLevel::fast;
  Link link(reader.value().scene(), level, options.baseline_distance);
  Figures figures;
  RecordedFrame frame;
  for (;;) {
    const Result<bool> read = reader.value().next(frame);
    if (!read) return refuse(read.error());
    if (!read.value()) break;
    link.code(frame, figures);
  }
  if (figures.frames == 0) {
    return unusable(name + "has too few frames; give it more than --baseline-distance");
  }
  print(options, figures);
  return figures.mismatches == 0 ? 0 : 1;
}

}  // namespace

void add_codec(Verb& program) {
  auto [verb, options] = program.add_verb(
      "codec", "Measure the snapshot codec on a file of frames, and check what it decodes",
      "  orrery codec a.frames.zst\n"
      "  orrery codec a.frames.zst --baseline-distance 1 --level fast --json",
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
  verb.option("--level", options.level, "full: fewer bytes; fast: less CPU time")
      .shows_default()
      .check([](const std::string& text) {
        return text == "full" || text == "fast" ? "" : "must be full or fast";
      })
      .type("LEVEL");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
