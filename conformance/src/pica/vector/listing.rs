//! Listings: the program notation of vector files, one line for each word.
//!
//! The assembler pads, reorders and merges, but a vector must state the word at every address. So a listing gives
//! addresses as numbers, spells inverted forms out (`sgei`, `madi`), and nothing is inserted.
//!
//! ```text
//! 0  add r1.xy, c3[a0.x].yz, -r2     ALU: as in assembly language; a comment starts with `;`
//! 1  mova a0.xy, v0                  cmp c0, lt, ge, r1
//! 2  ifc !x&y, 5, 1                  CONDITION, dst, num: also callc; breakc and jmpc have no num
//! 3  ifu b2, 5, 0                    callu b2, dst, num    jmpu !b2, dst
//! 4  call 8, 2                       loop i0, 7 (the last word of the body)
//! 5  setemit 2, prim, inv            emit    break    nop    end
//! 6  if t, 9, 0                      t holds and f does not, by a uniform or by the flags: see Conditions;
//!                                    also callif t, dst, num    jmp f, dst    breakif t
//! 7  n                               appends its own address to the trail
//! 8  l                               appends aL to the trail
//! 9  word 0x40000000                 a raw word
//!    nops 100                        a hundred times nop
//! ```
//!
//! The address in front is optional and checked.

use crate::pica::encode::{self, Operands};
use crate::pica::notation::register_number;
use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::ops::{Form, Opcode};

/// The encoding of `t` and `f` conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    /// By `b0`, which must be set, and `b1`, which must not: `IFU`, `CALLU`, `JMPU`.
    Uniform,
    /// By the flags, which must be clear: `IFC`, `CALLC`, `JMPC`, `BREAKC`.
    Flags,
}

/// Words and descriptors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Code.
    pub code: Vec<u32>,
    /// Operand descriptors, each once.
    pub descriptors: Vec<u32>,
}

/// Addresses of the words of a listing, if `inserted` words are put before every `end`.
struct Layout<'a> {
    lines: Vec<&'a str>,
    conditions: Conditions,
    inserted: usize,
}

/// Encodes a listing. Before every `end`, and where a reference names that `end`, come the words of
/// `epilogue`; all references are adjusted.
///
/// # Errors
/// A line that names the offending line.
pub fn encode(text: &str, conditions: Conditions, epilogue: &[&str]) -> Result<Listing, String> {
    let layout = Layout { lines: words(text)?, conditions, inserted: epilogue.len() };
    let mut listing = Listing::default();
    for (address, line) in layout.lines.iter().enumerate() {
        let before: &[&str] = if *line == "end" { epilogue } else { &[] };
        for line in before.iter().chain([line]) {
            let word = layout.word(line, address, &mut listing.descriptors);
            listing.code.push(word.map_err(|why| format!("word {address} `{line}`: {why}"))?);
        }
    }
    Ok(listing)
}

/// The lines that stand for words, without addresses and comments.
fn words(text: &str) -> Result<Vec<&str>, String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let address = &line[..line.len() - unnumbered.len()];
        if !address.is_empty() && address.parse() != Ok(lines.len()) {
            return Err(format!("`{line}` stands at address {}", lines.len()));
        }
        match unnumbered.trim().strip_prefix("nops ") {
            Some(count) => lines.resize(lines.len() + number(count)?.min(4096) as usize, "nop"),
            None => lines.push(unnumbered.trim()),
        }
    }
    Ok(lines)
}

/// A source operand, encoded.
struct Source {
    code: u32,
    index: u32,
    /// Selector and sign as they lie in a descriptor.
    field: u32,
}

impl Layout<'_> {
    /// The address of the word that the listing has at `at`.
    fn place(&self, at: usize) -> usize {
        at + self.inserted * self.lines.iter().take(at).filter(|line| **line == "end").count()
    }

    fn word(&self, line: &str, address: usize, descriptors: &mut Vec<u32>) -> Result<u32, String> {
        let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
        let args: Vec<&str> = rest.split(',').map(str::trim).filter(|arg| !arg.is_empty()).collect();
        match mnemonic {
            "n" => alu(Opcode::Madi, &["r0", "r0.wxyz", "v0", &format!("c{address}")], descriptors),
            "l" => alu(Opcode::Madi, &["r0", "r0.wxyz", "v0", "c0[aL]"], descriptors),
            "word" => {
                let digits = args.first().and_then(|arg| arg.strip_prefix("0x")).unwrap_or_default();
                u32::from_str_radix(digits, 16).map_err(|_| "0x and hexadecimal digits expected".into())
            }
            "if" | "callif" | "jmp" | "breakif" => self.either(mnemonic, &args),
            _ => {
                let op = Opcode::ALL.iter().copied().find(|op| name(*op) == mnemonic);
                let op = op.ok_or_else(|| "unknown mnemonic".to_string())?;
                match op.form() {
                    Form::Bare
                    | Form::Condition
                    | Form::Unconditional
                    | Form::Bool
                    | Form::Int
                    | Form::SetEmit => self.flow(op, &args),
                    _ => alu(op, &args, descriptors),
                }
            }
        }
    }

    /// A word whose condition is `t` or `f`.
    fn either(&self, mnemonic: &str, args: &[&str]) -> Result<u32, String> {
        let holds = match args.first() {
            Some(&"t") => true,
            Some(&"f") => false,
            _ => return Err("t or f expected".into()),
        };
        let uniform = self.conditions == Conditions::Uniform;
        let op = match (mnemonic, uniform) {
            ("if", true) => Opcode::Ifu,
            ("if", false) => Opcode::Ifc,
            ("callif", true) => Opcode::Callu,
            ("callif", false) => Opcode::Callc,
            ("jmp", true) => Opcode::Jmpu,
            ("jmp", false) => Opcode::Jmpc,
            _ if uniform && holds => return Ok(encode::bare(Opcode::Break)),
            _ if uniform => return Ok(encode::bare(Opcode::Nop)),
            _ => Opcode::Breakc,
        };
        let condition = match (uniform, holds) {
            (true, true) => "b0",
            (true, false) => "b1",
            (false, true) => "!x&!y",
            (false, false) => "x|y",
        };
        let mut args = args.to_vec();
        args[0] = condition;
        self.flow(op, &args)
    }

    fn flow(&self, op: Opcode, args: &[&str]) -> Result<u32, String> {
        let head = encode::bare(op);
        Ok(match (op.form(), args) {
            (Form::Bare, []) => head,
            (Form::Condition, [condition]) if op == Opcode::Breakc => head | self::condition(condition)?,
            (Form::Condition, [condition, dst]) => {
                head | self::condition(condition)? | self.range(dst, "0", false)?
            }
            (Form::Condition, [condition, dst, num]) => {
                head | self::condition(condition)? | self.range(dst, num, false)?
            }
            (Form::Unconditional, [dst, num]) => head | self.range(dst, num, false)?,
            (Form::Bool, [id, dst]) => {
                let inverted = u32::from(id.starts_with('!'));
                head | register(id.trim_start_matches('!'), 'b', 16)? << 22
                    | self.range(dst, "0", false)?
                    | inverted
            }
            (Form::Bool, [id, dst, num]) => {
                head | register(id, 'b', 16)? << 22 | self.range(dst, num, false)?
            }
            (Form::Int, [id, dst]) => head | register(id, 'i', 4)? << 22 | self.range(dst, "0", true)?,
            (Form::SetEmit, [id, flags @ ..]) => {
                let flag = |name| u32::from(flags.contains(&name));
                head | number(id)? << 24 | flag("prim") << 23 | flag("inv") << 22
            }
            _ => return Err("wrong number of operands".into()),
        })
    }

    /// The dst and num fields. `last`: dst is the last word of a range instead of the first after it.
    fn range(&self, dst: &str, num: &str, last: bool) -> Result<u32, String> {
        let (first, length) = (number(dst)? as usize, number(num)? as usize);
        let place = if last { self.place(first + 1) - 1 } else { self.place(first) };
        let length = self.place(first + length) - self.place(first);
        Ok((place as u32) << 10 | length as u32)
    }
}

/// The mnemonic in listings: that of assembly language, but `loop` instead of `for`.
fn name(op: Opcode) -> &'static str {
    if op == Opcode::Loop { "loop" } else { op.mnemonic() }
}

fn register(text: &str, letter: char, count: usize) -> Result<u32, String> {
    Ok(register_number(text, letter, count)? as u32)
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// `[!]x`, `[!]y`, or both joined by `&` or `|`: the combine and reference fields. A reference that does
/// not matter is set.
fn condition(text: &str) -> Result<u32, String> {
    let flag = |part: &str, name: &str| match part.strip_prefix('!').unwrap_or(part) {
        rest if rest == name => Ok(u32::from(!part.starts_with('!'))),
        _ => Err(format!("`{text}` is no condition")),
    };
    let (x, y, combine) = if let Some((x, y)) = text.split_once('|') {
        (flag(x, "x")?, flag(y, "y")?, 0)
    } else if let Some((x, y)) = text.split_once('&') {
        (flag(x, "x")?, flag(y, "y")?, 1)
    } else if text.ends_with('x') {
        (flag(text, "x")?, 1, 2)
    } else {
        (1, flag(text, "y")?, 3)
    };
    Ok(x << 25 | y << 24 | combine << 22)
}

fn alu(op: Opcode, args: &[&str], descriptors: &mut Vec<u32>) -> Result<u32, String> {
    let (target, compares, sources) = match (op.form(), args) {
        (Form::Cmp, [s1, x, y, s2]) => (None, [compare(x)?, compare(y)?], vec![*s1, *s2]),
        (Form::Cmp, _) | (_, []) => return Err("wrong number of operands".into()),
        (_, [destination, sources @ ..]) => (Some(destination), [0; 2], sources.to_vec()),
    };
    if sources.len() != Instruction(encode::bare(op)).source_count() {
        return Err("wrong number of operands".into());
    }
    let mut sources = sources.into_iter().map(source).collect::<Result<Vec<_>, _>>()?;
    let (destination, mask) = target.map_or(Ok((0, 0)), |text| self::destination(text, op))?;
    let fields = sources.iter().rev().fold(0, |fields, source| fields << 9 | source.field);
    let (wide, limit) = match op.form() {
        Form::Three => (1, 32),
        Form::ThreeInverted => (2, 32),
        Form::TwoInverted => (1, 128),
        _ => (0, 128),
    };
    let Source { code, index, .. } = sources.remove(wide);
    let mut narrow = [0; 2];
    for (field, source) in narrow.iter_mut().zip(&sources) {
        *field = self::narrow(source)?;
    }
    let descriptor = descriptor(mask | fields << 4, descriptors, limit)?;
    Ok(encode::arithmetic(op, Operands { destination, wide: code, narrow, index, descriptor, compares }))
}

/// The number of this descriptor, which is added to the table when it is new.
fn descriptor(fields: u32, table: &mut Vec<u32>, limit: usize) -> Result<u32, String> {
    let at = table.iter().position(|known| *known == fields).unwrap_or_else(|| {
        table.push(fields);
        table.len() - 1
    });
    if at < limit { Ok(at as u32) } else { Err("too many descriptors".into()) }
}

fn narrow(source: &Source) -> Result<u32, String> {
    if source.code < 0x20 && source.index == 0 {
        Ok(source.code)
    } else {
        Err("a uniform stands where only v and r can".into())
    }
}

fn compare(text: &str) -> Result<u32, String> {
    let names = ["eq", "ne", "lt", "le", "gt", "ge", "true6", "true7"];
    let code = names.iter().position(|name| *name == text);
    code.map(|code| code as u32).ok_or_else(|| format!("`{text}` is no comparison"))
}

fn component(letter: char) -> Result<u32, String> {
    "xyzw".find(letter).map(|at| at as u32).ok_or_else(|| format!("`{letter}` is no component"))
}

/// `[-]r3[.swizzle]`, `[-]c5[a0.x][.swizzle]`. A short swizzle repeats its last letter.
fn source(text: &str) -> Result<Source, String> {
    let (negate, text) = text.strip_prefix('-').map_or((0, text), |rest| (1, rest));
    let (name, index, swizzle) = match text.split_once('[') {
        Some((name, rest)) => {
            let (index, rest) = rest.split_once(']').ok_or("a ] is missing")?;
            (name, index, rest.strip_prefix('.'))
        }
        None => {
            let (name, swizzle) = text.split_once('.').map_or((text, None), |(n, s)| (n, Some(s)));
            (name, "", swizzle)
        }
    };
    let code = match name.chars().next() {
        Some('v') => register(name, 'v', 16)?,
        Some('r') => register(name, 'r', 16)? + 0x10,
        _ => register(name, 'c', 96)? + 0x20,
    };
    let index = ["", "a0.x", "a0.y", "aL"].iter().position(|known| *known == index);
    let index = index.ok_or("the index is a0.x, a0.y or aL")? as u32;
    Ok(Source { code, index, field: negate | selector(swizzle.unwrap_or("xyzw"))? << 1 })
}

fn selector(swizzle: &str) -> Result<u32, String> {
    let letters: Vec<char> = swizzle.chars().collect();
    let last = *letters.last().ok_or("an empty swizzle")?;
    (0..4).try_fold(0, |selector, i| Ok(selector << 2 | component(letters.get(i).copied().unwrap_or(last))?))
}

/// Code and mask of a destination; for `MOVA` only the mask has a meaning.
fn destination(text: &str, op: Opcode) -> Result<(u32, u32), String> {
    let (name, letters) = text.split_once('.').unwrap_or((text, "xyzw"));
    let mask = letters.chars().try_fold(0, |mask, letter| Ok::<_, String>(mask | 8 >> component(letter)?))?;
    let code = match name.chars().next() {
        _ if op == Opcode::Mova && name == "a0" => 0,
        Some('r') => register(name, 'r', 16)? + 0x10,
        _ => register(name, 'o', 16)?,
    };
    Ok((code, mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str) -> Listing {
        encode(text, Conditions::Uniform, &[]).unwrap()
    }

    /// The worked encodings of pica-shader.md 2.6, which an assembler gave; descriptors are numbered
    /// differently there, because that assembler merges them.
    #[test]
    fn worked_encodings() {
        let cases = [
            ("add r2.xy, c3[a0.x].yz, -r1", 0x024a_3882),
            ("dphi r3.w, r2, c7[aL]", 0x627c_9383),
            ("mad r4, r0, c1, r2", 0xf420_8640),
            ("madi r5.x, r0.y, r1.z, c2.w", 0xd521_1441),
            ("cmp r0.xy, lt, ge, r1.yx", 0xbaa1_0884),
            ("mova a0.xy, r1", 0x4801_1004),
            ("rcp r6, r5.w", 0x3ac1_5005),
            ("ifc x&!y, 12, 1", 0xa240_3001),
            ("loop i1, 15", 0xa440_3c00),
            ("breakc !x|y", 0x8d00_0000),
            ("jmpu !b3, 18", 0xb4c0_4801),
            ("setemit 2, prim, inv", 0xaec0_0000),
            ("nop", 0x8400_0000),
            ("end", 0x8800_0000),
        ];
        for (text, word) in cases {
            let got = encoded(text).code[0];
            let descriptor = if got >> 29 >= 6 { 0x1f } else { 0x7f };
            let ignored = if Opcode::of(word).form() == Form::Bool { 0 } else { descriptor };
            assert_eq!(got & !ignored, word & !ignored, "{text}: {got:08x} instead of {word:08x}");
        }
    }

    #[test]
    fn descriptor_of_a_worked_encoding() {
        // The manual's 0x0006ed4c; source 3 is absent.
        assert_eq!(encoded("add r2.xy, c3[a0.x].yz, -r1").descriptors, [0x0006_ed4c]);
    }

    #[test]
    fn references_move_with_the_words() {
        let text = "0 call 2, 2\n1 end\n2 nop\n3 end\n";
        let plain = encode(text, Conditions::Uniform, &[]).unwrap().code;
        assert_eq!(plain[0] & 0x3f_ffff, 2 << 10 | 2);
        let moved = encode(text, Conditions::Uniform, &["nop"]).unwrap().code;
        assert_eq!((moved.len(), moved[0] & 0x3f_ffff), (6, 3 << 10 | 3));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, part) in [
            ("1 nop", "address 0"),
            ("mul o0, r1, c1", "only v and r"),
            ("frob", "unknown mnemonic"),
            ("mov o0, c96", "c0 to c95"),
            ("ifc z, 1, 0", "no condition"),
            ("mov o0", "number of operands"),
        ] {
            let why = encode(text, Conditions::Uniform, &[]).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }
}
