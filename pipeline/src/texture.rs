//! Textures as hosts see them: their identity, for dumps and for images of the host in their place.
//!
//! [`Memory::replace`](crate::memory::Memory::replace) receives both. Images have the size of what they replace: level of
//! detail, filters and coordinates in texels follow from the registers, so a larger image would be another draw.

/// Identity of a level of a texture. Equal identities have equal texels, hashes aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Texture {
    /// Address of the level.
    pub address: u32,
    /// Width and height of the level in texels.
    pub size: [u32; 2],
    /// Number of the level, 0 for the largest.
    pub level: u32,
    /// Face of a cube, 0 to 5; 0 for others.
    pub face: u32,
    /// Code of the format in the register of the machine.
    pub format: u32,
    /// Texels from row to row, where a register has them; else 0.
    pub stride: u32,
    /// [`hash`] of the level's bytes; of bytes that are not mapped as zeros.
    pub hash: u64,
    /// [`hash`] of the palette, see the machine; 0 for formats without one.
    pub palette: u64,
}

impl Texture {
    /// A level at an address, with these texels and bytes.
    #[must_use]
    pub fn new(address: u32, size: [u32; 2], format: u32, bytes: &[u8]) -> Self {
        Self { address, size, format, hash: hash(bytes), ..Self::default() }
    }

    /// The same level with its number and face.
    #[must_use]
    pub const fn at(self, level: u32, face: u32) -> Self {
        Self { level, face, ..self }
    }

    /// The same level with the distance of its rows and its palette.
    #[must_use]
    pub const fn with(self, stride: u32, palette: u64) -> Self {
        Self { stride, palette, ..self }
    }

    /// Number of texels.
    #[must_use]
    pub const fn texels(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }
}

const P1: u64 = 0x9e37_79b1_85eb_ca87;
const P2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const P3: u64 = 0x1656_67b1_9e37_79f9;
const P4: u64 = 0x85eb_ca77_c2b2_ae63;
const P5: u64 = 0x27d4_eb2f_1656_67c5;

/// XXH64 of bytes with seed 0: a public function with many implementations, so that other programs can name images.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let (stripes, rest) = bytes.as_chunks::<32>();
    let mut hash = if stripes.is_empty() { P5 } else { merged(stripes) }.wrapping_add(bytes.len() as u64);
    let (words, rest) = rest.as_chunks::<8>();
    for &word in words {
        hash = (hash ^ round(0, u64::from_le_bytes(word))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for &half in halves {
        let half = u64::from(u32::from_le_bytes(half)).wrapping_mul(P1);
        hash = (hash ^ half).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ hash >> 33).wrapping_mul(P2);
    hash = (hash ^ hash >> 29).wrapping_mul(P3);
    hash ^ hash >> 32
}

/// Four lanes of words over all stripes, merged.
fn merged(stripes: &[[u8; 32]]) -> u64 {
    let mut lanes = [P1.wrapping_add(P2), P2, 0, P1.wrapping_neg()];
    for stripe in stripes {
        for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
            *lane = round(*lane, u64::from_le_bytes(*word));
        }
    }
    let sum = lanes.iter().zip([1, 7, 12, 18]).map(|(lane, by)| lane.rotate_left(by));
    let sum = sum.fold(0, u64::wrapping_add);
    lanes.iter().fold(sum, |hash, &lane| (hash ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4))
}

const fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the reference program `xxhsum -H1`.
    #[test]
    fn published_values() {
        // The last one is one stripe, three words, a half and three bytes.
        let cases: [(&[u8], u64); 5] = [
            (b"", 0xef46_db37_51d8_e999),
            (b"a", 0xd24e_c4f1_a98c_6e5b),
            (b"abc", 0x44bc_2cf5_ad77_0999),
            (b"Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1),
            (b"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2_e854_70d6_fd96),
        ];
        for (bytes, expected) in cases {
            assert_eq!(hash(bytes), expected, "{bytes:?}");
        }
    }

    /// Every length around the sizes of stripes, words and halves: a changed byte changes the hash.
    #[test]
    fn every_byte_counts() {
        for length in 1..100 {
            let mut bytes: Vec<u8> = (0..length).map(|n: u8| n.wrapping_mul(7)).collect();
            let before = hash(&bytes);
            for place in 0..bytes.len() {
                bytes[place] ^= 0x40;
                assert_ne!(hash(&bytes), before, "{length}, {place}");
                bytes[place] ^= 0x40;
            }
        }
    }

    #[test]
    fn identities_of_levels() {
        let level = Texture::new(0x1000, [8, 4], 5, b"abc");
        let all = level.at(2, 3).with(16, 7);
        assert_eq!((all.level, all.face, all.stride, all.palette), (2, 3, 16, 7));
        assert_eq!((all.address, all.size, all.format, all.hash), (0x1000, [8, 4], 5, hash(b"abc")));
        assert_eq!(all.texels(), 32);
    }
}
