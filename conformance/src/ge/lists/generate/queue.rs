//! Lists through the queue of system software, and its other calls in between.

use super::super::program::{Program, Step};
use super::writer::{Writer, Written};
use picaflor_pipeline::ge::lists::{Arguments, Request};

/// A case whose lists are queued.
pub(super) fn queued(mut writer: Writer<'_>) -> Program {
    let sdk = writer.random.pick(&[0, 0x0150_0000, 0x0200_0010, 0x0300_0110, 0x0660_0110]);
    let mut lists = Vec::new();
    for number in 0..writer.random.between(1, 4) {
        let list = writer.written();
        let request = request(&mut writer, &list);
        lists.push((number, list));
        writer.steps.push(Step::Enqueue(request, writer.random.chance(15)));
        if writer.random.chance(40) {
            some_call(&mut writer, &lists);
        }
    }
    writer.steps.push(Step::Go(true));
    for (number, Written { stops, .. }) in &lists {
        for &stop in stops.iter().skip(1).chain([&0]) {
            if writer.random.chance(20) {
                some_call(&mut writer, &lists);
            }
            writer.host_write();
            writer.steps.push(Step::Stall(*number, stop));
            let with_handlers = writer.random.chance(90);
            writer.steps.push(Step::Go(with_handlers));
        }
    }
    writer.steps.extend([Step::Continue, Step::Go(true)]);
    writer.finish(sdk)
}

/// Stalled at its first stop, if there is one.
fn request(writer: &mut Writer<'_>, list: &Written) -> Request {
    let context = if writer.random.chance(35) { writer.context() } else { 0 };
    let arguments = Arguments { size: 16, context, stack_depth: writer.random.below(40), stack: 0 };
    let odd = u32::from(writer.random.chance(2));
    Request {
        list: list.start + odd,
        stall: list.stops.first().copied().unwrap_or(0),
        callback: writer.random.chance(80).then(|| writer.random.below(4)),
        arguments: writer.random.chance(70).then_some(arguments),
    }
}

fn some_call(writer: &mut Writer<'_>, lists: &[(u32, Written)]) {
    let number = writer.random.below(lists.len() as u32 + 1);
    let step = match writer.random.below(12) {
        0..3 => Step::Go(writer.random.chance(70)),
        3 => Step::Break(writer.random.weighted(&[(6, 0), (1, 1), (1, 2)])),
        4 => Step::Continue,
        5 => Step::Dequeue(number),
        6 => Step::Forget,
        7 => Step::Save(writer.context()),
        8 => Step::Restore(writer.context()),
        9 => Step::Translate(writer.random.pick(&[0, 0x200, 0x400, 0x800, 0x1000, 7])),
        _ => Step::Stall(number, lists.last().map_or(0, |(_, list)| list.start)),
    };
    writer.steps.push(step);
}
