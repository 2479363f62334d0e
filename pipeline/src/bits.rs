//! `bits!`: typed views over raw words.
//!
//! The raw word is the truth; a view is `Copy` and computes its fields on demand. Decoding is total: every
//! bit pattern has a value. Ranges are half open, bit 0 is least significant.

/// A type that a field of a view can have.
pub trait Field {
    /// The value of the field whose bits, shifted down and masked, are `raw`.
    fn from_bits(raw: u32) -> Self;
    /// The bits of the value, before they are masked to the field's width.
    fn to_bits(self) -> u32;
}

impl Field for bool {
    fn from_bits(raw: u32) -> Self {
        raw != 0
    }
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
}

impl Field for u8 {
    fn from_bits(raw: u32) -> Self {
        raw as Self
    }
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
}

impl Field for u16 {
    fn from_bits(raw: u32) -> Self {
        raw as Self
    }
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
}

impl Field for u32 {
    fn from_bits(raw: u32) -> Self {
        raw
    }
    fn to_bits(self) -> u32 {
        self
    }
}

/// One field of a view, for listings.
#[derive(Debug, Clone, Copy)]
pub struct FieldInfo {
    /// Name of the getter.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Bit after the highest.
    pub high: u32,
    /// The value of the field in a word, as text.
    pub show: fn(u32) -> String,
}

/// The bits `low..high` of `word`.
pub const fn extract(word: u32, low: u32, high: u32) -> u32 {
    (word >> low) & mask(high - low)
}

/// `word` with its bits `low..high` replaced by `value`.
pub const fn insert(word: u32, low: u32, high: u32, value: u32) -> u32 {
    let mask = mask(high - low) << low;
    word & !mask | value << low & mask
}

const fn mask(width: u32) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

/// Declares an enumeration whose values are all patterns of a field, numbered from 0, and makes it a
/// [`Field`]. Patterns past the last variant decode as the variant after `else`.
///
/// ```
/// picaflor_pipeline::field_enum! {
///     /// A filter.
///     pub enum Filter {
///         /// The closest texel.
///         Nearest,
///         /// Four texels, weighted.
///         Linear,
///     } else Nearest
/// }
/// use picaflor_pipeline::bits::Field;
/// assert_eq!(Filter::from_bits(1), Filter::Linear);
/// assert_eq!(Filter::from_bits(7), Filter::Nearest);
/// ```
#[macro_export]
macro_rules! field_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident,)*
    } else $other:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }
        impl $name {
            /// All variants, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
        impl $crate::bits::Field for $name {
            fn from_bits(raw: u32) -> Self {
                Self::ALL.get(raw as usize).copied().unwrap_or(Self::$other)
            }
            fn to_bits(self) -> u32 {
                self as u32
            }
        }
    };
}

/// Declares a view: a `Copy` newtype over `u32` with one getter and one `with_` setter for each field.
///
/// ```
/// picaflor_pipeline::bits! {
///     /// `GPUREG_EXAMPLE`.
///     pub struct Example(u32) {
///         /// Enables the unit.
///         enable: bool = 0..1;
///         /// Compared with alpha.
///         reference, with_reference: u8 = 8..16;
///     }
/// }
/// let view = Example(0x2a01);
/// assert!(view.enable());
/// assert_eq!(view.with_reference(7).0, 0x0701);
/// ```
#[macro_export]
macro_rules! bits {
    ($(#[$meta:meta])* $vis:vis struct $name:ident(u32) {
        $($(#[$doc:meta])* $field:ident $(, $setter:ident)?: $ty:ty = $low:literal .. $high:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        $vis struct $name(
            /// The raw word.
            pub u32,
        );
        impl $name {
            /// The fields, lowest bit first, for listings.
            pub const FIELDS: &'static [$crate::bits::FieldInfo] = &[$(
                $crate::bits::FieldInfo {
                    name: stringify!($field),
                    low: $low,
                    high: $high,
                    show: |word| format!("{:?}", Self(word).$field()),
                },
            )*];
            $(
                $(#[$doc])*
                pub fn $field(self) -> $ty {
                    $crate::bits::Field::from_bits($crate::bits::extract(self.0, $low, $high))
                }
                $(
                    /// The word with this field replaced.
                    #[must_use]
                    pub fn $setter(self, value: $ty) -> Self {
                        let bits = $crate::bits::Field::to_bits(value);
                        Self($crate::bits::insert(self.0, $low, $high, bits))
                    }
                )?
            )*
        }
    };
}
