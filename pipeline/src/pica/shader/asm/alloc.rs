//! Allocator of uniform registers: uniforms grow from the bottom, constants from the top.

use std::collections::HashMap;

use super::operand::Class;

/// The free registers of one class.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// The next uniform.
    bottom: u32,
    /// One past the next constant of this file.
    top: u32,
    /// Initial top of the constants of every file.
    ceiling: u32,
    /// The lowest constant of all files so far: upper bound of uniforms.
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

    /// Starts a new file: its constants are allocated from the top again.
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

    /// Allocates `count` registers for a uniform and returns the first; a name known from an earlier file keeps its
    /// registers.
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

    /// Allocates `count` registers for constants and returns the first.
    pub(super) fn constant(&mut self, class: Class, count: u32) -> Result<u32, String> {
        let span = self.span(class);
        let first = span.top.checked_sub(count).filter(|&first| first >= span.bottom);
        span.top = first.ok_or_else(|| format!("no register is free for a constant: {count} wanted"))?;
        span.lowest_constant = span.lowest_constant.min(span.top);
        Ok(span.top)
    }
}
