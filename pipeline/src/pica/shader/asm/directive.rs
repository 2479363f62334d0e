//! Directives: their list, and those that apply to the whole file.

use super::alloc::Pool;
use super::line::{Parse, Piece};
use super::link::Entry;
use super::operand::{Class, Register};
use super::{Assembler, Kind};
use crate::pica::shader::shbin::GeometryMode;

impl Assembler {
    pub(super) fn directive(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        let name = command.lower();
        let silent = matches!(name.as_str(), ".nodvle" | ".alias" | ".file" | ".raw" | ".opdesc");
        self.file.wants_dvle |= !silent;
        match name.as_str() {
            ".proc" => self.open_procedure(rest),
            ".else" => self.else_(command, rest),
            ".end" => self.end(command, rest),
            ".alias" => self.alias(rest),
            ".fvec" => self.uniforms(Class::Float, rest),
            ".ivec" => self.uniforms(Class::Int, rest),
            ".bool" => self.uniforms(Class::Bool, rest),
            ".constf" => self.constant(Class::Float, rest),
            ".consti" => self.constant(Class::Int, rest),
            ".constfa" => self.constant_array(command, rest),
            ".setf" => self.set(Class::Float, rest),
            ".seti" => self.set(Class::Int, rest),
            ".setb" => self.set_bool(rest),
            ".in" => self.input(rest),
            ".out" => self.output(rest),
            ".entry" => self.entry(rest),
            ".nodvle" => self.nodvle(rest),
            ".gsh" => self.gsh(command, rest),
            ".file" => self.next_file(rest),
            ".raw" => self.raw(command, rest),
            ".opdesc" => self.opdesc(rest),
            ".word" => self.word(command, rest),
            _ => command.fail(format!("unknown directive `{}`", command.text)),
        }
    }

    fn alias(&mut self, rest: Piece<'_>) -> Parse<()> {
        let (name, operand) = rest.word();
        self.new_name(name)?;
        let read = self.names().operand(operand)?;
        if read.index != 0 {
            return operand.fail("an alias cannot hold an index register");
        }
        let alias = super::Alias { register: read.register, selector: read.selector, negate: read.negate };
        self.file.aliases.insert(name.text.into(), alias);
        Ok(())
    }

    /// Checks that a name can be declared.
    pub(super) fn new_name(&self, piece: Piece<'_>) -> Parse<()> {
        let name = piece.identifier()?;
        if self.file.aliases.contains_key(name) {
            return piece.fail(format!("`{name}` is already declared in this file"));
        }
        if self.names().is_register(piece) {
            return piece.fail(format!("`{name}` is a register"));
        }
        Ok(())
    }

    fn entry(&mut self, rest: Piece<'_>) -> Parse<()> {
        let entry = match rest.words()[..] {
            [name] => Entry::Name(name.identifier()?.into(), self.place_of(name)),
            [start, end] => Entry::Range(start.number()?, end.number()?),
            _ => return rest.fail("`.entry` takes the name of a procedure"),
        };
        self.file.entry = Some(entry);
        Ok(())
    }

    fn nodvle(&mut self, rest: Piece<'_>) -> Parse<()> {
        self.file.nodvle = true;
        nothing(rest)
    }

    fn next_file(&mut self, name: Piece<'_>) -> Parse<()> {
        let line = self.file.line;
        self.finish_file();
        self.begin_file(name.text);
        self.file.line = line;
        Ok(())
    }

    fn raw(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        if !self.file.blocks.is_empty() {
            return command.fail("`.raw` inside a block");
        }
        self.file.raw = true;
        nothing(rest)
    }

    fn opdesc(&mut self, rest: Piece<'_>) -> Parse<()> {
        let (id, bits, extra) = match rest.words()[..] {
            [id, bits] => (id, bits, 0),
            [id, bits, extra] => (id, bits, extra.number()?),
            _ => return rest.fail("`.opdesc` takes a number, a word, and maybe a second word"),
        };
        let pinned = self.table.pin(id.number()? as usize, bits.number()?, extra);
        pinned.map_err(|message| id.complaint(message))
    }

    fn word(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        let word = rest.number()?;
        self.check_block(command)?;
        self.emit(command, word)
    }

    fn gsh(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        let file = &self.file;
        let used = !file.constants.is_empty() || !file.outputs.is_empty() || !file.uniforms.is_empty();
        if used || file.gsh {
            return command.fail("`.gsh` must stand once, before constants, uniforms and outputs");
        }
        self.file.gsh = true;
        let words = rest.words();
        let Some((mode, operands)) = words.split_first() else {
            self.file.kind = Kind::Legacy;
            return Ok(());
        };
        let (first, mode) = self.geometry_mode(*mode, operands)?;
        self.file.kind = Kind::Geometry(mode);
        self.file.pool = Some(Pool::geometry(first));
        Ok(())
    }

    /// First float uniform, and the mode.
    fn geometry_mode(&self, mode: Piece<'_>, operands: &[Piece<'_>]) -> Parse<(u32, GeometryMode)> {
        let none = GeometryMode::default();
        match (mode.lower().as_str(), operands) {
            ("point", [first]) => Ok((self.float_register(*first)?, none)),
            ("variable" | "subdivision", [first, count]) => {
                let variable_vertices = vertex_count(*count)?;
                Ok((self.float_register(*first)?, GeometryMode { mode: 1, variable_vertices, ..none }))
            }
            ("fixed" | "particle", [first, start, count]) => {
                let (first, array) = (self.float_register(*first)?, self.float_register(*start)?);
                if array >= first {
                    return start.fail("the vertex array must start below the uniforms");
                }
                let fixed_vertices = vertex_count(*count)?;
                Ok((first, GeometryMode { mode: 2, fixed_start: array as u8, fixed_vertices, ..none }))
            }
            _ => mode.fail("`.gsh` is followed by `point cF`, `variable cF n` or `fixed cF cS n`"),
        }
    }

    fn float_register(&self, piece: Piece<'_>) -> Parse<u32> {
        let Register { class, .. } = self.names().alias(piece)?.register;
        match class {
            Class::Float => Ok(self.names().alias(piece)?.register.number()),
            _ => piece.fail(format!("`{}` is not a `c` register", piece.text)),
        }
    }
}

fn vertex_count(piece: Piece<'_>) -> Parse<u8> {
    match u8::try_from(piece.number()?) {
        Ok(count @ 1..) => Ok(count),
        _ => piece.fail("a number of vertices is between 1 and 255"),
    }
}

/// Checks that no text follows.
pub(super) fn nothing(rest: Piece<'_>) -> Parse<()> {
    if rest.text.is_empty() { Ok(()) } else { rest.fail("nothing was expected here") }
}
