#include "aarch64_link.h"

#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hologram::tests::cross {
namespace {

namespace fs = std::filesystem;

Diagnostic NotLinked(std::string what) {
  return Error(ErrorCode::kInvalidArgument, std::move(what));
}

// A folder that goes with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "cross-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool ok() const { return !path_.empty(); }
  std::string File(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

template <class T>
T At(const std::vector<uint8_t>& file, uint64_t offset) {
  T value{};
  if (offset <= file.size() && sizeof value <= file.size() - offset) {
    std::memcpy(&value, file.data() + offset, sizeof value);
  }
  return value;
}

// Everything that is loaded, as one run of bytes from kImageBase on.
Result<Image> Flatten(const std::vector<uint8_t>& file) {
  const auto header = At<Elf64_Ehdr>(file, 0);
  Image image;
  image.info = header.e_entry;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = At<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr < kImageBase || segment.p_offset + segment.p_filesz > file.size()) {
      return NotLinked("the linked kernel has a segment in a wrong place");
    }
    const uint64_t at = segment.p_vaddr - kImageBase;
    image.bytes.resize(std::max<uint64_t>(image.bytes.size(), at + segment.p_memsz));
    std::memcpy(image.bytes.data() + at, file.data() + segment.p_offset, segment.p_filesz);
  }
  const bool inside = image.info >= kImageBase && image.info - kImageBase < image.bytes.size();
  if (!inside) return NotLinked("the linked kernel has no hologram_info");
  return image;
}

}  // namespace

Result<Image> Link(const std::vector<uint8_t>& object) {
  const TemporaryFolder folder;
  if (!folder.ok()) return NotLinked("no temporary folder");
  const std::string in = folder.File("kernel.o");
  const std::string out = folder.File("kernel");
  std::ofstream(in, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()),
             static_cast<std::streamsize>(object.size()));
  const pid_t linker =
      Spawn({HOLOGRAM_LLD, "-m", "aarch64linux", "-static", "--omagic", "--strip-all",
             "--threads=1", "-z", "nognustack", "--image-base=" + std::to_string(kImageBase), "-e",
             "hologram_info", "-o", out, in},
            -1);
  int status = 0;
  if (linker < 0 || waitpid(linker, &status, 0) != linker || status != 0) {
    return NotLinked("lld does not link the object for AArch64");
  }
  std::ifstream file(out, std::ios::binary);
  const std::vector<uint8_t> linked{std::istreambuf_iterator<char>(file), {}};
  return Flatten(linked);
}

}  // namespace hologram::tests::cross
