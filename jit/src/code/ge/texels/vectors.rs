//! Vectors that a group is computed in: what the rows and levels of [`groups`](super::groups) need, for each kind of processor.

#[cfg(any(test, not(all(target_arch = "aarch64", target_endian = "little"))))]
pub(super) mod arrays;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(super) mod neon;
#[cfg(target_arch = "x86_64")]
pub(super) mod sse41;

use crate::code::ge::depth_test::DepthTest;
use crate::code::vectors::Work;
use crate::emit::ge::span::GroupTexels;

/// A kind of vectors. A value of it is a proof that the processor has them.
///
/// All but [`apart`](Self::apart) are to be inlined into work that it does.
pub(super) trait Vectors: Copy {
    /// A number of each pixel.
    type Doubles: Copy;
    /// The same, in fixed point.
    type Longs: Copy;
    /// The same, of 32 bits.
    type Ints: Copy;
    /// u and v of each pixel.
    type Places: Copy;
    /// Four channels of each pixel, of 16 bits.
    type Colours: Copy;

    /// Does work in a function of its own, which has these vectors.
    fn apart<W: Work>(self, work: W) -> W::Found;

    fn doubles(self, lanes: [f64; 4]) -> Self::Doubles;
    fn add(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn sub(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn mul(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn div(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// The smaller ones; the second one beside a NaN.
    fn smaller(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// The larger ones; the second one beside a NaN.
    fn larger(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// Without signs.
    fn magnitude(self, a: Self::Doubles) -> Self::Doubles;
    /// Without the last [`CUT`](super::CUT) bits.
    fn cut(self, a: Self::Doubles) -> Self::Doubles;
    /// Lanes 1 and 3 less lanes 0 and 2, in these.
    fn along(self, a: Self::Doubles) -> Self::Doubles;
    /// Sign, exponent, and four bits more of lanes 0 and 2.
    fn upper(self, a: Self::Doubles) -> [i32; 2];
    /// True if one is below a number.
    fn any_below(self, a: Self::Doubles, least: f64) -> bool;

    fn longs(self, lanes: [i64; 4]) -> Self::Longs;
    /// Sums, modulo 2^64.
    fn sum(self, a: Self::Longs, b: Self::Longs) -> Self::Longs;
    /// True if a depth, in fixed point, of a pixel that is covered (-1, otherwise 0) passes against what is stored.
    ///
    /// # Safety
    /// Four numbers are stored there.
    unsafe fn any_passes(
        self,
        test: &DepthTest,
        depth: Self::Longs,
        stored: *const u16,
        covered: &[i32; 4],
    ) -> bool;

    fn ints(self, lanes: [i32; 4]) -> Self::Ints;

    fn places(self, lanes: [[i32; 4]; 2]) -> Self::Places;
    /// Lower halves of u and v.
    fn low(self, axes: [Self::Doubles; 2]) -> Self::Places;
    /// Upper halves of u and v.
    fn high(self, axes: [Self::Longs; 2]) -> Self::Places;
    /// None below the least and above the greatest ones.
    fn clamped(self, a: Self::Places, bounds: [Self::Places; 2]) -> Self::Places;
    /// Whole texels, and of these the bits of masks.
    fn whole(self, a: Self::Places, masks: Self::Places) -> Self::Places;
    /// What [`indices`](Self::indices) go by, of a texture with so many columns.
    fn strides(self, columns: i32) -> Self::Places;
    /// Indices of whole texels, of which columns and rows are below 2^15, as the number of columns is.
    fn indices(self, whole: Self::Places, strides: Self::Places) -> [u32; 4];
    /// Sixteenths of a texel beyond whole ones: of u as [`mixed`](Self::mixed) has them, of v in all channels.
    fn sixteenths(self, a: Self::Places) -> [Self::Colours; 2];
    /// Shifted right, u and v, and less a number.
    fn halved(self, a: Self::Places, by: [u32; 2], less: i32) -> Self::Places;
    /// Last bits of positions, shifted left by so many bits, and of what is cut of a number: the larger ones.
    fn last_bits(self, a: Self::Places, above: u32, cut: Self::Doubles) -> Self::Places;
    /// The larger ones of last bits.
    fn later(self, a: Self::Places, b: Self::Places) -> Self::Places;
    /// True if some last bits may be those of the next number: they are not below [`DOUBT`](super::DOUBT).
    fn are_doubtful(self, last: Self::Places) -> bool;
    /// The same of what is cut alone.
    fn is_cut_doubtful(self, cut: Self::Doubles) -> bool;

    /// The words at indices.
    ///
    /// # Safety
    /// They are there.
    unsafe fn words(self, from: *const u32, at: [u32; 4]) -> Self::Colours;
    /// Four words that follow each other.
    ///
    /// # Safety
    /// They are there.
    unsafe fn neighbours(self, words: *const u32) -> Self::Colours;
    /// `a (16 - f) + b f` of the words at indices and the next ones, where f are [`sixteenths`](Self::sixteenths) of u.
    ///
    /// # Safety
    /// They are there.
    unsafe fn mixed(self, from: *const u32, at: [u32; 4], sixteenths: Self::Colours) -> Self::Colours;
    /// `a (16 - f) + b f`, without the lower bits.
    fn between<const BITS: i32>(self, axes: [Self::Colours; 2], sixteenths: Self::Colours) -> Self::Colours;
    /// Numbers of 16 bits of each pixel in all of its channels.
    fn spread(self, a: Self::Ints) -> Self::Colours;
    /// Two pixels of one, and the other two of another one.
    fn halves(self, first: Self::Colours, second: Self::Colours) -> Self::Colours;
    fn store(self, a: Self::Colours, to: &mut GroupTexels);
}
