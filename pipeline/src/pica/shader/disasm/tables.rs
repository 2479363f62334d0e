//! The tables of executables as declarations.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::text::{Name, Names};
use crate::pica::shader::asm::constant_f24;
use crate::pica::shader::shbin::{Constant, Dvle, Output, Shbin, Stage, Uniform};

/// Characters of names. Longer ones are not carried over: each operand would repeat them.
const MOST_NAME: usize = 200;

/// Declarations around the code.
pub(super) struct Declared {
    /// Text before the code.
    pub(super) before: String,
    /// Text after the code.
    pub(super) after: String,
    /// Names that the code can use.
    pub(super) names: Names,
}

/// Declares the tables of all executables; `entries` are the operands of their `.entry` lines. A single executable is
/// declared before the code, which can then use its names. Several executables become files of their own after the
/// code; the code belongs to none of them.
pub(super) fn declare(shbin: &Shbin, entries: &[String]) -> Declared {
    let mut tables = Tables::default();
    if let ([dvle], [entry]) = (&shbin.executables[..], entries) {
        tables.executable(dvle, entry, false);
        return Declared { before: tables.text, after: String::new(), names: tables.names };
    }
    let before = ".nodvle\n".into();
    for (n, (dvle, entry)) in shbin.executables.iter().zip(entries).enumerate() {
        let _ = write!(tables.text, "\n.file executable {n}\n");
        tables.executable(dvle, entry, true);
    }
    Declared { before, after: tables.text, names: Names::default() }
}

/// The `.entry` lines of all executables, without tables.
pub(super) fn entries(entries: &[String]) -> Declared {
    let mut text = String::new();
    for (n, entry) in entries.iter().enumerate() {
        let _ = write!(text, "\n.file executable {n}\n.entry {entry}\n");
    }
    Declared { before: ".nodvle\n".into(), after: text, names: Names::default() }
}

/// The files so far. Also simulates the assembler's allocator, so that gaps can be filled.
#[derive(Default)]
struct Tables {
    text: String,
    names: Names,
    vertex: Pool,
    gaps: u32,
}

/// State of the simulated allocator: next `c`, `i` and `b`, and the declared uniforms.
#[derive(Default, Clone)]
struct Pool {
    next: [u32; 3],
    known: HashMap<String, (u16, u16)>,
}

impl Tables {
    fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn executable(&mut self, dvle: &Dvle, entry: &str, several: bool) {
        let mut pool = std::mem::take(&mut self.vertex);
        let own = dvle.stage == Stage::Geometry && self.geometry(dvle, several);
        if own {
            let first = first_float(dvle);
            self.uniforms(dvle, &mut Pool { next: [first, 0, 0], ..Pool::default() });
        } else {
            self.uniforms(dvle, &mut pool);
        }
        self.vertex = pool;
        dvle.outputs.iter().for_each(|output| self.output(output));
        dvle.constants.iter().for_each(|constant| self.constant(constant));
        if !dvle.labels.is_empty() {
            self.put("; not carried over: labels");
        }
        self.put(&format!(".entry {entry}"));
    }

    /// Writes the `.gsh` line; returns true if the file has its own uniforms.
    fn geometry(&mut self, dvle: &Dvle, several: bool) -> bool {
        let (mode, first) = (&dvle.geometry, first_float(dvle));
        match mode.mode {
            0 if !several && !dvle.merge => {
                self.put(".gsh");
                return false;
            }
            0 => self.put(&format!(".gsh point c{first}")),
            1 => self.put(&format!(".gsh variable c{first} {}", mode.variable_vertices)),
            _ => {
                let line = format!(".gsh fixed c{first} c{} {}", mode.fixed_start, mode.fixed_vertices);
                self.put(&line);
            }
        }
        true
    }

    fn uniforms(&mut self, dvle: &Dvle, pool: &mut Pool) {
        let mut declared = HashSet::new();
        for uniform in &dvle.uniforms {
            let name = String::from_utf8_lossy(dvle.name(uniform.name)).replace('.', "$");
            let fresh = is_name(&name) && !declared.contains(&name);
            if fresh && self.uniform(&name, uniform, pool) {
                declared.insert(name);
            } else {
                let cut: String = name.chars().take(MOST_NAME).collect();
                let dots = if cut.len() < name.len() { "..." } else { "" };
                let name = cut.escape_default().to_string() + dots;
                self.put(&format!("; not carried over: `{name}` {:#x}-{:#x}", uniform.first, uniform.last));
            }
        }
    }

    /// Declares an input or a uniform; false if the language cannot express it.
    fn uniform(&mut self, name: &str, uniform: &Uniform, pool: &mut Pool) -> bool {
        let (first, last) = (uniform.first, uniform.last);
        let (which, letter, base, end) = match first {
            0x00..=0x0e if first == last => {
                self.put(&format!(".in {name} v{first}"));
                self.name('v', first.into(), Name { name: name.into(), offset: None });
                return true;
            }
            0x10..=0x6f => (0, 'c', 0x10, 0x70),
            0x70..=0x73 => (1, 'i', 0x70, 0x74),
            0x78..=0x87 => (2, 'b', 0x78, 0x88),
            _ => return false,
        };
        if last < first || last >= end || name.starts_with('_') {
            return false;
        }
        let directive = [".fvec", ".ivec", ".bool"][which];
        let (number, count) = (u32::from(first - base), u32::from(last - first) + 1);
        if pool.known.get(name) != Some(&(first, last)) {
            let Some(gap) = number.checked_sub(pool.next[which]) else { return false };
            if pool.known.contains_key(name) {
                return false;
            }
            if gap > 0 {
                self.put(&format!("{directive} _gap{}[{gap}]", self.gaps));
                self.gaps += 1;
            }
            pool.next[which] = number + count;
            pool.known.insert(name.into(), (first, last));
        }
        self.put(&if count > 1 {
            format!("{directive} {name}[{count}]")
        } else {
            format!("{directive} {name}")
        });
        for offset in 0..count {
            let offset_name = (count > 1).then_some(offset);
            self.name(letter, number + offset, Name { name: name.into(), offset: offset_name });
        }
        true
    }

    fn name(&mut self, letter: char, number: u32, name: Name) {
        self.names.0.entry((letter, number)).or_insert(name);
    }

    fn output(&mut self, output: &Output) {
        let semantic = Output::SEMANTICS.get(usize::from(output.semantic)).filter(|name| !name.is_empty());
        let components = "xyzw".chars().enumerate().filter(|(bit, _)| output.mask >> bit & 1 != 0);
        let letters: String = components.map(|(_, letter)| letter).collect();
        let mask = if output.mask == 0xf { String::new() } else { format!(".{letters}") };
        match semantic {
            Some(semantic) if !letters.is_empty() => {
                self.put(&format!(".out - {semantic} o{}{mask}", output.register));
            }
            _ => {
                self.put(&format!("; not carried over: o{} as semantic {}", output.register, output.semantic))
            }
        }
    }

    fn constant(&mut self, constant: &Constant) {
        let line = match *constant {
            Constant::Bool(n, value) => format!(".setb b{n} {value}"),
            Constant::Int(n, [x, y, z, w]) => format!(".seti i{n}({x}, {y}, {z}, {w})"),
            Constant::Float(n, raw) => format!(".setf c{n}({})", raw.map(float).join(", ")),
        };
        self.put(&line);
    }
}

/// First float uniform of a geometry file.
fn first_float(dvle: &Dvle) -> u32 {
    let floats = dvle.uniforms.iter().filter(|uniform| (0x10..0x70).contains(&uniform.first));
    floats.map(|uniform| u32::from(uniform.first) - 0x10).min().unwrap_or(95)
}

fn is_name(name: &str) -> bool {
    let head = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let mut chars = name.chars();
    let well_formed = chars.next().is_some_and(head) && chars.all(|c| head(c) || c.is_ascii_digit());
    let like_register = name.starts_with(|c: char| "ovrcib".contains(c.to_ascii_lowercase()))
        && name[1..].starts_with(|c: char| c.is_ascii_digit())
        && name[1..].chars().all(|c| c.is_ascii_hexdigit() || c == 'x' || c == 'X');
    well_formed && !like_register && name.len() <= MOST_NAME
}

/// The shortest number that the assembler converts to this 24-bit pattern.
fn float(raw: u32) -> String {
    let (sign, exponent, mantissa) = (raw >> 23 & 1, raw >> 16 & 0x7f, raw & 0xffff);
    let minus = if sign == 0 { "" } else { "-" };
    match (exponent, mantissa) {
        (0, 0) => return format!("{minus}0.0"),
        (127, 0) => return format!("{minus}inf"),
        _ => {}
    }
    // The assembler does not treat the ends of the range specially, so even patterns of NaN are numbers to it.
    let value = f64::from(f32::from_bits(sign << 31 | (exponent + 64) << 23 | mantissa << 7));
    let rounded = (0..17).filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok());
    let fits = |rounded: &f64| constant_f24(*rounded as f32) == raw & 0xff_ffff;
    format!("{:?}", rounded.into_iter().find(fits).unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::shader::asm::c_float;
    use crate::pica::shader::disasm::disassemble;
    use crate::pica::shader::shbin::Dvlp;

    /// One name of 30 KB in each of 1,000 instructions was 30 MB of text.
    #[test]
    fn long_names_are_cut() {
        let uniform = Uniform { name: 0, first: 0x10, last: 0x10 };
        let text = |length: usize| {
            let dvle =
                Dvle { uniforms: vec![uniform], symbols: vec![b'n'; length], end: 1000, ..Dvle::default() };
            let program =
                Dvlp { code: vec![0x4c02_0000; 1000], descriptors: vec![[0x36f, 0]], ..Dvlp::default() };
            disassemble(&Shbin { program, executables: vec![dvle] })
        };
        let name = "n".repeat(MOST_NAME);
        assert!(text(MOST_NAME).matches(&name).count() >= 1000);
        let cut = text(30_000);
        assert!(cut.len() < 60_000 && cut.contains(&format!("`{name}...` 0x10-0x10")), "{} bytes", cut.len());
    }

    #[test]
    fn floats_narrow_to_their_pattern() {
        for n in 0..0x1_0000_u32 {
            let raw = n.wrapping_mul(0x9e37_79b9) >> 8;
            assert_eq!(constant_f24(c_float(&float(raw))), raw, "{raw:06x}");
        }
        for raw in [0, 0x80_0000, 1, 0x7f_0000, 0xff_0000, 0x7f_158e, 0xff_ffff, 0x01_0000, 0x00_ffff] {
            assert_eq!(constant_f24(c_float(&float(raw))), raw, "{raw:06x}");
        }
        assert_eq!(float(0x3b_9999), "0.1");
    }
}
