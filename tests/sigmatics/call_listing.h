// Calls as lines "Merge src=0 ctx=1 dst=2 variant=Add", the form of circuit.txt.
#pragma once

#include <string>
#include <vector>

#include "sigmatics/lower/call.h"

namespace hologram::sigmatics {

inline std::string ListingOf(const std::vector<Call>& calls) {
  std::string text;
  for (const Call& call : calls) {
    text += NameOf(call.kind);
    for (const CallField& field : FieldsOf(call)) {
      text += " " + field.name + "=" + field.text;
    }
    text += "\n";
  }
  return text;
}

}  // namespace hologram::sigmatics
