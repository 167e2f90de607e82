#include "mutations.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace hologram::fuzz {
namespace {

using Offset = std::ptrdiff_t;

class Mutation {
 public:
  Mutation(Bytes& bytes, const Bytes& other, std::mt19937_64& random)
      : bytes_(bytes), other_(other), random_(random) {}

  void Make() {
    if (bytes_.empty()) return bytes_.push_back(static_cast<uint8_t>(random_()));
    switch (Below(13)) {
      case 0:
        return ChangeByte();
      case 1:
        return ChangeByte();
      case 2:
        bytes_.insert(At(Below(bytes_.size())), Interesting());
        return;
      case 3:
        bytes_.erase(At(Below(bytes_.size())));
        return;
      case 4:
        return Cut();
      case 5:
      case 6:
        return InsertOther();
      case 7:
        return Repeat();
      case 8:
        return ChangeNumber();
      case 9:
        return ChangeField();
      case 10:
        return Duplicate();
      case 11:
        return EmptyBrackets();
      default:
        return ChangeByte();
    }
  }

 private:
  uint64_t Below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }
  Bytes::iterator At(uint64_t at) { return bytes_.begin() + static_cast<Offset>(at); }

  uint8_t Interesting() {
    constexpr uint8_t kBytes[] = {0,   1,   0x7f, 0x80, 0xff, '\n', ' ', '"', ';', '@',
                                  '[', ']', '{',  '}',  '(',  ')',  ',', ':', '-', '.'};
    return kBytes[Below(std::size(kBytes))];
  }

  void ChangeByte() {
    uint8_t& byte = bytes_[Below(bytes_.size())];
    switch (Below(3)) {
      case 0:
        byte = static_cast<uint8_t>(byte ^ (1u << Below(8)));
        break;
      case 1:
        byte = static_cast<uint8_t>(random_());
        break;
      default:
        byte = Interesting();
    }
  }

  // The end, or a part in the middle.
  void Cut() {
    const uint64_t begin = Below(bytes_.size());
    const uint64_t rest = bytes_.size() - begin;
    const uint64_t count = Below(4) == 0 ? rest : std::min<uint64_t>(rest, 1 + Below(32));
    bytes_.erase(At(begin), At(begin + count));
  }

  void InsertOther() {
    if (other_.empty()) return;
    const uint64_t from = Below(other_.size());
    const uint64_t count = Below(std::min<uint64_t>(64, other_.size() - from) + 1);
    const auto begin = other_.begin() + static_cast<Offset>(from);
    const Bytes part(begin, begin + static_cast<Offset>(count));
    bytes_.insert(At(Below(bytes_.size())), part.begin(), part.end());
  }

  // A short part many times: brackets that nest, operands without end.
  void Repeat() {
    const uint64_t begin = Below(bytes_.size());
    const uint64_t count = std::min<uint64_t>(bytes_.size() - begin, 1 + Below(12));
    const Bytes part(At(begin), At(begin + count));
    Bytes many;
    for (uint64_t times = uint64_t{1} << Below(11); times > 0; --times) {
      many.insert(many.end(), part.begin(), part.end());
    }
    bytes_.insert(At(begin), many.begin(), many.end());
  }

  // A line or a long part twice: names, keys, chunks and sections that are there already.
  void Duplicate() {
    uint64_t begin = Below(bytes_.size());
    uint64_t end = std::min<uint64_t>(bytes_.size(), begin + 1 + Below(200));
    if (Below(2) == 0) {
      while (begin > 0 && bytes_[begin - 1] != '\n') --begin;
      end = begin;
      while (end < bytes_.size() && bytes_[end++] != '\n') {
      }
    }
    const Bytes part(At(begin), At(end));
    bytes_.insert(At(Below(4) == 0 ? Below(bytes_.size()) : begin), part.begin(), part.end());
  }

  // The first number in decimal digits behind a random place becomes another one.
  void ChangeNumber() {
    constexpr std::string_view kNumbers[] = {"0",
                                             "1",
                                             "-1",
                                             "127",
                                             "255",
                                             "256",
                                             "65535",
                                             "65536",
                                             "2147483647",
                                             "2147483648",
                                             "4294967295",
                                             "4294967296",
                                             "9007199254740993",
                                             "9223372036854775807",
                                             "9223372036854775808",
                                             "18446744073709551615",
                                             "18446744073709551616",
                                             "-9223372036854775809",
                                             "1e308",
                                             "1e-400",
                                             "1e999",
                                             "99999999999999999999999999999999999999999",
                                             "0x1p-1074",
                                             "1.17549435e-38",
                                             "65505",
                                             "nan",
                                             "-inf"};
    const auto digit = [](uint8_t c) { return c >= '0' && c <= '9'; };
    const auto begin = std::find_if(At(Below(bytes_.size())), bytes_.end(), digit);
    if (begin == bytes_.end()) return ChangeField();
    const auto end = std::find_if_not(begin, bytes_.end(), digit);
    const auto at = begin - bytes_.begin();
    bytes_.erase(begin, end);
    const std::string_view number = kNumbers[Below(std::size(kNumbers))];
    bytes_.insert(bytes_.begin() + at, number.begin(), number.end());
  }

  // Two, four or eight bytes, at a place that is such a multiple.
  void ChangeField() {
    const uint64_t size = uint64_t{2} << Below(3);
    if (bytes_.size() < size) return ChangeByte();
    const uint64_t at = Below(bytes_.size() / size) * size;
    uint64_t value = 0;
    for (uint64_t i = 0; i < size; ++i) value |= uint64_t{bytes_[at + i]} << (8 * i);
    const uint64_t all = ~uint64_t{0} >> (64 - 8 * size);
    switch (Below(6)) {
      case 0:
        value = all - Below(3);
        break;
      case 1:
        value = (all >> 1) + Below(3);
        break;
      case 2:
        value = bytes_.size() + Below(17) - 8;
        break;
      case 3:
        value = uint64_t{1} << Below(8 * size);
        break;
      case 4:
        value = Below(3);
        break;
      default:
        value += Below(17) - 8;
    }
    for (uint64_t i = 0; i < size; ++i) bytes_[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  // "[1, 2]" becomes "[]".
  void EmptyBrackets() {
    const auto is = [](std::string_view set) {
      return [set](uint8_t c) { return set.find(static_cast<char>(c)) != set.npos; };
    };
    const auto open = std::find_if(At(Below(bytes_.size())), bytes_.end(), is("[{(\""));
    if (open == bytes_.end()) return ChangeByte();
    const auto close = std::find_if(open + 1, bytes_.end(), is("]})\""));
    bytes_.erase(open + 1, close);
  }

  Bytes& bytes_;
  const Bytes& other_;
  std::mt19937_64& random_;
};

}  // namespace

void Mutate(Bytes& bytes, const Bytes& other, size_t most, std::mt19937_64& random) {
  Mutation(bytes, other, random).Make();
  if (bytes.size() > most) bytes.resize(most);
}

}  // namespace hologram::fuzz
