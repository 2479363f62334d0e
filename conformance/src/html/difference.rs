//! What is shown of a capture that differs.

use super::{Difference, Entry, Found, Register, Reproduced, State, base64, escaped};
use crate::image::{Image, Panels};
use crate::inspect::Program;
use crate::routines::Routine;

/// Characters of code that are shown of a routine.
const MOST_CODE: usize = 400_000;
/// Buffers that are shown of a capture, beside those of its reproducer.
const MOST_PICTURES: usize = 3;
/// Most bytes of a capture that is put into the page.
const MOST_BYTES: usize = 16 << 20;

pub(super) fn show(entry: &Entry) -> String {
    let mut html = sentences(&entry.found);
    html += &entry.reproducer.as_ref().map(reproducer).unwrap_or_else(|| {
        "<p class=\"note\">It did not differ when it ran again: there is no smaller capture.</p>\n".into()
    });
    html += &pictures(entry);
    html += &entry
        .reproducer
        .as_ref()
        .map_or_else(|| of_state("State at the first difference", &entry.found), code);
    html
}

/// The first differences in words.
fn sentences(found: &Found) -> String {
    let item = |Difference { place, surface, bytes, what, .. }: &Difference| {
        format!(
            "<li><b>{}</b>: {}: {bytes} bytes differ, first {}</li>\n",
            escaped(place),
            escaped(surface),
            escaped(what)
        )
    };
    let items: String = found.differences.iter().map(item).collect();
    let more = match found.more {
        0 => String::new(),
        more => format!("<li>{more} more</li>\n"),
    };
    format!("<ol class=\"found\">\n{items}{more}</ol>\n")
}

fn reproducer(small: &Reproduced) -> String {
    let Reproduced { file, bytes, command, events, found, inspect, .. } = small;
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
    let first = found.differences.first();
    let first = first.map(|difference| format!("{}: {}", difference.surface, difference.what));
    format!(
        "<div class=\"reproduce\">\n<h3>Reproduce</h3>\n<p>{link}, {events} events, then</p>\n\
         <pre><code>{}</code></pre>\n<p>{}</p>\n<p>and the inspector opens it:</p>\n\
         <pre><code>{}</code></pre>\n</div>\n",
        escaped(command),
        escaped(&first.unwrap_or_default()),
        escaped(inspect),
    )
}

/// The pictures of the reproducer, of the screens at the end, and of the first differences.
fn pictures(entry: &Entry) -> String {
    let small = entry.reproducer.as_ref().and_then(|small| small.found.differences.iter().find_map(picture));
    let mut html = format!("<p class=\"note\">{}</p>\n", escaped(entry.about_pictures));
    if let Some((surface, panels)) = small {
        html += &compared(&format!("reproducer: {surface}"), panels);
    }
    html += &screens(entry);
    let mut shown: Vec<&Panels> = Vec::new();
    let differences = &entry.found.differences;
    for (difference, (surface, panels)) in differences.iter().filter_map(|d| Some((d, picture(d)?))) {
        // What went wrong once stays so in the draws that follow.
        if shown.len() < MOST_PICTURES && !shown.contains(&panels) {
            html += &compared(&format!("{}: {surface}", difference.place), panels);
            shown.push(panels);
        }
    }
    html
}

/// What the screens show at the end, where nothing differs.
pub(super) fn screens_alike(entry: &Entry) -> String {
    let [_, Some(picture)] = &entry.screens else { return String::new() };
    format!(
        "<figure>\n<figcaption>the screens at the end, the same on both</figcaption>\n<div class=\"panels\">\n\
         <div class=\"panel\">{}</div>\n</div>\n{VALUES}</figure>\n",
        image(picture, "screens", ""),
    )
}

/// Zoom of a figure, and the values under the pointer.
const VALUES: &str = "<p class=\"values\"><label>zoom <input type=\"range\" class=\"zoom\" min=\"1\" max=\"16\" \
    value=\"1\"></label> <output></output></p>\n";

fn screens(entry: &Entry) -> String {
    let [Some(expected), Some(actual)] = &entry.screens else { return String::new() };
    let panels = Panels::of_images(expected, actual).filter(|_| expected != actual);
    panels.map(|panels| compared("the screens at the end", &panels)).unwrap_or_default()
}

fn picture(difference: &Difference) -> Option<(&str, &Panels)> {
    Some((&difference.surface, difference.picture.as_ref()?))
}

/// Expected over actual with a slider, and where they differ.
pub(super) fn compared(title: &str, panels: &Panels) -> String {
    let Panels { expected, difference, actual } = panels;
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n<div class=\"panels\">\n\
         <div class=\"panel\"><h4>expected <i>|</i> actual</h4><div class=\"stack\">{}{}</div>\
         <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"expected to the left, actual to the right\">\
         </div>\n<div class=\"panel\"><h4>difference</h4>{}</div>\n\
         <div class=\"panel\"><h4>expected</h4>{}</div>\n<div class=\"panel\"><h4>actual</h4>{}</div>\n</div>\n{VALUES}</figure>\n",
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
    let routines = &small.routines;
    let shown: String = routines.iter().map(routine).collect();
    let title = match routines.len() {
        0 => "<p class=\"note\">Compiled code made no routine for it.</p>\n".into(),
        count => format!("<h3>Routines of the reproducer: {count}</h3>\n"),
    };
    let state = of_state("State of the reproducer", &small.found);
    state + &small.program.as_ref().map(program).unwrap_or_default() + &title + &shown
}

/// The guest's program: its words, and those that the first vertex ran.
fn program(program: &Program) -> String {
    let runs = |address: u32| program.steps.iter().filter(|step| step.address == address).count();
    let line = |(address, text): &(u32, String)| {
        let (count, entry) = (runs(*address), if *address == program.entry { "entry" } else { "" });
        let class = if count > 0 { " class=\"ran\"" } else { "" };
        let count = if count > 0 { count.to_string() } else { String::new() };
        format!(
            "<tr{class}><td>{address:03x}</td><td><code>{}</code></td><td>{count}</td><td>{entry}</td></tr>\n",
            escaped(text)
        )
    };
    let lines: String = program.listing.iter().map(line).collect();
    format!(
        "<details open>\n<summary>The guest's program at the draw: {} words, {} steps of its first vertex</summary>\n\
         <div class=\"scroll\"><table class=\"program\">\n<thead><tr><th>word</th><th>instruction</th><th>runs</th>\
         <th></th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n</details>\n",
        program.listing.len(),
        program.steps.len(),
    )
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
fn of_state(heading: &str, found: &Found) -> String {
    let Some(State { key, summary, registers }) = &found.state else { return String::new() };
    let item = |(name, value): &(String, String)| {
        format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value))
    };
    let items: String = summary.iter().map(item).collect();
    format!(
        "<h3>{heading}</h3>\n<p>key <code class=\"key\">{}</code></p>\n<table>\n{items}</table>\n\
         <details>\n<summary>{} registers that are not as after reset</summary>\n\
         <table class=\"registers\">\n{}</table>\n</details>\n",
        escaped(key),
        registers.len(),
        registers.iter().map(row).collect::<String>(),
    )
}

fn row(Register { number, name, word, meaning }: &Register) -> String {
    format!(
        "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n",
        escaped(number),
        escaped(name),
        escaped(word),
        escaped(meaning),
    )
}
