#include "beside.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

namespace hologram::bench {

std::vector<uint8_t> BundleBeside(const std::string& name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string folder(path, length > 0 ? static_cast<size_t>(length) : 0);
  folder.resize(folder.rfind('/') + 1);
  std::ifstream file(folder + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace hologram::bench
