//! The loop over the groups of a call. Fast code runs all groups and lists those that must run again; exact code runs the
//! groups of a list.

use crate::emit::flow::ScalarVar;
use crate::emit::lanes::{Lanes, Mask, Scalar};
use cranelift_codegen::ir::Block;

/// Offsets of the fields of a call that the loop uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Number of groups, at least 1.
    pub(super) groups: i32,
    /// Address of the list of groups to run, for exact code.
    pub(super) list: i32,
    /// Address of the list of groups that must run again.
    pub(super) flagged: i32,
    /// Receives their number.
    pub(super) flagged_count: i32,
}

/// The loop while the code of a group is emitted.
pub(super) struct Groups {
    call: Scalar,
    fields: Fields,
    groups: Scalar,
    position: ScalarVar,
    /// Number of flagged groups.
    flagged: ScalarVar,
    head: Block,
    end: Block,
    /// Number of the group.
    pub(super) group: Scalar,
}

impl Groups {
    /// Begins the loop; what `before` emits is emitted before it.
    pub(super) fn begin<T>(
        l: &mut Lanes<'_>,
        call: Scalar,
        fields: Fields,
        is_fast: bool,
        before: impl FnOnce(&mut Lanes<'_>) -> T,
    ) -> (Self, T) {
        let (position, flagged) = (l.scalar_var(), l.scalar_var());
        let zero = l.scalar(0);
        l.set_scalar(position, zero);
        l.set_scalar(flagged, zero);
        let groups = l.load_pointer(call, fields.groups);
        let made = before(l);
        let (head, end) = (l.block(), l.block());
        l.jump(head);
        l.switch_to(head);
        let at = l.get_scalar(position);
        let group = if is_fast { at } else { listed(l, call, fields, at) };
        (Self { call, fields, groups, position, flagged, head, end, group }, made)
    }

    /// Ends the loop and the routine. A group with a flagged lane is listed.
    pub(super) fn end(self, l: &mut Lanes<'_>, flags: Mask) {
        let (cold, next) = (l.cold_block(), l.block());
        let any = l.any(flags);
        l.branch(any, cold, next);
        l.switch_to(cold);
        self.list(l);
        l.jump(next);
        l.switch_to(next);
        let at = l.get_scalar(self.position);
        let at = l.scalar_add_constant(at, 1);
        l.set_scalar(self.position, at);
        let more = l.scalar_below(at, self.groups);
        l.branch(more, self.head, self.end);
        l.switch_to(self.end);
        let count = l.get_scalar(self.flagged);
        l.store_scalar(count, self.call, self.fields.flagged_count);
        l.ret();
    }

    fn list(&self, l: &mut Lanes<'_>) {
        let count = l.get_scalar(self.flagged);
        let list = l.load_pointer(self.call, self.fields.flagged);
        let offset = l.scalar_shl(count, 2);
        let entry = l.scalar_add(list, offset);
        l.store_u32(self.group, entry, 0);
        let count = l.scalar_add_constant(count, 1);
        l.set_scalar(self.flagged, count);
    }
}

fn listed(l: &mut Lanes<'_>, call: Scalar, fields: Fields, at: Scalar) -> Scalar {
    let list = l.load_pointer(call, fields.list);
    let offset = l.scalar_shl(at, 2);
    let entry = l.scalar_add(list, offset);
    l.load_u32(entry, 0)
}
