//! Writing a container in the layout of the common assembler.

use super::{Constant, Dvle, Dvlp, Shbin, Stage};

const DVLP_HEADER: usize = 0x28;
const DVLE_HEADER: usize = 0x40;

/// A block under construction.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn tag(&mut self, magic: &str) {
        self.0.extend_from_slice(magic.as_bytes());
    }
    fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn u32(&mut self, value: usize) {
        self.word(value as u32);
    }
    fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn words(&mut self, values: &[u32]) {
        values.iter().for_each(|&value| self.word(value));
    }
    /// Writes offset and count of a table.
    fn table(&mut self, offset: usize, count: usize) {
        self.u32(offset);
        self.u32(count);
    }
    fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }
}

impl Shbin {
    /// The bytes of the container.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let program = self.program.write();
        let executables: Vec<_> = self.executables.iter().map(Dvle::write).collect();
        let mut out = Bytes::default();
        out.tag("DVLB");
        out.u32(executables.len());
        let mut offset = 8 + 4 * executables.len() + program.len();
        for executable in &executables {
            out.u32(offset);
            offset += executable.len();
        }
        out.0.extend(program);
        executables.into_iter().for_each(|bytes| out.0.extend(bytes));
        out.0
    }
}

impl Dvlp {
    fn write(&self) -> Vec<u8> {
        let descriptors = DVLP_HEADER + 4 * self.code.len();
        let file_names = descriptors + 8 * self.descriptors.len();
        let mut out = Bytes::default();
        out.tag("DVLP");
        out.word(self.version);
        out.table(DVLP_HEADER, self.code.len());
        out.table(descriptors, self.descriptors.len());
        out.table(file_names, 0);
        out.table(if self.file_names.is_empty() { 0 } else { file_names }, self.file_names.len());
        out.words(&self.code);
        self.descriptors.iter().for_each(|descriptor| out.words(descriptor));
        out.0.extend_from_slice(&self.file_names);
        out.align();
        out.0
    }
}

impl Dvle {
    fn write(&self) -> Vec<u8> {
        let mut out = Bytes::default();
        self.write_header(&mut out);
        self.constants.iter().for_each(|constant| write_constant(&mut out, constant));
        for label in &self.labels {
            out.u16(label.id);
            out.u16(label.flags);
            out.words(&[label.position, label.size, label.name]);
        }
        for output in &self.outputs {
            let fields = [output.semantic, output.register, output.mask, output.unknown];
            fields.into_iter().for_each(|value| out.u16(value));
        }
        for uniform in &self.uniforms {
            out.word(uniform.name);
            out.u16(uniform.first);
            out.u16(uniform.last);
        }
        out.0.extend_from_slice(&self.symbols);
        out.align();
        out.0
    }

    fn write_header(&self, out: &mut Bytes) {
        out.tag("DVLE");
        out.u16(self.version);
        out.0.extend([u8::from(self.stage == Stage::Geometry), u8::from(self.merge)]);
        out.words(&[self.entry, self.end]);
        out.u16(self.input_mask);
        out.u16(self.output_mask);
        let mode = &self.geometry;
        out.0.extend([mode.mode, mode.fixed_start, mode.variable_vertices, mode.fixed_vertices]);
        let labels = DVLE_HEADER + 0x14 * self.constants.len();
        let outputs = labels + 0x10 * self.labels.len();
        let uniforms = outputs + 8 * self.outputs.len();
        let symbols = uniforms + 8 * self.uniforms.len();
        out.table(DVLE_HEADER, self.constants.len());
        out.table(labels, self.labels.len());
        out.table(outputs, self.outputs.len());
        out.table(uniforms, self.uniforms.len());
        out.table(symbols, self.symbols.len());
    }
}

fn write_constant(out: &mut Bytes, constant: &Constant) {
    let (kind, register, words) = match *constant {
        Constant::Bool(register, value) => (0, register, [u32::from(value), 0, 0, 0]),
        Constant::Int(register, value) => (1, register, [u32::from_le_bytes(value), 0, 0, 0]),
        Constant::Float(register, value) => (2, register, value),
    };
    out.u16(kind);
    out.u16(register);
    out.words(&words);
}
