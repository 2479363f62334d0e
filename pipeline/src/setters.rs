//! `setters!`: methods that replace one field of a structure to which fields may be added.

macro_rules! setters {
    ($($setter:ident: $field:ident, $ty:ty;)*) => {
        $(
            #[doc = concat!("With another [`", stringify!($field), "`](Self::", stringify!($field), ").")]
            #[must_use]
            pub const fn $setter(mut self, $field: $ty) -> Self {
                self.$field = $field;
                self
            }
        )*
    };
}

pub(crate) use setters;
