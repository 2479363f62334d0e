//! Parsing bytes to a container. Every count is checked against the file before an allocation.

use std::cell::Cell;

use super::{Constant, Dvle, Dvlp, GeometryMode, Label, Output, Shbin, Stage, Uniform};

/// Reason why a byte string is not a container.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("offset {offset:#x} ({block}): {problem}")]
pub struct ShbinError {
    /// The block being read: `DVLB`, `DVLP`, or `DVLE` with its number.
    pub block: String,
    /// Offset of the offending bytes in the file.
    pub offset: usize,
    /// Description of the problem.
    pub problem: String,
}

/// Bound of the total size of all tables and names, as a multiple of the file size. Executables can share bytes of the
/// file, and entries of tables bytes of names, so without a bound a small file could become large in memory, or as text.
const OVERLAP: usize = 4;

/// A file being read.
struct File<'a> {
    bytes: &'a [u8],
    /// Remaining bytes for tables and names.
    table_bytes: Cell<usize>,
}

/// A block: the bytes from its start to the end of the file.
struct Block<'a> {
    name: String,
    file: &'a File<'a>,
    start: usize,
}

impl<'a> Block<'a> {
    fn open(name: String, file: &'a File<'a>, start: usize, magic: &str) -> Result<Self, ShbinError> {
        let block = Self { name, file, start };
        let found = block.bytes(0, 4)?;
        if found == magic.as_bytes() {
            return Ok(block);
        }
        Err(block.error(0, format!("expected \"{magic}\", found \"{}\"", found.escape_ascii())))
    }

    fn error(&self, at: usize, problem: String) -> ShbinError {
        ShbinError { block: self.name.clone(), offset: self.start.saturating_add(at), problem }
    }

    fn bytes(&self, at: usize, size: usize) -> Result<&'a [u8], ShbinError> {
        let first = self.start.checked_add(at);
        let range = first.and_then(|first| Some(first..first.checked_add(size)?));
        range.and_then(|range| self.file.bytes.get(range)).ok_or_else(|| {
            self.error(
                at,
                format!("{size} bytes wanted here, but the file ends at {:#x}", self.file.bytes.len()),
            )
        })
    }

    fn u8(&self, at: usize) -> Result<u8, ShbinError> {
        Ok(self.bytes(at, 1)?[0])
    }

    fn u16(&self, at: usize) -> Result<u16, ShbinError> {
        Ok(halfword(self.bytes(at, 2)?, 0))
    }

    fn u32(&self, at: usize) -> Result<u32, ShbinError> {
        Ok(word(self.bytes(at, 4)?, 0))
    }

    /// The table whose offset is at `at`, followed by its number of entries of `size` bytes. The offset of an empty
    /// table is not checked.
    fn table(&self, at: usize, size: usize) -> Result<&'a [u8], ShbinError> {
        let (offset, count) = (self.u32(at)? as usize, self.u32(at + 4)? as usize);
        let bytes = count.checked_mul(size);
        if count == 0 {
            return Ok(&[]);
        }
        let table = bytes.and_then(|bytes| self.bytes(offset, bytes).ok()).ok_or_else(|| {
            let problem = format!(
                "a table of {count} entries of {size} bytes at +{offset:#x} reaches past the end of the file \
                 at {:#x}",
                self.file.bytes.len()
            );
            self.error(at, problem)
        })?;
        self.charge(at, table.len(), "tables")?;
        Ok(table)
    }

    /// Charges bytes that other parts of the file may have too.
    fn charge(&self, at: usize, bytes: usize, kind: &str) -> Result<(), ShbinError> {
        let left = self.file.table_bytes.get().checked_sub(bytes);
        let left = left.ok_or_else(|| self.error(at, format!("the {kind} of the file overlap too much")))?;
        self.file.table_bytes.set(left);
        Ok(())
    }

    /// Offset in the block of entry `n` of the table described at `at`, for messages.
    fn entry(&self, at: usize, n: usize, size: usize) -> usize {
        let offset = self.u32(at).map_or(0, |offset| offset as usize);
        offset.saturating_add(n * size)
    }
}

fn halfword(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Shbin {
    /// Reads a container.
    ///
    /// # Errors
    /// If a block is missing, or a table reaches past the end of the file or contains an invalid value.
    pub fn read(file: &[u8]) -> Result<Self, ShbinError> {
        let file = &File { bytes: file, table_bytes: Cell::new(file.len().saturating_mul(OVERLAP)) };
        let header = Block::open("DVLB".into(), file, 0, "DVLB")?;
        let count = header.u32(4)? as usize;
        let Some(offsets) = count.checked_mul(4).and_then(|size| header.bytes(8, size).ok()) else {
            let problem = format!("{count} executables do not fit a file of {} bytes", file.bytes.len());
            return Err(header.error(4, problem));
        };
        let program = Dvlp::read(file, 8 + offsets.len())?;
        let starts = offsets.chunks_exact(4).map(|bytes| word(bytes, 0) as usize);
        let executables = starts.enumerate().map(|(n, start)| Dvle::read(file, start, n));
        Ok(Self { program, executables: executables.collect::<Result<_, _>>()? })
    }
}

impl Dvlp {
    fn read(file: &File<'_>, start: usize) -> Result<Self, ShbinError> {
        let block = Block::open("DVLP".into(), file, start, "DVLP")?;
        let descriptors = block.table(0x10, 8)?;
        Ok(Self {
            version: block.u32(4)?,
            code: block.table(0x08, 4)?.chunks_exact(4).map(|bytes| word(bytes, 0)).collect(),
            descriptors: descriptors.chunks_exact(8).map(|bytes| [word(bytes, 0), word(bytes, 4)]).collect(),
            file_names: block.table(0x20, 1)?.to_vec(),
        })
    }
}

impl Dvle {
    fn read(file: &File<'_>, start: usize, n: usize) -> Result<Self, ShbinError> {
        let block = Block::open(format!("DVLE {n}"), file, start, "DVLE")?;
        let symbols = block.table(0x38, 1)?;
        Ok(Self {
            version: block.u16(4)?,
            stage: match block.u8(6)? {
                0 => Stage::Vertex,
                1 => Stage::Geometry,
                other => {
                    return Err(block.error(6, format!("{other} is neither vertex (0) nor geometry (1)")));
                }
            },
            merge: block.u8(7)? != 0,
            entry: block.u32(8)?,
            end: block.u32(0x0c)?,
            input_mask: block.u16(0x10)?,
            output_mask: block.u16(0x12)?,
            geometry: GeometryMode {
                mode: block.u8(0x14)?,
                fixed_start: block.u8(0x15)?,
                variable_vertices: block.u8(0x16)?,
                fixed_vertices: block.u8(0x17)?,
            },
            constants: constants(&block)?,
            labels: labels(&block, symbols)?,
            outputs: outputs(&block)?,
            uniforms: uniforms(&block, symbols)?,
            symbols: symbols.to_vec(),
        })
    }
}

fn constants(block: &Block<'_>) -> Result<Vec<Constant>, ShbinError> {
    let entries = block.table(0x18, 0x14)?.chunks_exact(0x14).enumerate();
    entries.map(|(n, bytes)| constant(block, block.entry(0x18, n, 0x14), bytes)).collect()
}

fn constant(block: &Block<'_>, at: usize, bytes: &[u8]) -> Result<Constant, ShbinError> {
    let (kind, register) = (halfword(bytes, 0), halfword(bytes, 2));
    let limit = match kind {
        0 => 16,
        1 => 4,
        2 => 96,
        _ => return Err(block.error(at, format!("constant of kind {kind}; 0 to 2 are known"))),
    };
    if register >= limit {
        return Err(block.error(at + 2, format!("constant for register {register} of {limit}")));
    }
    Ok(match kind {
        0 => Constant::Bool(register, word(bytes, 4) != 0),
        1 => Constant::Int(register, [bytes[4], bytes[5], bytes[6], bytes[7]]),
        _ => Constant::Float(register, [4, 8, 12, 16].map(|at| word(bytes, at))),
    })
}

fn outputs(block: &Block<'_>) -> Result<Vec<Output>, ShbinError> {
    let entries = block.table(0x28, 8)?.chunks_exact(8).enumerate();
    let output = |(n, bytes): (usize, &[u8])| {
        let [semantic, register, mask, unknown] = [0, 2, 4, 6].map(|at| halfword(bytes, at));
        if register < 16 {
            return Ok(Output { semantic, register, mask, unknown });
        }
        Err(block.error(block.entry(0x28, n, 8) + 2, format!("output register {register} of 16")))
    };
    entries.map(output).collect()
}

fn labels(block: &Block<'_>, symbols: &[u8]) -> Result<Vec<Label>, ShbinError> {
    let entries = block.table(0x20, 0x10)?.chunks_exact(0x10).enumerate();
    let label = |(n, bytes): (usize, &[u8])| {
        let name = word(bytes, 12);
        check_name(block, block.entry(0x20, n, 0x10) + 12, name, symbols)?;
        let (id, flags) = (halfword(bytes, 0), halfword(bytes, 2));
        Ok(Label { id, flags, position: word(bytes, 4), size: word(bytes, 8), name })
    };
    entries.map(label).collect()
}

fn uniforms(block: &Block<'_>, symbols: &[u8]) -> Result<Vec<Uniform>, ShbinError> {
    let entries = block.table(0x30, 8)?.chunks_exact(8).enumerate();
    let uniform = |(n, bytes): (usize, &[u8])| {
        let name = word(bytes, 0);
        check_name(block, block.entry(0x30, n, 8), name, symbols)?;
        Ok(Uniform { name, first: halfword(bytes, 4), last: halfword(bytes, 6) })
    };
    entries.map(uniform).collect()
}

/// Checks that a name begins in the symbol table or at its end, and charges its bytes.
fn check_name(block: &Block<'_>, at: usize, name: u32, symbols: &[u8]) -> Result<(), ShbinError> {
    let Some(rest) = symbols.get(name as usize..) else {
        let problem = format!("name at {name:#x} of a symbol table of {} bytes", symbols.len());
        return Err(block.error(at, problem));
    };
    let length = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
    block.charge(at, length, "names")
}
