//! What geometry code does beside arithmetic: emissions, the two banks of `o`, the registers that remain.
//!
//! Within a node, what was written is known; at its end it goes *home*, if there are other nodes: to the registers of
//! the unit for one run, to vectors in memory for four. `EMIT` turns the banks.

use super::path::Path;
use super::{emissions, layout};
use crate::emit::flow::{IntVar, ScalarVar};
use crate::emit::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use crate::emit::pica::layout::geometry::COMPONENTS;
use crate::emit::pica::number::Operand;
use crate::pica::shader::fetch::transposed;
use crate::pica::shader::flow::{Unit, al_in_lanes};
use crate::pica::shader::graph::{Action, Graph, Step};
use crate::pica::shader::lower::Lowering;
use crate::pica::shader::places::{self, A0, CMP, Liveness, OUTPUTS, Places};
use cranelift_codegen::ir::Block;
use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::ops::Opcode;

/// The lane of the last run in the last group, and that of the run before.
const LAST: u8 = 3;
const BEFORE_LAST: u8 = 2;

/// A bank of `o` in this node, as far as it was written.
type Bank = [Option<Operand>; COMPONENTS];

pub(super) struct GeometryUnit<'g> {
    graph: &'g Graph,
    liveness: &'g Liveness,
    call: Scalar,
    /// Places that some word writes, without `o`.
    results: Places,
    /// Registers that `EMIT` packs.
    packed: Vec<usize>,
    runs: Option<Runs<'g>>,
    /// For one run the address of the next emission, for four the bytes from the first one of each.
    next: ScalarVar,
    /// Homes of the current and of the other bank, and of `r`.
    homes: [ScalarVar; 2],
    temporaries: ScalarVar,
    /// The current and the other bank.
    banks: Box<[Bank; 2]>,
    /// Addresses of the first emission of this node, by lane.
    places: Option<[Scalar; 4]>,
    /// Emissions of this node so far.
    emitted: i32,
    /// The latch, if this node has set it.
    latch: Option<Instruction>,
    /// Values of one run to be stored, with their places.
    values: Vec<(F32s, Scalar, i32)>,
    /// Where a run ends for which the room for emissions is too small.
    full: Block,
}

/// Four runs side by side.
struct Runs<'g> {
    path: &'g Path,
    group: Scalar,
    /// The first emission of each run.
    emitted: [Scalar; 4],
}

impl<'g> GeometryUnit<'g> {
    pub(super) fn new(
        lowering: &mut Lowering<'_, '_>,
        graph: &'g Graph,
        liveness: &'g Liveness,
        call: Scalar,
        results: Places,
        output_mask: u16,
    ) -> Self {
        let l = &mut lowering.n.l;
        Self {
            graph,
            liveness,
            call,
            results,
            packed: (0..16).filter(|n| output_mask >> n & 1 != 0).collect(),
            runs: None,
            next: l.scalar_var(),
            homes: [l.scalar_var(), l.scalar_var()],
            temporaries: l.scalar_var(),
            banks: Box::new([[None; COMPONENTS]; 2]),
            places: None,
            emitted: 0,
            latch: None,
            values: Vec::new(),
            full: l.cold_block(),
        }
    }

    /// One run begins.
    pub(super) fn begin_one(&mut self, l: &mut Lanes<'_>) {
        let next = l.load_pointer(self.call, layout::EMITTED);
        l.set_scalar(self.next, next);
        for (bank, home) in (0..).zip(self.homes) {
            let address = l.load_pointer(self.call, layout::BANKS + bank * 8);
            l.set_scalar(home, address);
        }
        let r = l.load_pointer(self.call, layout::R);
        l.set_scalar(self.temporaries, r);
    }

    /// A group of four runs begins. Returns the addresses of their inputs.
    pub(super) fn begin_group(&mut self, l: &mut Lanes<'_>, group: Scalar, path: &'g Path) -> [Scalar; 4] {
        let zero = l.scalar(0);
        l.set_scalar(self.next, zero);
        let home = l.load_pointer(self.call, layout::HOMES);
        let [other, r] = [1, 2].map(|n| l.scalar_add_constant(home, (n * COMPONENTS * 16) as i64));
        l.set_scalar(self.homes[0], home);
        l.set_scalar(self.homes[1], other);
        l.set_scalar(self.temporaries, r);
        let lanes = l.load_pointer(self.call, layout::LANES);
        let offset = l.scalar_shl(group, 4);
        let lanes = l.scalar_add(lanes, offset);
        let runs = [0, 4, 8, 12].map(|offset| l.load_u32(lanes, offset));
        let first = l.load_pointer(self.call, layout::EMITTED);
        let bytes = i64::from(path.emissions) * i64::from(layout::EMISSION);
        let emitted = runs.map(|run| {
            let offset = l.scalar_times(run, bytes);
            l.scalar_add(first, offset)
        });
        self.runs = Some(Runs { path, group, emitted });
        let inputs = l.load_pointer(self.call, layout::INPUTS);
        let stride = l.load_pointer(self.call, layout::STRIDE);
        runs.map(|run| {
            let offset = l.scalar_mul(run, stride);
            l.scalar_add(inputs, offset)
        })
    }

    /// Emits the end of runs for which the room is too small.
    pub(super) fn end_full(&self, l: &mut Lanes<'_>) {
        l.switch_to(self.full);
        let one = l.scalar(1);
        l.store_u32(one, self.call, layout::FULL);
        l.ret();
    }

    fn has_other_nodes(&self) -> bool {
        self.graph.nodes.len() > 1
    }

    fn set_emit(&mut self, l: &mut Lanes<'_>, word: Instruction) {
        let [id, primitive, winding] = latched(word);
        let word_of_call = l.scalar(id | primitive << 8 | winding << 16);
        l.store_u32(word_of_call, self.call, layout::LATCH);
        self.latch = Some(word);
    }

    /// `EMIT`: packs the current bank, then turns to the other.
    fn emit(&mut self, lowering: &mut Lowering<'_, '_>) {
        let places = self.places(lowering);
        let at = self.emitted * layout::EMISSION;
        for slot in 0..self.packed.len() {
            let register = self.packed[slot];
            let offset = at + layout::RECORD + slot as i32 * 16;
            if self.runs.is_some() {
                let columns = [0, 1, 2, 3].map(|i| self.output(lowering, 0, register * 4 + i));
                let l = &mut lowering.n.l;
                let rows = transposed(l, columns);
                places.iter().zip(rows).for_each(|(&place, row)| l.store_floats(row, place, offset));
            } else {
                let row = self.row(lowering, register);
                lowering.n.l.store_floats(row, places[0], offset);
            }
        }
        self.emit_latch(&mut lowering.n.l, &places, at);
        self.emitted += 1;
        self.banks.swap(0, 1);
        let l = &mut lowering.n.l;
        let homes = self.homes.map(|home| l.get_scalar(home));
        l.set_scalar(self.homes[0], homes[1]);
        l.set_scalar(self.homes[1], homes[0]);
    }

    /// Addresses of the first emission of the node, by lane. One run checks for the room of all of them.
    fn places(&mut self, lowering: &mut Lowering<'_, '_>) -> [Scalar; 4] {
        if let Some(places) = self.places {
            return places;
        }
        let l = &mut lowering.n.l;
        let next = l.get_scalar(self.next);
        let places = match &self.runs {
            Some(runs) if !self.has_other_nodes() => runs.emitted,
            Some(runs) => runs.emitted.map(|first| l.scalar_add(first, next)),
            None => [next; 4],
        };
        *self.places.insert(places)
    }

    /// In a graph with cycles: leaves if there is no room for the emissions of a node.
    fn check_room(&self, l: &mut Lanes<'_>, node: usize) {
        let emissions = emissions(&self.graph.nodes[node]);
        if self.runs.is_some() || !self.graph.cyclic || emissions == 0 {
            return;
        }
        let next = l.get_scalar(self.next);
        let end = l.scalar_add_constant(next, i64::from(emissions) * i64::from(layout::EMISSION));
        let room = l.load_pointer(self.call, layout::ROOM);
        let over = l.scalar_below(room, end);
        let block = l.block();
        l.branch(over, self.full, block);
        l.switch_to(block);
    }

    /// A component of `o` in a bank, 0 is the current one.
    fn output(&self, lowering: &mut Lowering<'_, '_>, bank: usize, component: usize) -> F32s {
        if let Some(operand) = self.banks[bank][component] {
            return lowering.n.bits_of(operand);
        }
        let l = &mut lowering.n.l;
        let home = l.get_scalar(self.homes[bank]);
        match self.runs {
            Some(_) => l.load_floats(home, component as i32 * 16),
            None => l.load_first(home, component as i32 * 4),
        }
    }

    /// A register of the current bank, for one run.
    fn row(&self, lowering: &mut Lowering<'_, '_>, register: usize) -> F32s {
        if self.banks[0][register * 4..][..4].iter().all(Option::is_none) {
            let l = &mut lowering.n.l;
            let home = l.get_scalar(self.homes[0]);
            return l.load_floats(home, register as i32 * 16);
        }
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| self.output(lowering, 0, register * 4 + i));
        let l = &mut lowering.n.l;
        let (low, high) = (l.mix(x, y, [0, 4, 0, 4]), l.mix(z, w, [0, 4, 0, 4]));
        l.mix(low, high, [0, 1, 4, 5])
    }

    /// The latch of an emission. In that of a run side by side it is zero beforehand.
    fn emit_latch(&self, l: &mut Lanes<'_>, places: &[Scalar; 4], at: i32) {
        let places = &places[..if self.runs.is_some() { 4 } else { 1 }];
        let known = self.latch.map(latched);
        for (n, &offset) in layout::EMITTED_LATCH.iter().enumerate() {
            let field = match known.map(|fields| fields[n]) {
                Some(0) if self.runs.is_some() => continue,
                Some(field) => l.scalar(field),
                None => l.load_u8(self.call, layout::LATCH + n as i32),
            };
            places.iter().for_each(|&place| l.store_u8(field, place, at + offset));
        }
    }

    /// What the node wrote to `o` goes home.
    fn store_outputs(&mut self, lowering: &mut Lowering<'_, '_>) {
        for bank in 0..2 {
            for component in 0..COMPONENTS {
                let Some(operand) = self.banks[bank][component] else { continue };
                let value = lowering.n.bits_of(operand);
                let l = &mut lowering.n.l;
                let home = l.get_scalar(self.homes[bank]);
                match self.runs {
                    Some(_) => l.store_floats(value, home, component as i32 * 16),
                    None => l.store_lane(value, 0, home, component as i32 * 4),
                }
            }
        }
    }

    /// What the node wrote to `r` goes home, as far as it may remain.
    fn store_temporaries(&self, lowering: &mut Lowering<'_, '_>, node: usize) {
        let written = lowering.written;
        let remaining = &self.liveness.at_end[node];
        for place in (0..OUTPUTS).filter(|&place| written.contains(place) && remaining.contains(place)) {
            let operand = lowering.register(place);
            let value = lowering.n.bits_of(operand);
            let l = &mut lowering.n.l;
            let home = l.get_scalar(self.temporaries);
            match self.runs {
                Some(_) => l.store_floats(value, home, place as i32 * 16),
                None => l.store_lane(value, 0, home, place as i32 * 4),
            }
        }
    }

    /// Integers of the results, and `aL`.
    fn store_integers(&self, lowering: &mut Lowering<'_, '_>, node: usize, lane: u8) {
        let store = |lowering: &mut Lowering<'_, '_>, value, offset| {
            let l = &mut lowering.n.l;
            let value = l.as_floats(value);
            l.store_lane(value, lane, self.call, offset);
        };
        for i in 0..2 {
            if self.results.contains(CMP + i) {
                let flag = I32s(lowering.flag(i).0);
                store(lowering, flag, layout::CMP + i as i32 * 4);
            }
            if self.results.contains(A0 + i) {
                let address = lowering.address(i);
                store(lowering, address, layout::A0 + i as i32 * 4);
            }
        }
        let al = al_in_lanes(lowering, self.graph.nodes[node].al);
        store(lowering, al, layout::AL);
    }

    /// Values of one run that remain, if it is not flagged.
    fn collect_values(&mut self, lowering: &mut Lowering<'_, '_>) {
        let r = lowering.n.l.get_scalar(self.temporaries);
        for place in self.results.iter().filter(|&place| place < OUTPUTS) {
            let operand = lowering.register(place);
            let value = lowering.n.bits_of(operand);
            self.values.push((value, r, place as i32 * 4));
        }
        for bank in 0..2 {
            for component in 0..COMPONENTS {
                let Some(operand) = self.banks[bank][component] else { continue };
                let value = lowering.n.bits_of(operand);
                let home = lowering.n.l.get_scalar(self.homes[bank]);
                self.values.push((value, home, component as i32 * 4));
            }
        }
    }

    /// Stores the values of one run unless lane 0 is flagged.
    fn finish_one(&mut self, lowering: &mut Lowering<'_, '_>, flags: IntVar, over: Option<Mask>) {
        let l = &mut lowering.n.l;
        let next = l.get_scalar(self.next);
        l.store_scalar(next, self.call, layout::EMITTED);
        let mut flags = l.get_mask(flags);
        if let Some(over) = over {
            flags = l.or(flags, over);
        }
        let flagged = l.is_first_set(flags);
        let (store, next) = (l.block(), l.block());
        l.branch(flagged, next, store);
        l.switch_to(store);
        for (value, base, offset) in self.values.drain(..) {
            l.store_lane(value, 0, base, offset);
        }
        l.jump(next);
        l.switch_to(next);
    }

    /// Stores what the last run leaves, in the last group.
    fn finish_group(&self, lowering: &mut Lowering<'_, '_>, runs: &Runs<'_>, node: usize, flags: IntVar) {
        let l = &mut lowering.n.l;
        let last = l.load_pointer(self.call, layout::LAST_GROUP);
        let is_last = l.scalar_equal(runs.group, last);
        let (store, next) = (l.block(), l.block());
        l.branch(is_last, store, next);
        l.switch_to(store);
        self.store_integers(lowering, node, LAST);
        let r = lowering.n.l.load_pointer(self.call, layout::R);
        for place in self.results.iter().filter(|&place| place < OUTPUTS) {
            let value = if lowering.written.contains(place) {
                let operand = lowering.register(place);
                lowering.n.bits_of(operand)
            } else {
                let home = lowering.n.l.get_scalar(self.temporaries);
                lowering.n.l.load_floats(home, place as i32 * 16)
            };
            lowering.n.l.store_lane(value, LAST, r, place as i32 * 4);
        }
        self.store_banks(lowering, runs.path);
        if let Some(raised) = lowering.n.take_flags() {
            let l = &mut lowering.n.l;
            let others = l.get_mask(flags);
            let all = l.or(others, raised);
            l.set_mask(flags, all);
        }
        lowering.n.l.jump(next);
        lowering.n.l.switch_to(next);
    }

    /// Where runs change banks, the run before the last one leaves in a bank what the last one writes only to the other.
    fn store_banks(&self, lowering: &mut Lowering<'_, '_>, path: &Path) {
        let changes = !path.emissions.is_multiple_of(2);
        for bank in 0..2 {
            let at = bank ^ usize::from(changes);
            let [home, before] = [layout::BANKS, layout::BEFORE]
                .map(|field| lowering.n.l.load_pointer(self.call, field + bank as i32 * 8));
            for component in (0..COMPONENTS).filter(|c| path.written[bank] >> c & 1 != 0) {
                let value = self.output(lowering, at, component);
                let l = &mut lowering.n.l;
                l.store_lane(value, LAST, home, component as i32 * 4);
                if changes && path.written[bank ^ 1] >> component & 1 == 0 {
                    l.store_lane(value, BEFORE_LAST, before, component as i32 * 4);
                }
            }
        }
    }
}

impl Unit for GeometryUnit<'_> {
    fn begin_node(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) {
        *self.banks = [[None; COMPONENTS]; 2];
        self.places = None;
        self.emitted = 0;
        self.latch = None;
        self.check_room(&mut lowering.n.l, node);
    }

    fn after_word(&mut self, lowering: &mut Lowering<'_, '_>, node: usize, at: usize) {
        let Action::Word(step) = self.graph.nodes[node].actions[at] else { return };
        match step.word.opcode() {
            Opcode::SetEmit => self.set_emit(&mut lowering.n.l, step.word),
            Opcode::Emit => self.emit(lowering),
            op if places::is_arithmetic(op) => self.take_output(lowering, &step),
            _ => {}
        }
    }

    fn end_node(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) {
        if self.has_other_nodes() {
            self.store_outputs(lowering);
            self.store_temporaries(lowering, node);
        }
        if self.emitted > 0 {
            let l = &mut lowering.n.l;
            let next = l.get_scalar(self.next);
            let next = l.scalar_add_constant(next, i64::from(self.emitted) * i64::from(layout::EMISSION));
            l.set_scalar(self.next, next);
        }
    }

    fn at_end(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) -> bool {
        if self.runs.is_none() {
            self.store_integers(lowering, node, 0);
            if !self.has_other_nodes() {
                self.collect_values(lowering);
            }
        }
        true
    }

    fn bool(&mut self, lowering: &mut Lowering<'_, '_>, _: u8) -> Mask {
        // Only b15 is variable, and only one run tests it.
        Mask(lowering.n.l.load_lane0(self.call, layout::B15).0)
    }

    fn finish(&mut self, lowering: &mut Lowering<'_, '_>, node: usize, flags: IntVar, over: Option<Mask>) {
        match &self.runs {
            Some(runs) => self.finish_group(lowering, runs, node, flags),
            None => self.finish_one(lowering, flags, over),
        }
    }
}

impl GeometryUnit<'_> {
    /// Components of `o` that the word wrote.
    fn take_output(&mut self, lowering: &mut Lowering<'_, '_>, step: &Step) {
        let first = places::destination_place(step.word.destination());
        if first < OUTPUTS {
            return;
        }
        let descriptor = lowering.descriptor(step);
        for i in (0..4).filter(|&i| descriptor.writes(i)) {
            self.banks[0][first - OUTPUTS + i] = Some(lowering.register(first + i));
        }
    }
}

/// Vertex id, primitive flag, winding flag.
fn latched(word: Instruction) -> [i64; 3] {
    [i64::from(word.emit_id()), i64::from(word.emit_primitive()), i64::from(word.emit_winding())]
}
