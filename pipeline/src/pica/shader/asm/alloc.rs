//! Uniform registers: uniforms grow from the bottom, constants from the top.

use std::collections::HashMap;

use super::operand::Class;

/// The free registers of one class.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// The next uniform.
    bottom: u32,
    /// One past the next constant of this file.
    top: u32,
    /// Where constants start in every file.
    ceiling: u32,
    /// The lowest constant that any file reached: uniforms stay below.
    lowest_constant: u32,
}

impl Span {
    const fn new(bottom: u32, ceiling: u32) -> Self {
        Self { bottom, top: ceiling, ceiling, lowest_constant: ceiling }
    }
}

/// The uniform registers that a file can allocate.
#[derive(Debug)]
pub(super) struct Pool {
    spans: [Span; 3],
    /// Uniforms by name: class, first register, count.
    names: HashMap<String, (Class, u32, u32)>,
}

impl Pool {
    /// The pool that all vertex files share.
    pub(super) fn vertex() -> Self {
        Self { spans: [Span::new(0, 96), Span::new(0, 4), Span::new(0, 16)], names: HashMap::new() }
    }

    /// The pool of a geometry file whose floats start at `first`. `b15` belongs to the hardware.
    pub(super) fn geometry(first: u32) -> Self {
        Self { spans: [Span::new(first, 96), Span::new(0, 4), Span::new(0, 15)], names: HashMap::new() }
    }

    /// A new file begins: its constants start at the top again.
    pub(super) fn restart_constants(&mut self) {
        self.spans.iter_mut().for_each(|span| span.top = span.ceiling);
    }

    fn span(&mut self, class: Class) -> &mut Span {
        &mut self.spans[match class {
            Class::Int => 1,
            Class::Bool => 2,
            _ => 0,
        }]
    }

    /// The first of `count` registers for a uniform; those of an earlier file if the name is known.
    pub(super) fn uniform(&mut self, name: &str, class: Class, count: u32) -> Result<u32, String> {
        if let Some(&(known, first, size)) = self.names.get(name) {
            return match (known, size) == (class, count) {
                true => Ok(first),
                false => Err(format!("an earlier file declares `{name}` with another type or size")),
            };
        }
        let span = self.span(class);
        let first = span.bottom;
        let end = first.checked_add(count).filter(|&end| end <= span.lowest_constant);
        span.bottom =
            end.ok_or_else(|| format!("no room for `{name}`: {count} wanted at register {first}"))?;
        self.names.insert(name.into(), (class, first, count));
        Ok(first)
    }

    /// The first of `count` registers for constants.
    pub(super) fn constant(&mut self, class: Class, count: u32) -> Result<u32, String> {
        let span = self.span(class);
        let first = span.top.checked_sub(count).filter(|&first| first >= span.bottom);
        span.top = first.ok_or_else(|| format!("no register is free for a constant: {count} wanted"))?;
        span.lowest_constant = span.lowest_constant.min(span.top);
        Ok(span.top)
    }
}
