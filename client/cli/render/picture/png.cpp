// Writes pictures of pixels as PNG.
#include "client/cli/render/picture/png.h"

#include <png.h>

#include <stdexcept>

namespace orrery::cli {

std::string png_of(const Canvas& canvas) {
  static_assert(sizeof(Rgb) == 3);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = canvas.width();
  image.height = canvas.height();
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  // libpng fails only if memory runs out.
  if (png_image_write_to_memory(&image, bytes.data(), &size, /*convert_to_8_bit=*/0,
                                canvas.pixels().data(), /*row_stride=*/0, nullptr) == 0) {
    throw std::runtime_error(std::string("libpng: ") + image.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace orrery::cli
