#include "observe/chrome_trace.h"

#include <unistd.h>

#include "base/quote.h"

namespace hologram::observe {
namespace {

// Microseconds, exactly.
std::string Microseconds(uint64_t ns) {
  const std::string digits = std::to_string(1000 + ns % 1000);
  return std::to_string(ns / 1000) + "." + digits.substr(1);
}

// Readers take numbers for doubles: larger integers than those hold are texts.
std::string NumberText(uint64_t number) {
  const std::string digits = std::to_string(number);
  return number > (uint64_t{1} << 53) ? "\"" + digits + "\"" : digits;
}

std::string Ids(uint32_t thread) {
  return ",\"pid\":" + std::to_string(getpid()) + ",\"tid\":" + std::to_string(thread);
}

std::string Name(const char* what, uint32_t thread, const std::string& name) {
  return std::string("{\"name\":\"") + what + "\",\"ph\":\"M\"" + Ids(thread) +
         ",\"args\":{\"name\":" + JsonString(name) + "}}";
}

}  // namespace

void ChromeTrace::Add(const TracedSpan& span) {
  threads_.emplace(span.thread, span.thread_name);
  events_ += ",\n{\"name\":" + JsonString(span.name) + ",\"cat\":" + JsonString(span.category) +
             ",\"ph\":\"X\",\"ts\":" + Microseconds(span.begin_ns) +
             ",\"dur\":" + Microseconds(span.duration_ns) + Ids(span.thread) + ",\"args\":{";
  const char* comma = "";
  for (const TracedArgument& argument : span.arguments) {
    events_ += comma + JsonString(argument.name) + ":" +
               (argument.is_text ? JsonString(argument.text) : NumberText(argument.number));
    comma = ",";
  }
  events_ += "}}";
}

std::string ChromeTrace::Finish(uint64_t dropped) {
  const auto process = static_cast<uint32_t>(getpid());
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"hologram\"," +
                     ("\"dropped_spans\":" + std::to_string(dropped)) + "},\"traceEvents\":[\n" +
                     Name("process_name", process, "hologram");
  for (const auto& [thread, name] : threads_) {
    text += ",\n" + Name("thread_name", thread, name);
  }
  if (dropped != 0) {
    text += ",\n{\"name\":" + JsonString(Counted(dropped, "span") + " dropped: no room") +
            ",\"ph\":\"i\",\"s\":\"g\",\"ts\":0.000" + Ids(process) + ",\"args\":{}}";
  }
  text += events_ + "\n]}\n";
  events_.clear();
  return text;
}

}  // namespace hologram::observe
