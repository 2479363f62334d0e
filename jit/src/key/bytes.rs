//! Keys as bytes, stable across processes.
//!
//! Invariants: all parts of a key are written, in the order of declaration, and the encoding is prefix-free. So
//! different keys have different bytes, and decoding accepts only the bytes that encoding produces.

use picaflor_pipeline::compare::CompareFunc;

/// Value of a field of a key, with its binary form.
pub(crate) trait Stored: Sized {
    /// Adds the bytes of the value.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Decodes a value and advances past it; `None` for bytes that [`put`](Self::put) does not write.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
    /// Values that differ from this one in one field.
    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self>;
}

/// One value of each variant of an enumeration: decoded from the variant's number and zeros.
#[cfg(test)]
pub(crate) fn plainest<T: Stored>() -> Vec<T> {
    let read = |variant: u8| T::take(&mut &[&[variant][..], &[0; 256]].concat()[..]);
    (0..=u8::MAX).map_while(read).collect()
}

/// The bytes of a key of a kind; `None` if they do not decode to the key, which never happens.
pub(crate) fn to_bytes<K: Stored + PartialEq>(kind: &str, key: &K) -> Option<Vec<u8>> {
    let mut bytes = kind.as_bytes().to_vec();
    key.put(&mut bytes);
    (from_bytes(kind, &bytes).as_ref() == Some(key)).then_some(bytes)
}

/// The key of a kind with these bytes.
pub(crate) fn from_bytes<K: Stored>(kind: &str, bytes: &[u8]) -> Option<K> {
    let mut rest = bytes.strip_prefix(kind.as_bytes())?;
    let key = K::take(&mut rest)?;
    rest.is_empty().then_some(key)
}

/// An enumeration without data, with a list of all values; its binary form is the index in the list.
pub(crate) trait Listed: Copy + PartialEq + std::fmt::Debug + 'static {
    /// All values.
    const VALUES: &'static [Self];

    /// Index of the value in the list.
    fn place(self) -> usize {
        Self::VALUES.iter().take_while(|&&value| value != self).count()
    }
}

/// Makes enumerations [`Listed`], by their own list `ALL`, or by their variants.
macro_rules! listed {
    ($($ty:ty),* $(,)?) => {
        $(listed! { @values $ty, <$ty>::ALL })*
    };
    ($(enum $ty:ident { $($variant:ident),* $(,)? })*) => {
        $(
            // Does not compile where one is forgotten.
            const _: fn($ty) = |value| match value { $($ty::$variant)|* => () };
            $crate::key::bytes::listed! { @values $ty, &[$($ty::$variant),*] }
        )*
    };
    (@values $ty:ty, $values:expr) => {
        impl $crate::key::bytes::Listed for $ty {
            const VALUES: &'static [Self] = $values;
        }

        impl $crate::key::bytes::Stored for $ty {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.push($crate::key::bytes::Listed::place(*self) as u8);
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let place: u8 = $crate::key::bytes::Stored::take(bytes)?;
                <Self as $crate::key::bytes::Listed>::VALUES.get(usize::from(place)).copied()
            }

            #[cfg(test)]
            fn neighbours(&self) -> Vec<Self> {
                let values = <Self as $crate::key::bytes::Listed>::VALUES.iter().copied();
                values.filter(|value| value != self).collect()
            }
        }
    };
}

pub(crate) use listed;

listed! { CompareFunc }

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl Stored for $ty {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let (taken, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*taken))
            }

            #[cfg(test)]
            fn neighbours(&self) -> Vec<Self> {
                (0..Self::BITS).map(|bit| self ^ 1 << bit).collect()
            }
        })*
    };
}

integers! { u8 u16 u32 }

impl Stored for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        match u8::take(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        vec![!self]
    }
}

impl<T: Stored> Stored for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        if bool::take(bytes)? { T::take(bytes).map(Some) } else { Some(None) }
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        match self {
            Some(value) => value.neighbours().into_iter().map(Some).chain([None]).collect(),
            None => plainest().into_iter().filter(Self::is_some).collect(),
        }
    }
}

impl<T: Stored + Copy, const N: usize> Stored for [T; N] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(bytes));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::take(bytes)).collect();
        values?.try_into().ok()
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        let at = |n: usize| {
            self[n].neighbours().into_iter().map(move |value| {
                let mut all = *self;
                all[n] = value;
                all
            })
        };
        (0..N).flat_map(at).collect()
    }
}

#[cfg(test)]
pub(crate) mod laws {
    use super::{Stored, from_bytes, to_bytes};
    use crate::key::text::NotAKey;
    use std::collections::HashMap;
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    /// Checked keys, by text and by bytes.
    #[derive(Debug)]
    pub(crate) struct Seen<K> {
        texts: HashMap<String, K>,
        bytes: HashMap<Vec<u8>, K>,
    }

    impl<K> Default for Seen<K> {
        fn default() -> Self {
            Self { texts: HashMap::new(), bytes: HashMap::new() }
        }
    }

    impl<K: Copy + Eq + Debug + Display + Stored + FromStr<Err = NotAKey>> Seen<K> {
        /// Checks the laws of one key: its text and its bytes parse to it, and are unique.
        pub(crate) fn check(&mut self, key: K) {
            let (text, bytes) = (key.to_string(), to_bytes("a key ", &key).expect("bytes lead back"));
            assert_eq!(text.parse(), Ok(key), "{text}");
            assert_eq!(format!("{text}/").parse::<K>(), Err(NotAKey));
            assert_eq!(from_bytes("a key ", &bytes), Some(key), "{text}");
            assert_eq!(from_bytes::<K>("a key ", &bytes[..bytes.len() - 1]), None, "{text}");
            assert_eq!(from_bytes::<K>("a key ", &[&bytes[..], &[0]].concat()), None, "{text}");
            assert_eq!(*self.texts.entry(text).or_insert(key), key);
            assert_eq!(*self.bytes.entry(bytes).or_insert(key), key);
        }

        /// Number of different keys.
        pub(crate) fn count(&self) -> usize {
            assert_eq!(self.texts.len(), self.bytes.len());
            self.texts.len()
        }
    }
}
