// How a product of matrices becomes launches: the one definition for tensors (ops.hpp) and for the
// Python module. Part of ops.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "../hologram.h"
#include "layout.hpp"
#include "reduction.hpp"

namespace hologram::detail {

// The kernels of a product: those of whole rows, which read b where it is; tiles of rows and
// columns, which read panels of its columns; those that copy b to panels; and those of one row.
enum class ProductStep : std::uint8_t {
  rows,
  rows_strided,
  pack,
  pack_strided,
  pack_narrow,
  pack_strided_narrow,
  tile,
  tile_narrow,
  one_row,
  one_row_rest,
  count
};
// op_NAME_TYPE is the kernel of a type.
inline constexpr std::array<const char*, static_cast<std::size_t>(ProductStep::count)>
    product_steps = {"gemm",
                     "gemm_strided",
                     "gemm_pack",
                     "gemm_pack_strided",
                     "gemm_pack_narrow",
                     "gemm_pack_strided_narrow",
                     "gemm_tile",
                     "gemm_tile_narrow",
                     "matvec_columns_blocks",
                     "matvec_columns"};

// (blocks, lanes of a block) of the kernel of one row, which takes whole blocks of columns; none
// where the other, one lane for each column, is as fast.
inline std::array<std::uint32_t, 2> whole_blocks(std::uint32_t columns) {
  if (columns < 256) return {0, 0};
  const std::uint32_t lanes = columns < 1024 ? columns / 64 * 64 : 1024;
  return {columns / lanes, lanes};
}

// out[m, n] = a[m, k] b[k, n], none of them empty. Distances are in elements; columns of out are
// side by side. `code` is the type of the elements.
struct MatrixProduct {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  std::uint32_t a_row = 0;
  std::uint32_t a_column = 0;
  std::uint32_t b_row = 0;
  std::uint32_t b_column = 0;
  std::uint32_t out_row = 0;
  std::uint32_t code = 0;
};

// An operand of a launch: from an element of a matrix, or of the scratch memory, on.
struct ProductOperand {
  enum class Memory : std::uint8_t { a, b, out, scratch };
  Memory memory = Memory::a;
  std::uint64_t first = 0;
};

struct ProductLaunch {
  ProductStep step = ProductStep::rows;
  std::array<ProductOperand, 3> operands;
  std::size_t num_operands = 0;
  std::array<std::uint32_t, 8> numbers{};
  std::size_t num_numbers = 0;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::uint32_t lanes = 1;
};

// The launches of a product, in order. Whatever they are, each element is the sum of its k terms in
// order, so that the shape decides about time, never about bits.
class ProductPlan {
 public:
  explicit ProductPlan(const MatrixProduct& product) : p_(product) {}

  // Elements of scratch memory, in the type of sums: f64 for f64, f32 for all others. 0: none.
  std::uint64_t scratch() const { return packs() ? group() * panel(columns()) : 0; }

  // Calls launch(const ProductLaunch&) for each; ends when it gives false. Whether it never did.
  template <class F>
  bool run(const F& launch) const {
    if (p_.m == 1 && by_rows() && p_.a_column <= 1) return one_row(launch);
    if (!tiles()) return whole_rows(0, launch);
    const std::uint32_t wide = columns();
    if (!packs()) {
      const std::uint32_t body = p_.n / wide * wide;
      return tile(false, 0, body, false, launch) && (body == p_.n || whole_rows(body, launch));
    }
    // The last columns make a panel of half the width, if they fit one.
    const std::uint32_t rest = p_.n % wide;
    const bool narrow = rest != 0 && rest <= wide / 2;
    const std::uint32_t body = narrow ? p_.n - rest : p_.n;
    const std::uint64_t step = group() * wide;
    for (std::uint64_t first = 0; first < body; first += step) {
      const auto start = static_cast<std::uint32_t>(first);
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(body, first + step));
      if (!pack(false, start, end, launch) || !tile(true, start, end, false, launch)) return false;
    }
    return !narrow || (pack(true, body, p_.n, launch) && tile(true, body, p_.n, true, launch));
  }

 private:
  using Memory = ProductOperand::Memory;

  // Below, the second cache holds b, and packing costs more than it saves.
  static constexpr std::uint64_t in_place = std::uint64_t{1} << 19;
  // Elements of the panels that are packed at a time.
  static constexpr std::uint64_t most_scratch = std::uint64_t{1} << 20;
  static constexpr std::uint32_t tallest_block = 384;  // rows of a that stay in the second cache
  static constexpr std::uint32_t fewest_rows = 12;
  static constexpr std::uint32_t longest_panel = 1U << 16;  // rows

  bool is_double() const { return p_.code == HOLOGRAM_F64; }
  bool by_rows() const { return p_.b_column == 1 || p_.n == 1; }
  std::uint32_t columns() const { return is_double() ? 32 : 64; }
  std::uint64_t panel(std::uint32_t width) const { return std::uint64_t{p_.k} * width; }
  std::uint64_t group() const {
    const std::uint64_t all = (p_.n + columns() - 1) / columns();
    return std::min(all, std::max<std::uint64_t>(1, most_scratch / panel(columns())));
  }
  // b is read where it is if that is near, has the type of the sums, and rows side by side.
  bool packs() const {
    const bool as_sums = p_.code == HOLOGRAM_F32 || is_double();
    return tiles() && !(as_sums && by_rows() && std::uint64_t{p_.k} * p_.n <= in_place);
  }
  bool tiles() const {
    return p_.m >= fewest_rows && p_.n >= columns() / 2 && p_.k >= 16 && p_.k <= longest_panel;
  }

  template <class F>
  bool whole_rows(std::uint32_t start, const F& launch) const {
    const std::uint32_t width = p_.n - start;
    const auto [blocks, lanes] = launch_width(width);
    ProductLaunch l;
    l.step = by_rows() ? ProductStep::rows : ProductStep::rows_strided;
    l.operands = {{{Memory::a, 0}, {Memory::b, start}, {Memory::out, start}}};
    l.num_operands = 3;
    l.numbers = {p_.m, width, p_.k, p_.a_row, p_.a_column, p_.b_row};
    l.num_numbers = 6;
    if (!by_rows()) l.numbers[l.num_numbers++] = p_.b_column;
    l.numbers[l.num_numbers++] = p_.out_row;
    l.grid = {blocks, p_.m / 4 + (p_.m % 4 != 0 ? 1 : 0), 1};
    l.lanes = lanes;
    return launch(l);
  }

  template <class F>
  bool one_row(const F& launch) const {
    const auto [blocks, lanes] = whole_blocks(p_.n);
    const std::uint32_t body = blocks * lanes;
    if (body != 0 && !one_row(ProductStep::one_row, 0, blocks, lanes, launch)) return false;
    if (body == p_.n) return true;
    const auto [rest_blocks, rest_lanes] = launch_width(p_.n - body);
    return one_row(ProductStep::one_row_rest, body, rest_blocks, rest_lanes, launch);
  }
  template <class F>
  bool one_row(ProductStep step, std::uint32_t start, std::uint32_t blocks, std::uint32_t lanes,
               const F& launch) const {
    ProductLaunch l;
    l.step = step;
    l.operands = {{{Memory::b, start}, {Memory::a, 0}, {Memory::out, start}}};
    l.num_operands = 3;
    if (step == ProductStep::one_row_rest) l.numbers[l.num_numbers++] = p_.n - start;
    l.numbers[l.num_numbers++] = p_.k;
    l.numbers[l.num_numbers++] = p_.b_row;
    l.grid = {blocks, 1, 1};
    l.lanes = lanes;
    return launch(l);
  }

  // Columns [start, end) of b to panels in the scratch memory.
  template <class F>
  bool pack(bool narrow, std::uint32_t start, std::uint32_t end, const F& launch) const {
    const std::uint32_t width = narrow ? columns() / 2 : columns();
    ProductLaunch l;
    l.step = by_rows() ? (narrow ? ProductStep::pack_narrow : ProductStep::pack)
                       : (narrow ? ProductStep::pack_strided_narrow : ProductStep::pack_strided);
    l.operands[0] = {Memory::b, std::uint64_t{start} * (by_rows() ? 1 : p_.b_column)};
    l.operands[1] = {Memory::scratch, 0};
    l.num_operands = 2;
    l.numbers = {end - start, p_.k, p_.b_row};
    l.num_numbers = 3;
    if (!by_rows()) l.numbers[l.num_numbers++] = p_.b_column;
    l.grid = {1, p_.k, (end - start + width - 1) / width};
    l.lanes = width;
    return launch(l);
  }

  // Columns [start, end) of out, by blocks of rows.
  template <class F>
  bool tile(bool packed, std::uint32_t start, std::uint32_t end, bool narrow,
            const F& launch) const {
    if (start == end) return true;
    const std::uint32_t width = narrow ? columns() / 2 : columns();
    constexpr std::uint32_t height = 6;
    const std::uint32_t block = p_.m > 2 * tallest_block ? tallest_block : p_.m;
    for (std::uint32_t i = 0; i < p_.m; i += block) {
      const std::uint32_t rows = std::min(block, p_.m - i);
      ProductLaunch l;
      l.step = narrow ? ProductStep::tile_narrow : ProductStep::tile;
      l.operands[0] = {Memory::a, std::uint64_t{i} * p_.a_row};
      l.operands[1] =
          packed ? ProductOperand{Memory::scratch, 0} : ProductOperand{Memory::b, start};
      l.operands[2] = {Memory::out, std::uint64_t{i} * p_.out_row + start};
      l.num_operands = 3;
      const std::uint32_t panel = packed ? p_.k * width : width;
      const std::uint32_t row = packed ? width : p_.b_row;
      l.numbers = {rows, end - start, p_.k, p_.a_row, p_.a_column, panel, row, p_.out_row};
      l.num_numbers = 8;
      l.grid = {1, (rows + height - 1) / height, (end - start + width - 1) / width};
      l.lanes = width;
      if (!launch(l)) return false;
    }
    return true;
  }

  MatrixProduct p_;
};

// Memory for packed panels, kept by each thread: at most ProductPlan::scratch() elements, 8 MB but
// for long panels.
class ProductScratch {
 public:
  static void* get(std::uint64_t bytes) {
    static thread_local ProductScratch mine;
    if (bytes > mine.size_) {
      mine.memory_ = std::make_unique_for_overwrite<char[]>(bytes + 64);
      mine.size_ = bytes;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(mine.memory_.get());
    return mine.memory_.get() + (64 - at % 64) % 64;
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::uint64_t size_ = 0;
};

// A matrix in memory, up to its last element.
struct ProductMemory {
  char* data = nullptr;
  std::uint64_t bytes = 0;
};

// Runs a product. find(step) gives a kernel, or nullptr once it has reported why not;
// launch(kernel, arguments, count, grid, lanes) runs it, or gives false. Whether all ran.
template <class Find, class Launch>
bool multiply(const MatrixProduct& product, const std::array<ProductMemory, 3>& matrices,
              const Find& find, const Launch& launch) {
  const ProductPlan plan(product);
  const std::uint64_t size = element_size(product.code);
  const std::uint64_t sum_size = product.code == HOLOGRAM_F64 ? 8 : 4;
  std::array<ProductMemory, 4> memory{};
  std::copy(matrices.begin(), matrices.end(), memory.begin());
  ScratchUse use;
  if (const std::uint64_t elements = plan.scratch(); elements != 0) {
    memory[3] = {static_cast<char*>(ProductScratch::get(elements * sum_size)), elements * sum_size};
    use.begin(memory[3].data, memory[3].bytes);
  }
  return plan.run([&](const ProductLaunch& l) {
    const hologram_kernel* kernel = find(l.step);
    if (kernel == nullptr) return false;
    const std::uint8_t* codes = hologram_kernel_plan(kernel)->codes;
    std::array<hologram_argument, 11> arguments{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < l.num_operands; ++i, ++count) {
      const auto which = static_cast<std::size_t>(l.operands[i].memory);
      const std::uint64_t first = l.operands[i].first * (which == 3 ? sum_size : size);
      arguments[count].code = codes[count];
      arguments[count].buffer = {memory[which].data + first, memory[which].bytes - first};
    }
    for (std::size_t i = 0; i < l.num_numbers; ++i, ++count) {
      arguments[count].code = codes[count];
      arguments[count].scalar = l.numbers[i];
    }
    return launch(kernel, arguments.data(), count, l.grid, l.lanes);
  });
}

}  // namespace hologram::detail
