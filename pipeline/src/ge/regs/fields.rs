//! Bit ranges of the fields of all arguments, defined only here.
//!
//! Register views read them, and [`names`](crate::ge::names) shows them. A range that a [`bits!`](crate::bits!) view
//! describes is defined there; [`Bits::named`] finds it. The names of constants begin with the name of their command,
//! or with the common part of several names.
//!
//! Source: psp-ge.md 3.

use crate::bits::FieldInfo;

/// A bit range of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// The lowest bit.
    pub from: u32,
    /// Number of bits.
    pub count: u32,
}

impl Bits {
    const fn at(from: u32, count: u32) -> Self {
        Self { from, count }
    }

    /// Bit range of a field of a view.
    ///
    /// # Panics
    /// If the view has no such field; in a constant, this is a compile error.
    #[must_use]
    pub const fn named(fields: &[FieldInfo], name: &str) -> Self {
        let mut n = 0;
        while n < fields.len() {
            if is_same(fields[n].name, name) {
                return Self::at(fields[n].low, fields[n].high - fields[n].low);
            }
            n += 1;
        }
        panic!("no such field");
    }

    /// Extracts the bits from a word.
    #[must_use]
    #[inline]
    pub const fn of(self, word: u32) -> u32 {
        (word >> self.from) & ((1 << self.count) - 1)
    }
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

/// Off or on.
pub(crate) const SWITCH: Bits = Bits::at(0, 1);
/// One channel, alpha as a rule.
pub const BYTE: Bits = Bits::at(0, 8);
/// A coordinate in sixteenths, or a depth.
pub const SHORT: Bits = Bits::at(0, 16);
/// The whole argument: a float, a colour, part of an address.
pub(crate) const ARGUMENT: Bits = Bits::at(0, 24);
/// Column of a pixel, or columns less one.
pub const PIXEL_X: Bits = Bits::at(0, 10);
/// Row of a pixel, or rows less one.
pub const PIXEL_Y: Bits = Bits::at(10, 10);
/// Pixels from row to row.
pub(crate) const STRIDE: Bits = Bits::at(0, 11);
/// Address bits 24 to 27.
pub(crate) const ADDRESS_HIGH: Bits = Bits::at(16, 4);

/// Texture coordinates of a vertex.
pub(crate) const VTYPE_TEXTURE: Bits = Bits::at(0, 2);
/// Its colour.
pub(crate) const VTYPE_COLOUR: Bits = Bits::at(2, 3);
/// Its normal.
pub(crate) const VTYPE_NORMAL: Bits = Bits::at(5, 2);
/// Its position.
pub(crate) const VTYPE_POSITION: Bits = Bits::at(7, 2);
/// Its weights.
pub(crate) const VTYPE_WEIGHT: Bits = Bits::at(9, 2);
/// Indices.
pub(crate) const VTYPE_INDEX: Bits = Bits::at(11, 2);
/// Number of weights less one.
pub(crate) const VTYPE_WEIGHTS: Bits = Bits::at(14, 3);
/// Number of records that are morphed into a vertex, less one.
pub(crate) const VTYPE_MORPHS: Bits = Bits::at(18, 3);
/// Positions are screen coordinates.
pub(crate) const VTYPE_THROUGH: Bits = Bits::at(23, 1);

/// Vertices of a draw.
pub(crate) const PRIM_COUNT: Bits = Bits::at(0, 16);
/// Primitive type.
pub(crate) const PRIM_TYPE: Bits = Bits::at(16, 3);
/// Control points of a patch along u.
pub(crate) const PATCH_U: Bits = Bits::at(0, 8);
/// Control points of a patch along v.
pub(crate) const PATCH_V: Bits = Bits::at(8, 8);
/// Open ends of a spline along u.
pub(crate) const SPLINE_U_EDGES: Bits = Bits::at(16, 2);
/// Open ends of a spline along v.
pub(crate) const SPLINE_V_EDGES: Bits = Bits::at(18, 2);
/// Pieces of a patch along u.
pub(crate) const PSUB_U: Bits = Bits::at(0, 7);
/// Pieces of a patch along v.
pub(crate) const PSUB_V: Bits = Bits::at(8, 7);
/// Behaviour of a signal.
pub(crate) const SIGNAL_BEHAVIOUR: Bits = Bits::at(16, 8);
/// Counter of the bone matrices.
pub(crate) const BONE_ELEMENT: Bits = Bits::at(0, 7);
/// Counter of another matrix.
pub(crate) const MATRIX_ELEMENT: Bits = Bits::at(0, 4);
/// Primitive type of patches.
pub(crate) const PPRIM: Bits = Bits::at(0, 2);

/// Material colours that come from the vertex.
pub(crate) const CMAT_AMBIENT: Bits = Bits::at(0, 1);
/// Material colours that come from the vertex.
pub(crate) const CMAT_DIFFUSE: Bits = Bits::at(1, 1);
/// Material colours that come from the vertex.
pub(crate) const CMAT_SPECULAR: Bits = Bits::at(2, 1);
/// Components of a light.
pub(crate) const LT_COMPONENTS: Bits = Bits::at(0, 2);
/// Kind of a light.
pub(crate) const LT_TYPE: Bits = Bits::at(8, 2);

/// Source of texture coordinates.
pub(crate) const TMAP_MODE: Bits = Bits::at(0, 2);
/// The vector that the texture matrix transforms.
pub(crate) const TMAP_SOURCE: Bits = Bits::at(8, 2);
/// Light for s.
pub(crate) const TSHADE_S: Bits = Bits::at(0, 2);
/// Light for t.
pub(crate) const TSHADE_T: Bits = Bits::at(8, 2);
/// Exponent of a level's width.
pub const TSIZE_WIDTH: Bits = Bits::at(0, 4);
/// Exponent of a level's height.
pub const TSIZE_HEIGHT: Bits = Bits::at(8, 4);
/// Minification filter; its three bits are separate fields of [`TextureFilter`](super::texture::TextureFilter).
pub(crate) const TFLT_SMALLER: Bits = Bits::at(0, 3);
/// Size of a CLUT load, in units of 32 bytes.
pub(crate) const CLOAD_BLOCKS: Bits = Bits::at(0, 6);
/// Address bits 24 to 31 of a transfer.
pub(crate) const TRANSFER_ADDRESS_HIGH: Bits = Bits::at(16, 8);
/// Texel format.
pub(crate) const TPSM: Bits = Bits::at(0, 4);

/// Pixel format.
pub(crate) const PSM: Bits = Bits::at(0, 2);
/// The colour test.
pub(crate) const CTST: Bits = Bits::at(0, 2);
/// The depth test.
pub(crate) const ZTST: Bits = Bits::at(0, 3);
/// The logic operation.
pub(crate) const LOP: Bits = Bits::at(0, 4);

/// Alpha of an immediate vertex.
pub const VAP_ALPHA: Bits = Bits::at(0, 8);
/// Primitive type of immediate vertices.
pub(crate) const VAP_TYPE: Bits = Bits::at(8, 3);
/// Enables of an immediate vertex.
pub(crate) const VAP_FLAGS: Bits = Bits::at(11, 13);
