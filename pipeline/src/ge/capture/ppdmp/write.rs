//! Writing files, for tests and tools.

use super::{GAME_SINCE, MAGIC, ZSTANDARD_SINCE};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// The name of the game in each file unless another is set.
const GAME: &[u8; GAME_FIELD] = b"TEST01234\0\0\0";
const GAME_FIELD: usize = 12;

/// A dump file under construction, record by record. Nothing is validated: invalid files are possible.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    table: Vec<u8>,
    data: Vec<u8>,
    game: Option<[u8; GAME_FIELD]>,
}

impl Writer {
    /// Sets the name of the game, of which nine bytes are kept.
    pub fn game(&mut self, name: &str) -> &mut Self {
        let mut field = [0; GAME_FIELD];
        field.iter_mut().zip(name.bytes().take(GAME_FIELD - 3)).for_each(|(to, from)| *to = from);
        self.game = Some(field);
        self
    }

    /// Bytes of the data buffer so far.
    #[must_use]
    pub const fn data_bytes(&self) -> usize {
        self.data.len()
    }

    /// Number of records so far.
    #[must_use]
    pub const fn records(&self) -> usize {
        self.table.len() / super::RECORD_BYTES
    }

    /// Adds a record with bytes of its own.
    pub fn record(&mut self, kind: u8, bytes: &[u8]) -> &mut Self {
        self.entry(kind, bytes.len() as u32, self.data.len() as u32);
        self.data.extend(bytes);
        self
    }

    /// Adds a record of words.
    pub fn words(&mut self, kind: u8, words: &[u32]) -> &mut Self {
        self.record(kind, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Adds a record with arbitrary size and offset.
    pub fn entry(&mut self, kind: u8, size: u32, offset: u32) -> &mut Self {
        self.table.push(kind);
        self.table.extend([size, offset].into_iter().flat_map(u32::to_le_bytes));
        self
    }

    /// Adds bytes to the data buffer that belong to no record.
    pub fn data(&mut self, bytes: &[u8]) -> &mut Self {
        self.data.extend(bytes);
        self
    }

    /// The file.
    #[must_use]
    pub fn file(&self, version: u32) -> Vec<u8> {
        let mut file = [&MAGIC[..], &version.to_le_bytes()].concat();
        if version >= GAME_SINCE {
            file.extend(self.game.as_ref().unwrap_or(GAME));
        }
        let counts = [(self.table.len() / super::RECORD_BYTES) as u32, self.data.len() as u32];
        file.extend(counts.into_iter().flat_map(u32::to_le_bytes));
        for block in [&self.table, &self.data] {
            let packed = pack(version, block);
            file.extend((packed.len() as u32).to_le_bytes());
            file.extend(packed);
        }
        file
    }
}

/// Packs a block for this version; a block too large for Snappy becomes an empty one.
pub(super) fn pack(version: u32, block: &[u8]) -> Vec<u8> {
    if version >= ZSTANDARD_SINCE {
        return compress_to_vec(block, CompressionLevel::Fastest);
    }
    snap::raw::Encoder::new().compress_vec(block).unwrap_or_default()
}
