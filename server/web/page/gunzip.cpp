// Unpacks a file of the page with zlib.
#include "server/web/page/gunzip.h"

#include <zlib.h>

#include <array>

namespace orrery::server::web {

Result<std::string> gunzip(std::string_view packed, std::size_t bytes_max) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return Error{": no memory to unpack it"};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // only read
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string content;
  int state = Z_OK;
  while (state == Z_OK && content.size() <= bytes_max) {
    std::array<char, 65536> part{};
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    state = inflate(&stream, Z_NO_FLUSH);
    content.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (content.size() > bytes_max) return Error{": too large when unpacked"};
  if (state != Z_STREAM_END) return Error{": not a whole gzip file; install the page again"};
  return content;
}

}  // namespace orrery::server::web
