// PTX text, as src/device writes it, as data. Anything else is an error that names the line.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace fakecuda {

struct PtxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Statement {
  uint32_t line = 0;
  std::string guard;  // a predicate; empty: always
  bool negated = false;
  std::vector<std::string> op;  // "setp", "lt", "u32"
  std::vector<std::string> operands;
};

struct PtxParameter {
  std::string name;
  std::string type;  // "u64", "b32"
};

struct PtxArray {
  bool is_shared = false;
  uint32_t bytes = 0;
};

struct PtxFunction {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::string result;                         // a parameter; empty: none
  std::map<std::string, uint32_t> registers;  // by prefix "%r": how many there are
  std::map<std::string, PtxArray> arrays;
  std::map<std::string, uint32_t> labels;  // number of a statement
  std::vector<Statement> statements;
};

struct PtxModule {
  uint32_t version = 0;  // 60 for 6.0
  uint32_t target = 0;   // 70 for sm_70
  std::map<std::string, std::vector<uint8_t>> tables;
  std::vector<PtxFunction> functions;  // called ones before their callers
  std::string kernel;                  // the name of the last one
};

// Throws PtxError.
PtxModule ReadPtx(const std::string& text);

}  // namespace fakecuda
