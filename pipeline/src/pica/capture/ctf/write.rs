//! Writing files in the recorder's layouts, for tests and tools.

use super::{
    CiTrace, ELEMENT_BYTES, Element, FRAME, HEADER_BYTES, LOAD, Layout, MAGIC, Tables, WIDTHS, WRITE,
};
use std::collections::HashMap;

impl CiTrace {
    /// The file in this layout. The first generation drops the default attributes, late writes drop the bits above
    /// the 32nd. Equal memory contents are stored once.
    #[must_use]
    pub fn to_bytes(&self, layout: Layout) -> Vec<u8> {
        let header_bytes = HEADER_BYTES[usize::from(!layout.first_generation)];
        let mut file = [&MAGIC[..], &1_u32.to_le_bytes(), &header_bytes.to_le_bytes()].concat();
        let mut body = Body { start: header_bytes, bytes: Vec::new(), blobs: HashMap::new() };
        for (i, table) in self.tables.all().into_iter().enumerate() {
            if !layout.first_generation || i != Tables::DEFAULT_ATTRIBUTES {
                put(&mut file, &[body.end(), table.len() as u32]);
                put(&mut body.bytes, table);
            }
        }
        let elements: Vec<_> = self.elements.iter().map(|element| body.element(element, layout)).collect();
        put(&mut file, &[body.end(), elements.len() as u32]);
        elements.iter().for_each(|words| put(&mut body.bytes, words));
        file.extend(body.bytes);
        file
    }
}

fn put(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// The part of the file after the header.
struct Body<'a> {
    start: u32,
    bytes: Vec<u8>,
    blobs: HashMap<&'a [u8], u32>,
}

impl<'a> Body<'a> {
    /// Offset of the next byte in the file.
    fn end(&self) -> u32 {
        self.start + self.bytes.len() as u32
    }

    /// The words of an element; its memory is appended to the body.
    fn element(&mut self, element: &'a Element, layout: Layout) -> [u32; ELEMENT_BYTES / 4] {
        match *element {
            Element::Frame => [FRAME, 0, 0, 0, 0],
            Element::Load { address, ref bytes } => [LOAD, self.blob(bytes), bytes.len() as u32, address, 0],
            Element::Write { address, value, .. } if layout.late_writes => {
                [WRITE, address, value as u32, 0, 0]
            }
            Element::Write { address, width_bytes, value } => {
                let code = WIDTHS.start() + width_bytes.trailing_zeros();
                [WRITE, address, code, value as u32, (value >> 32) as u32]
            }
        }
    }

    fn blob(&mut self, bytes: &'a [u8]) -> u32 {
        let end = self.end();
        let offset = *self.blobs.entry(bytes).or_insert(end);
        if offset == end {
            self.bytes.extend(bytes);
        }
        offset
    }
}
