#include "engines/devices/resident.h"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

#include "base/quote.h"
#include "engines/devices/devices.h"

namespace hologram::engines::devices {

std::atomic<uint64_t> reserved_begin{kNothingReserved};

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLeastBytes = 64;  // as for arrays that are copied (Kernel::Resize)

// Which parts of the range stand for what. Never freed: memory may be given back while the process
// ends.
struct Table {
  std::mutex mutex;
  std::map<uintptr_t, const ResidentMemory*> taken;  // by their first address
};

Table& TheTable() {
  static Table* const table = new Table;
  return *table;
}

uint64_t PagesOf(uint64_t bytes) {
  return std::max((bytes + kPage - 1) / kPage, uint64_t{1}) * kPage;
}

// With the mutex held. Nothing is mapped there that could be read or written.
Status Reserve() {
  if (reserved_begin.load(std::memory_order_relaxed) != kNothingReserved) return Success{};
  void* const range =
      mmap(nullptr, kReservedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    return Error(ErrorCode::kResourceLimit, "no addresses for arrays on devices");
  }
  reserved_begin.store(reinterpret_cast<uintptr_t>(range), std::memory_order_relaxed);
  return Success{};
}

// With the mutex held: the first gap that is large enough.
Result<uintptr_t> FindGap(const Table& table, uint64_t size) {
  uintptr_t begin = reserved_begin.load(std::memory_order_relaxed);
  const uintptr_t end = begin + kReservedBytes;
  for (const auto& [first, memory] : table.taken) {
    if (first - begin >= size) return begin;
    begin = first + PagesOf(memory->bytes());
  }
  if (end - begin >= size) return begin;
  return Error(ErrorCode::kResourceLimit, "no addresses for arrays on devices");
}

std::string NameOfBuffer(const isa::Program& program, size_t buffer) {
  for (const isa::Parameter& parameter : program.parameters) {
    if (parameter.is_buffer && buffer-- == 0) return parameter.name;
  }
  return "";
}

// Memory of others may overlap other memory, which the check of a launch cannot know: it compares
// reserved addresses. An error if one of two arrays that overlap is written.
Status CheckApart(const isa::Program& program, std::span<const hologram_buffer_ref> buffers) {
  std::vector<bool> written;
  for (const isa::Parameter& parameter : program.parameters) {
    if (parameter.is_buffer) written.push_back(parameter.direction != isa::Direction::kIn);
  }
  for (size_t k = 0; k < buffers.size(); ++k) {
    const ResidentMemory* const second = FindResident(buffers[k].data);
    for (size_t j = 0; j < k; ++j) {
      const ResidentMemory* const first = FindResident(buffers[j].data);
      if (first == nullptr || second == nullptr || first == second || !(written[j] || written[k]) ||
          (!first->is_shared() && !second->is_shared())) {
        continue;
      }
      const Address a = first->on_device();
      const Address b = second->on_device();
      const bool meet = a < b ? b - a < buffers[j].bytes : a - b < buffers[k].bytes;
      if (!meet || buffers[j].bytes == 0 || buffers[k].bytes == 0) continue;
      return Error(ErrorCode::kInvalidArgument,
                   "kernel '" + program.name + "': '" + NameOfBuffer(program, j) + "' and '" +
                       NameOfBuffer(program, k) + "' overlap on " + NameOf(second->place()) +
                       "; give one array for both, or arrays that are apart");
    }
  }
  return Success{};
}

bool IsSame(const Place& a, const Place& b) {
  return a.device == b.device;
}

}  // namespace

std::string NameOf(const Place& place) {
  if (place.engine == launch::Engine::kAuto) return "the host";
  return std::string(launch::NameOf(place.engine)) + ":" + std::to_string(place.number);
}

namespace {

Result<Place> UsedPlace(launch::Engine engine) {
  HOLOGRAM_ASSIGN_OR_RETURN(Device* const used, UsedDevice(engine));
  HOLOGRAM_ASSIGN_OR_RETURN(const DeviceList* const devices, DevicesOf(engine));
  Place place{engine, 0, used};
  while ((*devices)[place.number].get() != used) ++place.number;
  return place;
}

Result<Place> FirstPlace() {
  Diagnostics errors;
  for (uint32_t k = 0; k < NumDeviceEngines(); ++k) {
    const launch::Engine engine = DeviceEngine(k);
    const Result<Place> place = UsedPlace(engine);
    if (place.ok()) return place;
    errors.push_back(place.errors()[0]);
  }
  std::string why;
  for (const Diagnostic& error : errors) why += (why.empty() ? "" : "; ") + error.message;
  return Error(ErrorCode::kUnsupported, why);
}

Result<Place> NumberedPlace(launch::Engine engine, uint32_t number) {
  HOLOGRAM_ASSIGN_OR_RETURN(const DeviceList* const devices, DevicesOf(engine));
  Place place{engine, number, nullptr};
  if (number >= devices->size()) {
    return Error(ErrorCode::kInvalidArgument, "there is no device " + NameOf(place) + "; '" +
                                                  std::string(launch::NameOf(engine)) + "' has " +
                                                  std::to_string(devices->size()));
  }
  place.device = (*devices)[number].get();
  const DeviceFacts& facts = place.device->facts();
  if (facts.why_not.empty()) return place;
  return Error(ErrorCode::kUnsupported,
               NameOf(place) + ", '" + facts.name + "', is not used: " + facts.why_not);
}

}  // namespace

Result<Place> FindDevice(std::string_view name) {
  if (name.empty()) return FirstPlace();
  const size_t colon = name.find(':');
  const std::optional<launch::Engine> engine = launch::FindEngine(name.substr(0, colon));
  if (engine && launch::IsOfDevices(*engine)) {
    if (colon == std::string_view::npos) return UsedPlace(*engine);
    uint32_t number = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + colon + 1, end, number);
    if (read.ec == std::errc() && read.ptr == end) return NumberedPlace(*engine, number);
  }
  return Error(ErrorCode::kInvalidArgument,
               "expected a device as 'cuda', 'cuda:0' or 'opencl', found " + Quote(name));
}

Result<std::unique_ptr<ResidentMemory>> ResidentMemory::Allocate(const Place& place,
                                                                 uint64_t bytes) {
  if (bytes > kReservedBytes / 2) {
    return Error(ErrorCode::kResourceLimit,
                 "no memory for " + std::to_string(bytes) + " bytes on " + NameOf(place));
  }
  std::unique_ptr<ResidentMemory> memory(new ResidentMemory(place, bytes, false));
  {
    const Hold hold(*place.device);
    HOLOGRAM_RETURN_IF_ERROR(hold.entered());
    HOLOGRAM_ASSIGN_OR_RETURN(memory->memory_,
                              place.device->Allocate(std::max(bytes, kLeastBytes)));
  }
  HOLOGRAM_RETURN_IF_ERROR(memory->TakeAddress());
  return memory;
}

Result<std::unique_ptr<ResidentMemory>> ResidentMemory::Borrow(const Place& place, Address memory,
                                                               uint64_t bytes) {
  if (place.engine != launch::Engine::kCuda) {
    return Error(ErrorCode::kUnsupported, NameOf(place) + " has no addresses for its memory");
  }
  const bool wraps = bytes != 0 && memory + (bytes - 1) < memory;
  if (bytes > kReservedBytes / 2 || wraps || (memory == 0 && bytes != 0)) {
    return Error(ErrorCode::kInvalidArgument,
                 "no memory of " + std::to_string(bytes) + " bytes is there on " + NameOf(place));
  }
  std::unique_ptr<ResidentMemory> borrowed(new ResidentMemory(place, bytes, true));
  borrowed->memory_ = memory;
  HOLOGRAM_RETURN_IF_ERROR(borrowed->TakeAddress());
  return borrowed;
}

Status ResidentMemory::TakeAddress() {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  HOLOGRAM_RETURN_IF_ERROR(Reserve());
  HOLOGRAM_ASSIGN_OR_RETURN(const uintptr_t address, FindGap(table, PagesOf(bytes_)));
  table.taken.emplace(address, this);
  address_ = reinterpret_cast<void*>(address);
  return Success{};
}

ResidentMemory::~ResidentMemory() {
  if (address_ != nullptr) {
    Table& table = TheTable();
    const std::lock_guard lock(table.mutex);
    table.taken.erase(reinterpret_cast<uintptr_t>(address_));
  }
  if (is_borrowed_ || memory_ == 0 || IsEnding()) return;  // the driver may not be there any more
  const Hold hold(*place_.device);
  if (hold.entered().ok()) place_.device->Free(memory_);
}

Status ResidentMemory::Write(uint64_t at, const void* from, uint64_t bytes) const {
  if (bytes == 0) return Success{};
  const Hold hold(*place_.device);
  HOLOGRAM_RETURN_IF_ERROR(hold.entered());
  if (is_shared()) HOLOGRAM_RETURN_IF_ERROR(place_.device->FinishOthers());
  HOLOGRAM_RETURN_IF_ERROR(place_.device->Write(memory_, at, from, bytes));
  return place_.device->Finish();
}

Status ResidentMemory::Read(void* to, uint64_t at, uint64_t bytes) const {
  if (bytes == 0) return Success{};
  const Hold hold(*place_.device);
  HOLOGRAM_RETURN_IF_ERROR(hold.entered());
  if (is_shared()) HOLOGRAM_RETURN_IF_ERROR(place_.device->FinishOthers());
  HOLOGRAM_RETURN_IF_ERROR(place_.device->Read(to, memory_, at, bytes));
  return place_.device->Finish();
}

Status ResidentMemory::Wait() const {
  const Hold hold(*place_.device);
  HOLOGRAM_RETURN_IF_ERROR(hold.entered());
  if (is_shared()) HOLOGRAM_RETURN_IF_ERROR(place_.device->FinishOthers());
  return place_.device->Finish();
}

Address ResidentMemory::Share() const {
  // An error of a launch stays, and comes again where it can be reported.
  if (!is_shared_.exchange(true)) (void)Wait();
  return memory_;
}

const ResidentMemory* FindResident(const void* address) {
  if (!IsResident(address)) return nullptr;
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  const auto found = table.taken.find(reinterpret_cast<uintptr_t>(address));
  return found == table.taken.end() ? nullptr : found->second;
}

Result<Place> PlaceOfResident(const isa::Program& program,
                              std::span<const hologram_buffer_ref> buffers) {
  const auto named = [&](size_t k) {
    return "kernel '" + program.name + "': '" + NameOfBuffer(program, k) + "'";
  };
  size_t first = buffers.size();
  Place place;
  for (size_t k = 0; k < buffers.size(); ++k) {
    if (buffers[k].bytes == 0) continue;
    Place its;
    if (IsResident(buffers[k].data)) {
      const ResidentMemory* const memory = FindResident(buffers[k].data);
      if (memory == nullptr || memory->bytes() < buffers[k].bytes) {
        return Error(ErrorCode::kInvalidArgument,
                     named(k) + " is not at the beginning of memory on a device, or larger");
      }
      its = memory->place();
    }
    if (first == buffers.size()) {
      first = k;
      place = its;
    } else if (!IsSame(place, its)) {
      return Error(ErrorCode::kInvalidArgument,
                   named(first) + " is on " + NameOf(place) + ", and '" + NameOfBuffer(program, k) +
                       "' on " + NameOf(its) + "; the arrays of a launch are in one place");
    }
  }
  if (place.engine == launch::Engine::kCuda) {
    HOLOGRAM_RETURN_IF_ERROR(CheckApart(program, buffers));
  }
  return place;
}

void HostCopies::FreeDeleter::operator()(void* memory) const {
  std::free(memory);
}

Result<HostCopies> HostCopies::Of(std::span<const hologram_buffer_ref> buffers) {
  constexpr uint64_t kAlignment = 64;
  HostCopies copies;
  for (const hologram_buffer_ref& buffer : buffers) {
    hologram_buffer_ref copy = buffer;
    const ResidentMemory* const resident = FindResident(buffer.data);
    const auto known = std::find(copies.residents_.begin(), copies.residents_.end(), resident);
    if (resident != nullptr && known != copies.residents_.end()) {
      copy.data = copies.buffers_[static_cast<size_t>(known - copies.residents_.begin())].data;
    } else if (resident != nullptr) {
      const uint64_t bytes = (resident->bytes() / kAlignment + 1) * kAlignment;
      copies.memory_.emplace_back(std::aligned_alloc(kAlignment, bytes));
      copy.data = copies.memory_.back().get();
      if (copy.data == nullptr) {
        return Error(ErrorCode::kResourceLimit,
                     "no memory for a copy of " + std::to_string(resident->bytes()) + " bytes");
      }
      HOLOGRAM_RETURN_IF_ERROR(resident->Read(copy.data, 0, resident->bytes()));
    }
    copies.buffers_.push_back(copy);
    copies.residents_.push_back(resident);
  }
  return copies;
}

Status HostCopies::CopyBack(const isa::Program& program) const {
  size_t k = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const ResidentMemory* const resident = residents_[k];
    const hologram_buffer_ref& buffer = buffers_[k++];
    if (resident == nullptr || parameter.direction == isa::Direction::kIn) continue;
    HOLOGRAM_RETURN_IF_ERROR(resident->Write(0, buffer.data, buffer.bytes));
  }
  return Success{};
}

}  // namespace hologram::engines::devices
