#include "engines/devices/kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engines/devices/resident.h"
#include "observe/span.h"

namespace hologram::engines::devices {

using device::Argument;

namespace {

const ResidentMemory* ResidentOf(const hologram_buffer_ref& buffer) {
  return buffer.bytes == 0 ? nullptr : FindResident(buffer.data);
}

}  // namespace

Kernel::Kernel(Device& device, const verify::VerifiedProgram& program, std::unique_ptr<Code> code)
    : device_(device), program_(program), code_(std::move(code)) {
  size_t buffers = 0;
  size_t scalars = 0;
  for (const isa::Parameter& parameter : program.program().parameters) {
    number_.push_back(parameter.is_buffer ? buffers++ : scalars++);
  }
  memories_.resize(buffers);
}

Result<std::unique_ptr<Kernel>> Kernel::Make(Device& device,
                                             const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<Code> code, device.Translate(program));
  const DeviceFacts& has = device.facts();
  const auto lacks = [&](const std::string& what) {
    return Error(ErrorCode::kUnsupported, "'" + program.program().name + "' needs " + what +
                                              ", which '" + has.name + "' has not");
  };
  const device::KernelCode& needs = code->facts();
  if (needs.uses_f64 && !has.has_f64) return lacks("f64");
  if (needs.uses_atomics64 && !has.has_atomics64) return lacks("atomics of 64 bits");
  if (needs.shared_bytes > has.shared_bytes) {
    return lacks(std::to_string(needs.shared_bytes) + " bytes of shared memory");
  }
  std::unique_ptr<Kernel> kernel(new Kernel(device, program, std::move(code)));
  HOLOGRAM_RETURN_IF_ERROR(kernel->Build());
  return kernel;
}

Status Kernel::Build() {
  observe::Span span("compile", program_.program().name);
  span.Text("target", device_.facts().name);
  span.Text("output", "code of the device");
  const Hold hold(device_);
  HOLOGRAM_RETURN_IF_ERROR(hold.entered());
  HOLOGRAM_RETURN_IF_ERROR(code_->Build());
  if (!code_->facts().may_fault()) return Success{};
  HOLOGRAM_RETURN_IF_ERROR(Resize(fault_, sizeof(uint32_t)));
  constexpr uint32_t kNone = 0;
  HOLOGRAM_RETURN_IF_ERROR(device_.Write(fault_.address, 0, &kNone, sizeof kNone));
  return device_.Finish();
}

Kernel::~Kernel() {
  if (IsEnding() || !Release()) (void)code_.release();  // the driver may not be there any more
}

bool Kernel::Release() {
  const Hold hold(device_);
  if (!hold.entered().ok()) return false;
  for (const Memory& memory : memories_) {
    if (memory.address != 0) device_.Free(memory.address);
  }
  if (fault_.address != 0) device_.Free(fault_.address);
  code_.reset();
  return true;
}

// At least `bytes`; a buffer of none is one of some.
Status Kernel::Resize(Memory& memory, uint64_t bytes) {
  constexpr uint64_t kLeast = 64;
  if (memory.address != 0 && memory.bytes >= bytes) return Success{};
  if (memory.address != 0) device_.Free(memory.address);
  memory = {};
  const uint64_t size = std::max(bytes, kLeast);
  HOLOGRAM_ASSIGN_OR_RETURN(memory.address, device_.Allocate(size));
  memory.bytes = size;
  return Success{};
}

// The first buffer that is the same memory: there it is the same too.
size_t Kernel::PlaceOf(const launch::Launch& launch, size_t buffer) {
  for (size_t k = 0; k < buffer; ++k) {
    if (launch.buffers[k].bytes != 0 && launch.buffers[k].data == launch.buffers[buffer].data) {
      return k;
    }
  }
  return buffer;
}

bool Kernel::IsWritten(const launch::Launch& launch, size_t place) const {
  const std::vector<isa::Parameter>& parameters = program_.program().parameters;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].is_buffer && parameters[p].direction != isa::Direction::kIn &&
        PlaceOf(launch, number_[p]) == place) {
      return true;
    }
  }
  return false;
}

// What a launch that faults has written of it is taken back.
Status Kernel::KeepResident(const launch::Launch& launch, const ResidentMemory& resident,
                            size_t place) {
  if (!code_->facts().may_fault() || !IsWritten(launch, place)) return Success{};
  HOLOGRAM_RETURN_IF_ERROR(Resize(memories_[place], resident.bytes()));
  trace_.AddCopy("keep", NameOf(place), resident.bytes());
  return device_.Copy(memories_[place].address, resident.on_device(), resident.bytes());
}

Status Kernel::TakeBack(const launch::Launch& launch) {
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    const ResidentMemory* const resident = ResidentOf(launch.buffers[k]);
    if (resident == nullptr || PlaceOf(launch, k) != k || !IsWritten(launch, k)) continue;
    trace_.AddCopy("take back", NameOf(k), resident->bytes());
    HOLOGRAM_RETURN_IF_ERROR(
        device_.Copy(resident->on_device(), memories_[k].address, resident->bytes()));
  }
  return device_.Finish();
}

std::string_view Kernel::NameOf(size_t buffer) const {
  const std::vector<isa::Parameter>& parameters = program_.program().parameters;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].is_buffer && number_[p] == buffer) return parameters[p].name;
  }
  return "";
}

Status Kernel::Upload(const launch::Launch& launch) {
  observe::Span span("copy", "upload");
  uint64_t sum = 0;
  const auto is_shared = [](const hologram_buffer_ref& buffer) {
    const ResidentMemory* const resident = ResidentOf(buffer);
    return resident != nullptr && resident->is_shared();
  };
  if (std::any_of(launch.buffers.begin(), launch.buffers.end(), is_shared)) {
    HOLOGRAM_RETURN_IF_ERROR(device_.FinishOthers());
  }
  std::vector<uint64_t> bytes(launch.buffers.size(), 0);
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    uint64_t& most = bytes[PlaceOf(launch, k)];
    most = std::max(most, launch.buffers[k].bytes);
  }
  for (size_t k = 0; k < launch.buffers.size(); ++k) {
    if (PlaceOf(launch, k) != k) continue;
    if (const ResidentMemory* const resident = ResidentOf(launch.buffers[k])) {
      HOLOGRAM_RETURN_IF_ERROR(KeepResident(launch, *resident, k));
      continue;
    }
    HOLOGRAM_RETURN_IF_ERROR(Resize(memories_[k], bytes[k]));
    if (bytes[k] == 0) continue;
    sum += bytes[k];
    trace_.AddCopy("upload", NameOf(k), bytes[k]);
    // Also what is written: lanes may leave some of it as it was.
    HOLOGRAM_RETURN_IF_ERROR(
        device_.Write(memories_[k].address, 0, launch.buffers[k].data, bytes[k]));
  }
  span.Number("bytes", sum);
  return Success{};
}

// Several only where there are enough for all processors: before that they wait for each other.
uint32_t Kernel::BlocksTogether(const hologram_launch_shape& shape) const {
  constexpr uint64_t kLeastOfProcessor = 4;
  const std::vector<Argument>& arguments = code_->facts().arguments;
  if (std::none_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
        return argument.kind == Argument::Kind::kTogether;
      })) {
    return 1;
  }
  const uint64_t rest = uint64_t{shape.grid[1]} * shape.grid[2];
  const uint64_t made = shape.grid[0] / device::kBlocksTogether * rest;
  return made >= kLeastOfProcessor * device_.facts().processors ? device::kBlocksTogether : 1;
}

Status Kernel::SetArgument(uint32_t number, const launch::Launch& launch) {
  const Argument& argument = code_->facts().arguments[number];
  const isa::Parameter* const parameter = argument.kind <= Argument::Kind::kScalar
                                              ? &program_.program().parameters[argument.parameter]
                                              : nullptr;
  switch (argument.kind) {
    case Argument::Kind::kBuffer: {
      const size_t place = PlaceOf(launch, number_[argument.parameter]);
      if (const ResidentMemory* const resident = ResidentOf(launch.buffers[place])) {
        return code_->SetMemory(number, resident->on_device());
      }
      return code_->SetMemory(number, memories_[place].address);
    }
    case Argument::Kind::kExtent: {
      const uint64_t extent =
          launch.buffers[number_[argument.parameter]].bytes / isa::SizeOf(parameter->type);
      return code_->SetNumber(number, &extent, sizeof extent);
    }
    case Argument::Kind::kScalar:
      return code_->SetNumber(number, &launch.scalars[number_[argument.parameter]],
                              isa::SizeOf(parameter->type));
    case Argument::Kind::kBudget:
      return code_->SetNumber(number, &launch.budget, sizeof launch.budget);
    case Argument::Kind::kRounds: {
      const uint64_t rounds = launch.most_rounds();
      return code_->SetNumber(number, &rounds, sizeof rounds);
    }
    case Argument::Kind::kClassBase:
      return code_->SetNumber(number, &launch.class_base, sizeof launch.class_base);
    case Argument::Kind::kBlocks:
      return code_->SetNumber(number, &launch.shape.grid[0], sizeof launch.shape.grid[0]);
    case Argument::Kind::kTogether: {
      const uint32_t together = BlocksTogether(launch.shape);
      return code_->SetNumber(number, &together, sizeof together);
    }
    case Argument::Kind::kFault:
      return code_->SetMemory(number, fault_.address);
  }
  return Success{};
}

Status Kernel::Start(const launch::Launch& launch) {
  HOLOGRAM_RETURN_IF_ERROR(device_.CheckShape(launch.shape));
  const auto count = static_cast<uint32_t>(code_->facts().arguments.size());
  for (uint32_t k = 0; k < count; ++k) HOLOGRAM_RETURN_IF_ERROR(SetArgument(k, launch));
  trace_.AddLaunch(program_.program().name, launch.shape);
  hologram_launch_shape shape = launch.shape;
  const uint32_t together = BlocksTogether(shape);
  shape.grid[0] = (shape.grid[0] - 1) / together + 1;
  return code_->Start(shape);
}

Result<bool> Kernel::Wait() {
  const observe::Span span("device", "wait");
  if (!code_->facts().may_fault()) {
    HOLOGRAM_RETURN_IF_ERROR(device_.Finish());
    return true;
  }
  uint32_t fault = 0;
  trace_.AddCopy("download", "the word of faults", sizeof fault);
  HOLOGRAM_RETURN_IF_ERROR(device_.Read(&fault, fault_.address, 0, sizeof fault));
  HOLOGRAM_RETURN_IF_ERROR(device_.Finish());
  if (fault == 0) return true;
  fault = 0;
  trace_.AddCopy("upload", "the word of faults", sizeof fault);
  HOLOGRAM_RETURN_IF_ERROR(device_.Write(fault_.address, 0, &fault, sizeof fault));
  HOLOGRAM_RETURN_IF_ERROR(device_.Finish());
  return false;
}

Status Kernel::Download(const launch::Launch& launch) {
  observe::Span span("copy", "download");
  uint64_t sum = 0;
  const std::vector<isa::Parameter>& parameters = program_.program().parameters;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (!parameters[p].is_buffer || parameters[p].direction == isa::Direction::kIn) continue;
    const hologram_buffer_ref& buffer = launch.buffers[number_[p]];
    if (buffer.bytes == 0 || ResidentOf(buffer) != nullptr) continue;
    const size_t place = PlaceOf(launch, number_[p]);
    sum += buffer.bytes;
    trace_.AddCopy("download", parameters[p].name, buffer.bytes);
    HOLOGRAM_RETURN_IF_ERROR(device_.Read(buffer.data, memories_[place].address, 0, buffer.bytes));
  }
  span.Number("bytes", sum);
  return device_.Finish();
}

Result<bool> Kernel::Run(const launch::Launch& launch) {
  const Hold hold(device_);
  HOLOGRAM_RETURN_IF_ERROR(hold.entered());
  return RunHeld(launch);
}

Result<bool> Kernel::RunHeld(const launch::Launch& launch) {
  trace_.Begin(device_);
  Result<bool> done = RunSteps(launch);
  trace_.End(device_);
  return done;
}

bool Kernel::MayStayQueued(const launch::Launch& launch) const {
  if (!device_.runs_behind() || code_->facts().may_fault() || trace_.on()) return false;
  return std::all_of(launch.buffers.begin(), launch.buffers.end(),
                     [](const hologram_buffer_ref& buffer) {
                       const ResidentMemory* const resident = ResidentOf(buffer);
                       return resident != nullptr && !resident->is_shared();
                     });
}

Result<bool> Kernel::RunSteps(const launch::Launch& launch) {
  HOLOGRAM_RETURN_IF_ERROR(Upload(launch));
  HOLOGRAM_RETURN_IF_ERROR(Start(launch));
  if (MayStayQueued(launch)) return true;
  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, Wait());
  if (!done) {
    HOLOGRAM_RETURN_IF_ERROR(TakeBack(launch));
    return false;
  }
  HOLOGRAM_RETURN_IF_ERROR(Download(launch));
  return true;
}

}  // namespace hologram::engines::devices
