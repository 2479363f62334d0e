//! What is shown of a capture that differs.

use super::{Entry, Reproduced, base64, escaped};
use crate::image::{Image, Panels};
use crate::listing::{Line, state};
use crate::replay::reproduce::Routine;
use crate::replay::{Difference, Findings};
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::pica::regs::Registers;

/// Characters of code that are shown of a routine.
const MOST_CODE: usize = 400_000;
/// Buffers that are shown of a capture, beside those of its reproducer.
const MOST_PICTURES: usize = 3;
/// Most bytes of a capture that is put into the page.
const MOST_BYTES: usize = 16 << 20;

pub(super) fn show(entry: &Entry<'_>) -> String {
    let findings = &entry.comparison.findings;
    let mut html = sentences(findings);
    html += &entry.reproducer.map(reproducer).unwrap_or_else(|| {
        "<p class=\"note\">It did not differ when it ran again: there is no smaller capture.</p>\n".into()
    });
    html += &pictures(entry);
    html += &entry.reproducer.map_or_else(|| of_state("State at the first difference", findings), code);
    html
}

/// The first differences in words.
fn sentences(findings: &Findings) -> String {
    let item = |Difference { place, surface, bytes, what, .. }: &Difference| {
        format!(
            "<li><b>{place}</b>: {}: {bytes} bytes differ, first {}</li>\n",
            escaped(surface),
            escaped(what)
        )
    };
    let items: String = findings.differences.iter().map(item).collect();
    let more = match findings.more {
        0 => String::new(),
        more => format!("<li>{more} more</li>\n"),
    };
    format!("<ol class=\"found\">\n{items}{more}</ol>\n")
}

fn reproducer(small: &Reproduced) -> String {
    let Reproduced { file, bytes, command, found } = small;
    let file_name = escaped(file);
    let link = match bytes.len() {
        0..=MOST_BYTES => format!(
            "<a class=\"button\" download=\"{file_name}\" href=\"data:application/octet-stream;base64,{}\">\
             Download {file_name}</a> ({} bytes)",
            base64(bytes),
            bytes.len()
        ),
        length => format!("{file_name} beside this page ({length} bytes)"),
    };
    let first = found.comparison.findings.differences.first();
    let first = first.map(|difference| format!("{}: {}", difference.surface, difference.what));
    format!(
        "<div class=\"reproduce\">\n<h3>Reproduce</h3>\n<p>{link}, {} events, then</p>\n\
         <pre><code>{}</code></pre>\n<p>{}</p>\n</div>\n",
        found.capture.events.len(),
        escaped(command),
        escaped(&first.unwrap_or_default()),
    )
}

/// The pictures of the reproducer, of the screens at the end, and of the first differences.
fn pictures(entry: &Entry<'_>) -> String {
    let findings = &entry.comparison.findings;
    let small = entry.reproducer.map(|small| &small.found.comparison.findings.differences);
    let small = small.and_then(|found| found.iter().find_map(picture));
    let mut html =
        "<p class=\"note\">Buffers are shown as they lie in memory: the screens of the console stand \
                    on their side.</p>\n"
            .to_owned();
    if let Some((surface, panels)) = small {
        html += &compared(&format!("reproducer: {surface}"), panels);
    }
    html += &screens(entry);
    let mut shown: Vec<&Panels> = Vec::new();
    for (difference, (surface, panels)) in findings.differences.iter().filter_map(|d| Some((d, picture(d)?)))
    {
        // What went wrong once stays so in the draws that follow.
        if shown.len() < MOST_PICTURES && !shown.contains(&panels) {
            html += &compared(&format!("{}: {surface}", difference.place), panels);
            shown.push(panels);
        }
    }
    html
}

fn screens(entry: &Entry<'_>) -> String {
    let ends = [&entry.comparison.reference, &entry.comparison.candidate].map(|side| side.picture.as_ref());
    let [Some(expected), Some(actual)] = ends else { return String::new() };
    let panels = Panels::of_images(expected, actual).filter(|_| expected != actual);
    panels.map(|panels| compared("the screens at the end", &panels)).unwrap_or_default()
}

fn picture(difference: &Difference) -> Option<(&str, &Panels)> {
    Some((&difference.surface, difference.picture.as_ref()?))
}

/// Expected over actual with a slider, and where they differ.
fn compared(title: &str, panels: &Panels) -> String {
    let Panels { expected, difference, actual } = panels;
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n<div class=\"panels\">\n\
         <div class=\"panel\"><h4>expected <i>|</i> actual</h4><div class=\"stack\">{}{}</div>\
         <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"expected to the left, actual to the right\">\
         </div>\n<div class=\"panel\"><h4>difference</h4>{}</div>\n\
         <div class=\"panel\"><h4>expected</h4>{}</div>\n<div class=\"panel\"><h4>actual</h4>{}</div>\n</div>\n</figure>\n",
        escaped(title),
        image(actual, "actual", "under"),
        image(expected, "expected", "over"),
        image(difference, "difference", ""),
        image(expected, "expected", ""),
        image(actual, "actual", ""),
    )
}

fn image(picture: &Image, alt: &str, class: &str) -> String {
    format!(
        "<img class=\"{class}\" alt=\"{alt}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">",
        picture.width(),
        picture.height(),
        base64(&picture.to_png()),
    )
}

/// State and code of the reproducer.
fn code(small: &Reproduced) -> String {
    let routines = &small.found.routines;
    let shown: String = routines.iter().map(routine).collect();
    let title = match routines.len() {
        0 => "<p class=\"note\">Compiled code made no routine for it.</p>\n".into(),
        count => format!("<h3>Routines of the reproducer: {count}</h3>\n"),
    };
    let state = of_state("State of the reproducer", &small.found.comparison.findings);
    state + &title + &shown
}

fn routine(routine: &Routine) -> String {
    let listing = |name: &str, code: &str| {
        let end = code.char_indices().nth(MOST_CODE).map_or(code.len(), |(end, _)| end);
        let rest = if end < code.len() { "\n(the rest is left out)" } else { "" };
        format!("<h4>{name}</h4><pre class=\"code\"><code>{}{rest}</code></pre>\n", escaped(&code[..end]))
    };
    format!(
        "<details>\n<summary><code>{}</code></summary>\n{}{}</details>\n",
        escaped(&routine.name),
        listing("machine instructions", &routine.instructions),
        listing("CLIF", &routine.clif),
    )
}

/// The state at the first difference: in words, as a key, as registers.
fn of_state(heading: &str, findings: &Findings) -> String {
    let Some(registers) = findings.registers.as_deref() else { return String::new() };
    let key = FragmentStateKey::of(registers);
    let key = key.map_or_else(|refusal| refusal.to_string(), |key| key.to_string());
    let item = |(name, value): &state::Item| {
        format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value))
    };
    let items: String = state::summary(registers).iter().map(item).collect();
    format!(
        "<h3>{heading}</h3>\n<p>key <code class=\"key\">{}</code></p>\n<table>\n{items}</table>\n{}",
        escaped(&key),
        by_name(registers),
    )
}

/// Registers that are not as after reset.
fn by_name(registers: &Registers) -> String {
    let reset = Registers::new();
    let words = registers.words().iter().zip(reset.words()).enumerate();
    let rows: Vec<String> = words
        .filter(|(_, (word, reset))| word != reset)
        .map(|(id, (&word, _))| row(&Line::of_cpu(id as u16, word, 0xf), word))
        .collect();
    format!(
        "<details>\n<summary>{} registers that are not as after reset</summary>\n<table class=\"registers\">\n{}</table>\n</details>\n",
        rows.len(),
        rows.concat()
    )
}

fn row(line: &Line, word: u32) -> String {
    let fields = line.fields.iter().map(|(name, value)| format!("{name}={value}"));
    let fields = escaped(&fields.collect::<Vec<_>>().join(" "));
    format!(
        "<tr><td>{:#05x}</td><td>{}</td><td><code>{word:#010x}</code></td><td>{fields}</td></tr>\n",
        line.id,
        escaped(&line.name),
    )
}
