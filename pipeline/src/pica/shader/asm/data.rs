//! Directives that allocate uniforms and define constants.

use super::flow::{Array, Block, BlockKind};
use super::line::{Parse, Piece, c_float, constant_f24};
use super::operand::{Alias, Class, Register};
use super::{Assembler, Named};
use crate::pica::shader::shbin::Constant;

/// Maximum number of entries of the constant table and of the uniform table of an executable.
const TABLE_LIMIT: usize = 96;

impl Assembler {
    /// `.fvec`, `.ivec`, `.bool`: a list of names with optional sizes.
    pub(super) fn uniforms(&mut self, class: Class, rest: Piece<'_>) -> Parse<()> {
        let names = rest.commas();
        if names.is_empty() {
            return rest.fail("the name of a uniform is missing");
        }
        names.into_iter().try_for_each(|piece| self.uniform(class, piece))
    }

    fn uniform(&mut self, class: Class, piece: Piece<'_>) -> Parse<()> {
        let (name, count) = match piece.bracketed('[', ']')? {
            Some((name, size)) => (name, array_size(size)?),
            None => (piece, 1),
        };
        self.new_name(name)?;
        let first =
            self.pool().uniform(name.text, class, count).map_err(|message| name.complaint(message))?;
        self.file.aliases.insert(name.text.into(), Alias::plain(Register::new(class, first)));
        let base = match class {
            Class::Int => 0x70,
            Class::Bool => 0x78,
            _ => 0x10,
        };
        self.list(name, (base + first) as u16, count)
    }

    /// Adds an entry to the uniform table.
    pub(super) fn list(&mut self, name: Piece<'_>, first: u16, count: u32) -> Parse<()> {
        if name.text.starts_with('_') && first >= 0x10 {
            return Ok(());
        }
        if self.file.uniforms.len() == TABLE_LIMIT {
            return name.fail(format!("more than {TABLE_LIMIT} inputs and uniforms"));
        }
        self.file.uniforms.push(Named { name: name.text.into(), first, last: first + count as u16 - 1 });
        Ok(())
    }

    /// `.constf name(x, y, z, w)` and `.consti`.
    pub(super) fn constant(&mut self, class: Class, rest: Piece<'_>) -> Parse<()> {
        let (name, values) = with_values(rest)?;
        self.new_name(name)?;
        let first = self.pool().constant(class, 1).map_err(|message| name.complaint(message))?;
        let register = Register::new(class, first);
        self.file.aliases.insert(name.text.into(), Alias::plain(register));
        self.add_constant(rest, read_constant(register, values)?)
    }

    fn add_constant(&mut self, piece: Piece<'_>, constant: Constant) -> Parse<()> {
        if self.file.constants.len() == TABLE_LIMIT {
            return piece.fail(format!("more than {TABLE_LIMIT} constants"));
        }
        self.file.constants.push(constant);
        Ok(())
    }

    /// `.constfa name[n]` opens an array, `.constfa (x, y, z, w)` adds an element.
    pub(super) fn constant_array(&mut self, command: Piece<'_>, rest: Piece<'_>) -> Parse<()> {
        if rest.text.starts_with('(') {
            return self.array_element(rest);
        }
        let Some((name, size)) = rest.bracketed('[', ']')? else {
            return rest.fail("`.constfa` takes name[n], name[], or (x, y, z, w) inside an array");
        };
        self.new_name(name)?;
        let size = if size.text.is_empty() { None } else { Some(array_size(size)?) };
        let array = Array { name: name.text.into(), size, elements: Vec::new() };
        self.open(command, Block { kind: BlockKind::Array(array), start: 0, place: self.place_of(command) })
    }

    fn array_element(&mut self, rest: Piece<'_>) -> Parse<()> {
        let (_, values) = with_values(rest)?;
        let element = floats(values)?;
        let Some(Block { kind: BlockKind::Array(array), .. }) = self.file.blocks.last_mut() else {
            return rest.fail("an element outside an array: `.constfa name[]` opens one");
        };
        if array.size.is_some_and(|size| array.elements.len() >= size as usize) || array.elements.len() >= 96
        {
            return rest.fail(format!("more elements than `{}` has", array.name));
        }
        array.elements.push(element);
        Ok(())
    }

    /// The `.end` of an array: allocates its registers.
    pub(super) fn end_array(&mut self, piece: Piece<'_>, mut array: Array) -> Parse<()> {
        let size = array.size.unwrap_or(array.elements.len() as u32);
        if size == 0 {
            return piece.fail(format!("the array `{}` is empty", array.name));
        }
        array.elements.resize(size as usize, [0; 4]);
        let first = self.pool().constant(Class::Float, size).map_err(|message| piece.complaint(message))?;
        self.file.aliases.insert(array.name, Alias::plain(Register::new(Class::Float, first)));
        let mut registers = first as u16..;
        array
            .elements
            .into_iter()
            .zip(&mut registers)
            .try_for_each(|(element, register)| self.add_constant(piece, Constant::Float(register, element)))
    }

    /// `.setf reg(x, y, z, w)` and `.seti`.
    pub(super) fn set(&mut self, class: Class, rest: Piece<'_>) -> Parse<()> {
        let (name, values) = with_values(rest)?;
        let register = self.settable(class, name)?;
        self.add_constant(rest, read_constant(register, values)?)
    }

    /// `.setb reg value`.
    pub(super) fn set_bool(&mut self, rest: Piece<'_>) -> Parse<()> {
        let (name, value) = rest.word();
        let register = self.settable(Class::Bool, name)?;
        let value = match value.lower().as_str() {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" => false,
            _ => return value.fail("a boolean is one of true, on, 1, false, off, 0"),
        };
        self.add_constant(rest, Constant::Bool(register.number() as u16, value))
    }

    fn settable(&self, class: Class, name: Piece<'_>) -> Parse<Register> {
        let register = self.names().operand(name)?.register;
        let limit = if class == Class::Int { 4 } else { 96 };
        if register.class != class || register.number() >= limit {
            return name.fail(format!("`{}` is not a register that this directive sets", name.text));
        }
        Ok(register)
    }
}

fn array_size(piece: Piece<'_>) -> Parse<u32> {
    match piece.decimal()? {
        size @ 1..=96 => Ok(size as u32),
        _ => piece.fail("an array has 1 to 96 elements"),
    }
}

/// `name` and the values of `name(values)`.
fn with_values(rest: Piece<'_>) -> Parse<(Piece<'_>, Piece<'_>)> {
    let bracketed = rest.bracketed('(', ')')?;
    bracketed.ok_or_else(|| rest.complaint("four values in parentheses are missing"))
}

fn four(values: Piece<'_>) -> Parse<[Piece<'_>; 4]> {
    let parts = values.commas();
    let count = parts.len();
    parts.try_into().map_err(|_| values.complaint(format!("four values are wanted, {count} given")))
}

fn floats(values: Piece<'_>) -> Parse<[u32; 4]> {
    Ok(four(values)?.map(|value| constant_f24(c_float(value.text))))
}

fn read_constant(register: Register, values: Piece<'_>) -> Parse<Constant> {
    let number = register.number() as u16;
    if register.class == Class::Float {
        return Ok(Constant::Float(number, floats(values)?));
    }
    let mut bytes = [0; 4];
    for (byte, value) in bytes.iter_mut().zip(four(values)?) {
        *byte = value.decimal()? as u8;
    }
    Ok(Constant::Int(number, bytes))
}
