//! State keys of both machines, by which routines are selected.
//!
//! [`key!`] declares a type and derives `Display`, `FromStr` and the bytes that the cache on disk compares. Text and
//! bytes are unique and reversible; they are derived by destructuring, so that a field without a form does not
//! compile.
//!
//! Keys are `Copy` and compared in full. The text is for people and the bytes are for the disk; lookups use neither.
//! This room is independent of the machines. Start at [`forms`], the text forms of fields.

pub(crate) mod bytes;
pub(crate) mod forms;
pub(crate) mod text;

/// Declares a key or a part of one.
///
/// The fields of a struct are followed by their [`Form`](forms::Form) and are written in the order of the
/// declaration, in text and in bytes. A struct without forms writes its text by hand: `Display` and
/// [`Text`](text::Text). The variants of an enum are followed by their prefix; the longest match counts.
macro_rules! key {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $ty:ty = $form:expr,)*
    }) => {
        $crate::key::key! {
            $(#[$meta])* $vis struct $name { $($(#[$doc])* $field_vis $field: $ty,)* }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let Self { $($field),* } = self;
                $($crate::key::forms::Form::write(&$form, $field, f)?;)*
                Ok(())
            }
        }

        impl $crate::key::text::Text for $name {
            fn read(text: &mut $crate::key::text::Reader<'_>) -> Option<Self> {
                $(let $field: $ty = $crate::key::forms::Form::read(&$form, text)?;)*
                Some(Self { $($field),* })
            }
        }
    };

    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $ty:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis struct $name { $($(#[$doc])* $field_vis $field: $ty,)* }

        impl $crate::key::bytes::Stored for $name {
            fn put(&self, bytes: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::key::bytes::Stored::put($field, bytes);)*
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::key::bytes::Stored::take(bytes)?;)*
                Some(Self { $($field),* })
            }

            #[cfg(test)]
            fn neighbours(&self) -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend($crate::key::bytes::Stored::neighbours(&self.$field).into_iter().map(|value| {
                    let mut key = *self;
                    key.$field = value;
                    key
                }));)*
                all
            }
        }

        $crate::key::text::from_text! { $name }
    };

    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident
            $(($inner:ident: $inner_ty:ty = $inner_form:expr))?
            $({ $($(#[$field_doc:meta])* $field:ident: $ty:ty = $form:expr),* $(,)? })?
            = $start:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name {
            $($(#[$doc])* $variant $(($inner_ty))? $({ $($(#[$field_doc])* $field: $ty),* })?,)*
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $({ 0: $inner })? $({ $($field),* })? => {
                        f.write_str($start)?;
                        $($crate::key::forms::Form::write(&$inner_form, $inner, f)?;)?
                        $($($crate::key::forms::Form::write(&$form, $field, f)?;)*)?
                    })*
                }
                Ok(())
            }
        }

        impl $crate::key::text::Text for $name {
            fn read(text: &mut $crate::key::text::Reader<'_>) -> Option<Self> {
                text.longest(&[$(|rest| {
                    rest.expect($start)?;
                    $(let $inner: $inner_ty = $crate::key::forms::Form::read(&$inner_form, rest)?;)?
                    $($(let $field: $ty = $crate::key::forms::Form::read(&$form, rest)?;)*)?
                    Some(Self::$variant $({ 0: $inner })? $({ $($field),* })?)
                }),*])
            }
        }

        impl $crate::key::bytes::Stored for $name {
            fn put(&self, bytes: &mut Vec<u8>) {
                enum Tag { $($variant),* }
                match self {
                    $(Self::$variant $({ 0: $inner })? $({ $($field),* })? => {
                        bytes.push(Tag::$variant as u8);
                        $($crate::key::bytes::Stored::put($inner, bytes);)?
                        $($($crate::key::bytes::Stored::put($field, bytes);)*)?
                    })*
                }
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                enum Tag { $($variant),* }
                let tag: u8 = $crate::key::bytes::Stored::take(bytes)?;
                $(if tag == Tag::$variant as u8 {
                    $(let $inner = $crate::key::bytes::Stored::take(bytes)?;)?
                    $($(let $field = $crate::key::bytes::Stored::take(bytes)?;)*)?
                    return Some(Self::$variant $({ 0: $inner })? $({ $($field),* })?);
                })*
                None
            }

            #[cfg(test)]
            fn neighbours(&self) -> Vec<Self> {
                let same = |other: &Self| std::mem::discriminant(other) == std::mem::discriminant(self);
                let mut all = $crate::key::bytes::plainest();
                all.retain(|other| !same(other));
                $($(if let Self::$variant($inner) = self {
                    all.extend($crate::key::bytes::Stored::neighbours($inner).into_iter().map(Self::$variant));
                })?
                $($(if let Self::$variant { $field, .. } = self {
                    for value in $crate::key::bytes::Stored::neighbours($field) {
                        let mut key = *self;
                        if let Self::$variant { $field, .. } = &mut key {
                            *$field = value;
                        }
                        all.push(key);
                    }
                })*)?)*
                all
            }
        }

        $crate::key::text::from_text! { $name }
    };
}

pub(crate) use key;

/// Declares a public key that wraps a key of the crate, with its text.
macro_rules! public_key {
    ($(#[$meta:meta])* pub struct $name:ident($key:ty);) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name($key);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::key::text::NotAKey;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::key::text::parse(text).map(Self)
            }
        }
    };
}

pub(crate) use public_key;
