// Streams of zstd, in bounded pieces.
#include "common/host/disk/packing/zstd_stream.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::host {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes read or packed at once
constexpr int kWindowLogMax = 27;                     // 128 MiB, as the zstd tool allows
constexpr int kStreamLevel = 3;                       // packs faster than a session is replayed

bool is_zstd(Bytes bytes) {
  return bytes.size() >= 4 && load_little_endian<4>(bytes.data()) == ZSTD_MAGICNUMBER;
}

}  // namespace

struct ZstdSource::Stream {
  ~Stream() { ZSTD_freeDCtx(context); }
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  bool at_frame_end = true;
};

ZstdSource::ZstdSource(std::unique_ptr<session::ByteSource> file) : file_(std::move(file)) {
  ORRERY_ASSERT(file_ != nullptr);
  if (!refill() || !is_zstd(input_)) return;
  stream_ = std::make_unique<Stream>();
  ORRERY_ASSERT(stream_->context != nullptr);
  ZSTD_DCtx_setParameter(stream_->context, ZSTD_d_windowLogMax, kWindowLogMax);
}

ZstdSource::~ZstdSource() = default;

bool ZstdSource::refill() {
  if (begin_ < input_.size()) return true;
  input_.resize(kPiece);
  input_.resize(file_->read(input_));
  begin_ = 0;
  return !input_.empty();
}

std::size_t ZstdSource::read(std::span<std::uint8_t> into) {
  std::size_t got = 0;
  while (got < into.size() && fault_ == nullptr) {
    if (!refill()) {
      if (stream_ && !stream_->at_frame_end) fault_ = "the compressed data ends early";
      break;
    }
    if (!stream_) {
      const std::size_t count = std::min(into.size() - got, input_.size() - begin_);
      std::copy_n(input_.begin() + static_cast<std::ptrdiff_t>(begin_), count,
                  into.begin() + static_cast<std::ptrdiff_t>(got));
      begin_ += count;
      got += count;
      continue;
    }
    ZSTD_inBuffer in{input_.data(), input_.size(), begin_};
    ZSTD_outBuffer out{into.data(), into.size(), got};
    const std::size_t result = ZSTD_decompressStream(stream_->context, &out, &in);
    if (ZSTD_isError(result)) {
      fault_ = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
                   ? "the compressed data needs a window above 128 MiB"
                   : "the compressed data is damaged";
    }
    stream_->at_frame_end = result == 0;
    begin_ = in.pos;
    got = out.pos;
  }
  return got;
}

Status ZstdSource::status() const {
  if (fault_ != nullptr) return Error{fault_};
  return file_->status();
}

struct ZstdPacker::Stream {
  ~Stream() { ZSTD_freeCCtx(context); }
  ZSTD_CCtx* const context = ZSTD_createCCtx();
};

ZstdPacker::ZstdPacker() : stream_(std::make_unique<Stream>()) {
  ORRERY_ASSERT(stream_->context != nullptr);
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_compressionLevel, kStreamLevel);
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_checksumFlag, 1);
}

ZstdPacker::~ZstdPacker() = default;

void ZstdPacker::pack(Bytes bytes, bool ends) {
  ORRERY_ASSERT(stream_ != nullptr);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    const std::size_t begin = packed_.size();
    packed_.resize(begin + kPiece);
    ZSTD_outBuffer out{packed_.data() + begin, kPiece, 0};
    const std::size_t left =
        ZSTD_compressStream2(stream_->context, &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
    ORRERY_ASSERT(!ZSTD_isError(left));
    packed_.resize(begin + out.pos);
    if (in.pos == in.size && (!ends || left == 0)) return;
  }
}

void ZstdPacker::append(Bytes bytes) { pack(bytes, false); }

void ZstdPacker::finish() {
  pack({}, true);
  stream_.reset();
}

}  // namespace orrery::host
