#include "isa/program.h"

namespace hologram::isa {
namespace {

constexpr uint32_t kSharedAlignment = 64;

uint32_t AlignedBytes(const SharedArray& array) {
  const uint32_t bytes = array.count * SizeOf(array.type);
  return (bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

uint32_t AlignedToWord(const LocalArray& array) {
  constexpr uint32_t kWord = 8;
  return (array.count * SizeOf(array.type) + kWord - 1) / kWord * kWord;
}

}  // namespace

size_t Program::NumArguments() const {
  size_t count = 0;
  while (count < parameters.size() && parameters[count].source == Source::kArgument) ++count;
  return count;
}

uint32_t Program::SharedOffset(size_t array) const {
  uint32_t offset = 0;
  for (size_t i = 0; i < array; ++i) offset += AlignedBytes(shared[i]);
  return offset;
}

uint32_t Program::SharedBytes() const {
  return SharedOffset(shared.size());
}

uint32_t Program::LocalOffset(size_t array) const {
  uint32_t offset = 0;
  for (size_t i = 0; i < array; ++i) offset += AlignedToWord(locals[i]);
  return offset;
}

uint32_t Program::LocalBytes() const {
  return LocalOffset(locals.size());
}

Location Program::LocationOf(uint32_t pc) const {
  if (source_file.empty() || pc >= debug.size() || debug[pc].line == 0) return {};
  return {source_file, debug[pc].line, debug[pc].column};
}

std::string ShapeParameterName(const std::string& array, Source source, uint32_t dimension) {
  return array + (source == Source::kExtent ? ".shape[" : ".stride[") + std::to_string(dimension) +
         "]";
}

}  // namespace hologram::isa
