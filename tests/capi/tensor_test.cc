// tensor.hpp: shapes, strides and offsets of views, and what is refused.
#include "hologram/tensor.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace hologram {
namespace {

Tensor<int> Counted(const Dimensions& shape) {
  Tensor<int> tensor(shape);
  std::iota(tensor.data(), tensor.data() + tensor.numel(), 0);
  return tensor;
}

template <class F>
std::string ErrorOf(const F& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), HOLOGRAM_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(error.fault(), nullptr);
    return error.message();
  }
  return "no error";
}

TEST(Tensor, StridesAreRowMajor) {
  EXPECT_EQ(Tensor<float>({4, 6}).strides(), Dimensions({6, 1}));
  EXPECT_EQ(Tensor<float>({3, 4, 5}).strides(), Dimensions({20, 5, 1}));
  const Tensor<float> scalar(Dimensions{});
  EXPECT_EQ(scalar.ndim(), 0U);
  EXPECT_EQ(scalar.numel(), 1U);
  EXPECT_EQ(scalar(), 0.0f);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scalar.data()) % 64, 0U);
}

TEST(Tensor, ViewsShareTheirMemory) {
  const Tensor<int> a = Counted({2, 3, 4});
  const Tensor<int> rows = a.select(0, 1);
  EXPECT_EQ(rows.shape(), Dimensions({3, 4}));
  EXPECT_EQ(rows.offset(), 12U);
  EXPECT_EQ(rows.transpose().to_vector(),
            (std::vector<int>{12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23}));
  rows(2, 3) = -1;
  EXPECT_EQ(a(1, 2, 3), -1);
  EXPECT_EQ(a.permute({2, 0, 1}).shape(), Dimensions({4, 2, 3}));
  EXPECT_EQ(a.permute({2, 0, 1})(3, 1, 2), -1);
  EXPECT_FALSE(rows.transpose().is_contiguous());
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_EQ(rows.contiguous().data(), rows.data());
  EXPECT_NE(rows.transpose().contiguous().data(), rows.data());
}

TEST(Tensor, SlicesAndNarrows) {
  const Tensor<int> narrowed = Counted({10, 20}).narrow(0, 2, 5);
  EXPECT_EQ(narrowed.shape(), Dimensions({5, 20}));
  EXPECT_EQ(narrowed.offset(), 40U);
  EXPECT_EQ(narrowed.strides(), Dimensions({20, 1}));
  const Tensor<int> sliced = Counted({10, 20}).slice(0, 2, 8, 2);
  EXPECT_EQ(sliced.shape(), Dimensions({3, 20}));
  EXPECT_EQ(sliced.offset(), 40U);
  EXPECT_EQ(sliced.strides(), Dimensions({40, 1}));
  const Tensor<int> odd = Counted({2, 3, 4}).slice(2, 1, {}, 2);
  EXPECT_EQ(odd.shape(), Dimensions({2, 3, 2}));
  EXPECT_EQ(odd.strides(), Dimensions({12, 4, 2}));
  EXPECT_EQ(odd.to_vector(), (std::vector<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}));
  EXPECT_EQ(Counted({5}).slice(0, 3, 100).to_vector(), (std::vector<int>{3, 4}));
  EXPECT_EQ(Counted({5}).slice(0, 3, 2).numel(), 0U);
  EXPECT_EQ(Counted({5}).slice(0, 5).numel(), 0U);
  EXPECT_EQ(Counted({5}).slice(0, {}, {}, SIZE_MAX).to_vector(), (std::vector<int>{0}));
}

TEST(Tensor, ReshapesWithAndWithoutACopy) {
  const Tensor<int> a = Counted({4, 6});
  EXPECT_EQ(a.reshape({3, 8}).data(), a.data());
  EXPECT_EQ(a.narrow(0, 1, 2).reshape({12}).data(), a.data() + 6);
  const Tensor<int> turned = a.transpose().reshape({24});
  EXPECT_NE(turned.data(), a.data());
  EXPECT_EQ(turned(1), 6);
  EXPECT_EQ(a.unsqueeze(1).shape(), Dimensions({4, 1, 6}));
  EXPECT_TRUE(a.unsqueeze(1).is_contiguous());
  EXPECT_EQ(a.unsqueeze(2).squeeze(2).strides(), a.strides());
  EXPECT_EQ(a.reshape({2, 12}).view_1d().shape(), Dimensions({24}));
}

TEST(Tensor, Broadcasts) {
  EXPECT_EQ(broadcast_shapes({3, 1, 5}, {1, 4, 5}), Dimensions({3, 4, 5}));
  EXPECT_EQ(broadcast_shapes({8, 1, 6, 1}, {7, 1, 5}), Dimensions({8, 7, 6, 5}));
  EXPECT_EQ(broadcast_shapes({}, {3, 4, 5}), Dimensions({3, 4, 5}));
  EXPECT_EQ(broadcast_shapes({0}, {1}), Dimensions({0}));
  EXPECT_EQ(broadcast_shapes({}, {}), Dimensions{});
  EXPECT_EQ(ErrorOf([] { broadcast_shapes({3, 4}, {5}); }),
            "shapes 3 x 4 and 5 do not go together: 4 and 5");
  EXPECT_EQ(ErrorOf([] { broadcast_shapes({0}, {3}); }),
            "shapes 0 and 3 do not go together: 0 and 3");
  EXPECT_TRUE(Counted({3, 1, 5}).is_broadcast_compatible_with(Tensor<float>({4, 5})));
  EXPECT_TRUE(Counted({0}).is_broadcast_compatible_with(Counted({1})));
  EXPECT_FALSE(Counted({3, 4}).is_broadcast_compatible_with(Counted({5})));
  EXPECT_FALSE(Counted({0}).is_broadcast_compatible_with(Counted({3})));
  const Tensor<int> row = Counted({3}).broadcast_to({2, 3});
  EXPECT_EQ(row.strides(), Dimensions({0, 1}));
  EXPECT_EQ(row.to_vector(), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(ErrorOf([] { Counted({2, 3}).broadcast_to({3}); }),
            "a tensor of 2 x 3 does not broadcast to 3");
}

TEST(Tensor, StridesStayInTheBuffer) {
  const auto buffer = std::make_shared<Buffer<float>>(24);
  EXPECT_EQ(ErrorOf([&] { Tensor<float>::from_buffer_with_strides(buffer, {4, 6}, {6, 2}); }),
            "a buffer of 24 elements for a tensor that needs 29");
  EXPECT_EQ(ErrorOf([&] { Tensor<float>::from_buffer(buffer, {5, 5}); }),
            "a buffer of 24 elements for a tensor that needs 25");
  EXPECT_EQ(ErrorOf([&] { Tensor<float>::from_buffer_with_strides(buffer, {4}, {SIZE_MAX}); }),
            "strides that lead beyond any memory");
  EXPECT_EQ(ErrorOf([] { Tensor<float>({SIZE_MAX, 2}); }),
            "a shape of 18446744073709551615 x 2 has more elements than memory can have");
  EXPECT_EQ(ErrorOf([&] { Tensor<float>::from_buffer_with_strides(buffer, {4, 6}, {6}); }),
            "a shape of 2 dimensions with 1 strides");
  const auto repeated = Tensor<float>::from_buffer_with_strides(buffer, {1000, 24}, {0, 1});
  EXPECT_EQ(repeated.numel(), 24000U);
  EXPECT_EQ(Tensor<float>::from_buffer_with_strides(buffer, {0, 9}, {SIZE_MAX, 1}).numel(), 0U);
  EXPECT_EQ(ErrorOf([] { Tensor<float>({1, 1, 1, 1, 1, 1, 1, 1, 1}); }),
            "a tensor has up to 8 dimensions, found 9");
}

TEST(Tensor, RefusesWhatIsNotThere) {
  const Tensor<int> a = Counted({2, 3});
  EXPECT_EQ(ErrorOf([&] { a(2, 0); }), "index 2 of 2 in dimension 0");
  EXPECT_EQ(ErrorOf([&] { a(1); }), "1 indices for a tensor of 2 dimensions");
  EXPECT_EQ(ErrorOf([&] { a.select(2, 0); }), "dimension 2 of a tensor with 2");
  EXPECT_EQ(ErrorOf([&] { a.select(0, 2); }), "index 2 of 2 in dimension 0");
  EXPECT_EQ(ErrorOf([&] { a.narrow(1, 2, SIZE_MAX); }),
            "narrow(1, 2, 18446744073709551615) of 3 elements");
  EXPECT_EQ(ErrorOf([&] { a.slice(1, 4); }), "a slice from 4 of 3 elements");
  EXPECT_EQ(ErrorOf([&] { a.slice(1, 0, 3, 0); }), "a slice with step 0");
  EXPECT_EQ(ErrorOf([&] { a.permute({0, 0}); }), "permute() needs each of the 2 dimensions once");
  EXPECT_EQ(ErrorOf([&] { a.reshape({5}); }),
            "a tensor of 2 x 3 cannot be reshaped to 5: 6 elements, not 5");
  EXPECT_EQ(ErrorOf([&] { a.squeeze(0); }), "squeeze() of a dimension of size 2");
  EXPECT_EQ(ErrorOf([&] { a.transpose().flat(); }),
            "a tensor with gaps has no flat form; use contiguous()");
  EXPECT_EQ(ErrorOf([&] { a.view<3>(); }), "a view of 3 dimensions of a tensor of 2");
  EXPECT_EQ(ErrorOf([&] { a.copy_from(std::vector<int>(5)); }), "5 values for a tensor of 6");
  EXPECT_EQ(ErrorOf([&] { Counted({2, 2, 2}).transpose(); }),
            "transpose() of a tensor of 3 dimensions; use permute()");
}

TEST(Tensor, ViewsForKernelsHaveShapeAndStrides) {
  const Tensor<int> a = Counted({4, 6});
  const View<int, 2> view = a.narrow(1, 1, 3).view<2>();
  EXPECT_EQ(view.data(), a.data() + 1);
  EXPECT_EQ(view.size(), 21U);  // to the last element of the last row
  EXPECT_EQ(view.shape().extents[1], 3U);
  EXPECT_EQ(view.shape().strides[0], 6U);
  int memory[4] = {1, 2, 3, 4};
  const auto borrowed = Tensor<int>::borrow(memory, {2, 2});
  borrowed.transpose().copy_from(std::vector<int>{5, 6, 7, 8});
  EXPECT_EQ(memory[1], 7);
  EXPECT_EQ(a.flat().size(), 24U);
}

}  // namespace
}  // namespace hologram
