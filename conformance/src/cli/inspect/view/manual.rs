//! The hardware manuals as pages beside the inspector: Markdown as HTML, with anchors for sections and registers, and links
//! from references to sections.

mod reference;

use crate::html::escaped;
use picaflor_pipeline::manuals::{ALL, Manual};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What a browser may do with a page of a manual: show it with its style.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// All pages, with the names of their files.
pub(super) fn pages() -> impl Iterator<Item = (String, String)> {
    ALL.iter().map(|of| (format!("{}.html", of.name), rendered(of)))
}

/// The page of a name.
pub(super) fn page(name: &str) -> Option<String> {
    let manual = ALL.iter().find(|of| name.strip_suffix(".html") == Some(of.name))?;
    Some(rendered(manual))
}

/// A heading: level, words, anchor.
struct Heading {
    level: HeadingLevel,
    text: String,
    slug: String,
}

fn rendered(manual: &Manual) -> String {
    let events = events(manual.text);
    let headings = headings(&events);
    let title = headings.first().map_or(manual.name, |heading| &heading.text);
    let mut body = String::new();
    html::push_html(&mut body, anchored(manual.name, events, &headings).into_iter());
    // Wide tables scroll by themselves.
    let body = body.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{} – Picaflor</title>\n<link rel=\"stylesheet\" href=\"../page.css\">\n\
         <link rel=\"icon\" href=\"data:,\">\n</head>\n<body class=\"manual\">\n{}<article>\n{body}</article>\n\
         </body>\n</html>\n",
        escaped(title),
        contents(manual, &headings),
    )
}

/// The other manuals, and the headings of this one.
fn contents(manual: &Manual, headings: &[Heading]) -> String {
    let mut text = String::from("<nav aria-label=\"Contents\">\n<p>");
    for of in ALL {
        let here = if of.name == manual.name { " aria-current=\"page\"" } else { "" };
        // Into a string: it cannot fail.
        let _ = write!(text, "<a href=\"{0}.html\"{here}>{0}</a> ", of.name);
    }
    text += "</p>\n<ol>\n";
    for heading in headings.iter().filter(|heading| heading.level != HeadingLevel::H1) {
        let Heading { level, text: words, slug } = heading;
        let _ = writeln!(text, "<li class=\"{level}\"><a href=\"#{slug}\">{}</a></li>", escaped(words));
    }
    text + "</ol>\n</nav>\n"
}

/// The elements of a text. HTML in it is text, and so is a star behind an operand, which Markdown takes for emphasis.
fn events<'t>(text: &'t str) -> Vec<Event<'t>> {
    let is_operand = |of: char| of.is_alphanumeric() || matches!(of, ')' | ']');
    let mut products = Vec::new();
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let element = |(event, range): (Event<'t>, std::ops::Range<usize>)| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Emphasis) => {
            products.push(text[..range.start].ends_with(is_operand));
            if products.last() == Some(&true) { Event::Text("*".into()) } else { event }
        }
        Event::End(TagEnd::Emphasis) if products.pop() == Some(true) => Event::Text("*".into()),
        event => event,
    };
    parser.map(element).collect()
}

fn headings(events: &[Event<'_>]) -> Vec<Heading> {
    let (mut headings, mut known) = (Vec::new(), HashMap::<String, usize>::new());
    for (n, event) in events.iter().enumerate() {
        let Event::Start(Tag::Heading { level, .. }) = event else { continue };
        let text = words(&events[n..]);
        let slug = slug(&text);
        let times = known.entry(slug.clone()).or_default();
        let slug = if *times == 0 { slug } else { format!("{slug}-{times}") };
        *times += 1;
        headings.push(Heading { level: *level, text, slug });
    }
    headings
}

/// The text of the element that begins here.
fn words(events: &[Event<'_>]) -> String {
    let (mut text, mut depth) = (String::new(), 0);
    for event in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(part) | Event::Code(part) => text += part,
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    text
}

/// The anchor of a heading, as links in the manuals write it.
fn slug(text: &str) -> String {
    let kept = text.chars().filter(|of| of.is_alphanumeric() || matches!(of, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|of| if of == ' ' { '-' } else { of }).collect()
}

/// The number of a section from its heading.
fn section(text: &str) -> Option<&str> {
    let number = text.split(' ').next()?.trim_end_matches('.');
    let is_number =
        number.split('.').all(|part| !part.is_empty() && part.bytes().all(|of| of.is_ascii_digit()));
    is_number.then_some(number)
}

/// The numbers of the registers that a row is about, from its first cell: `12` or `5C-5F`, with as many digits.
fn registers(cell: &str) -> Vec<String> {
    let digits = cell.split('-').next().unwrap_or_default().len();
    let read = |text: &str| {
        let is_number =
            text.len() == digits && text.bytes().all(|of| matches!(of, b'0'..=b'9' | b'A'..=b'F'));
        is_number.then(|| u32::from_str_radix(text, 16).ok()).flatten()
    };
    let (first, last) = cell.split_once('-').unwrap_or((cell, cell));
    match (read(first), read(last)) {
        (Some(first), Some(last)) if digits > 0 => {
            (first..=last).map(|number| format!("{number:0digits$x}")).collect()
        }
        _ => Vec::new(),
    }
}

/// The events with anchors at headings and, where fields are listed, at registers; links lead to other pages, or nowhere;
/// references to sections are links.
fn anchored<'e>(manual: &str, events: Vec<Event<'e>>, headings: &[Heading]) -> Vec<Event<'e>> {
    let lists_fields = headings.first().is_some_and(|of| of.text.starts_with("Coverage"));
    let (mut made, mut next, mut links) = (Vec::new(), headings.iter(), Vec::new());
    let mut is_first_cell = false;
    // Depth of headings, links and blocks of code, where references stay text; and the manual that was named last.
    let (mut bare, mut last) = (0_u32, None);
    let anchor = |id: &str| Event::InlineHtml(format!("<a id=\"{}\"></a>", escaped(id)).into());
    for n in 0..events.len() {
        let named = last.take();
        match &events[n] {
            Event::Start(Tag::Heading { .. } | Tag::Link { .. } | Tag::CodeBlock(_)) => bare += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::Link | TagEnd::CodeBlock) => {
                bare = bare.saturating_sub(1)
            }
            _ => {}
        }
        match &events[n] {
            Event::Start(Tag::Heading { level, .. }) => {
                let heading = next.next();
                made.push(Event::Start(Tag::Heading {
                    level: *level,
                    id: heading.map(|heading| heading.slug.clone().into()),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
                made.extend(heading.and_then(|heading| section(&heading.text)).map(anchor));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, .. }) => {
                let to = target(dest_url);
                links.push(to.is_some());
                made.extend(to.map(|to| {
                    Event::Start(Tag::Link {
                        link_type: *link_type,
                        dest_url: to.into(),
                        title: title.clone(),
                        id: "".into(),
                    })
                }));
            }
            Event::End(TagEnd::Link) => {
                made.extend(links.pop().filter(|&is_kept| is_kept).map(|_| events[n].clone()));
            }
            Event::Text(text) if bare == 0 => made.extend(reference::linked(text, manual, named)),
            Event::Code(text) if bare == 0 && reference::named(text).is_some() => {
                last = reference::named(text);
                made.extend(last.into_iter().flat_map(|of| reference::page(of, events[n].clone())));
            }
            // What lies elsewhere is not shown.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            event => {
                made.push(event.clone());
                match event {
                    Event::Start(Tag::TableRow) => is_first_cell = lists_fields,
                    Event::Start(Tag::TableCell) if std::mem::take(&mut is_first_cell) => {
                        let numbers = registers(&words(&events[n..]));
                        made.extend(numbers.iter().map(|number| anchor(&format!("r{number}"))));
                    }
                    _ => {}
                }
            }
        }
    }
    made
}

/// Where a link of a manual leads on these pages; `None` if to no page here.
fn target(to: &str) -> Option<String> {
    if to.starts_with('#') || to.starts_with("https://") {
        return Some(to.into());
    }
    let (file, anchor) =
        to.split_once('#').map_or((to, String::new()), |(file, anchor)| (file, format!("#{anchor}")));
    let name = file.strip_suffix(".md")?;
    ALL.iter().any(|of| of.name == name).then(|| format!("{name}.html{anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::Ge;
    use crate::inspect::{Inspect, Section};
    use crate::pica::Pica;
    use std::collections::HashSet;

    fn all() -> HashMap<&'static str, String> {
        ALL.iter().map(|of| (of.name, rendered(of))).collect()
    }

    /// Values of an attribute.
    fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
        let start = format!(" {attribute}=\"");
        page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    fn check<M: Inspect>(pages: &HashMap<&str, String>, digits: usize) -> usize {
        let manual = M::MANUAL;
        let fields: HashSet<&str> = values(&pages[manual.fields], "id").into_iter().collect();
        for number in 0..M::REGISTERS {
            let row = format!("r{number:0digits$x}");
            assert!(fields.contains(row.as_str()), "{} has no {row}", manual.fields);
        }
        let sections = |of: &Section| {
            let start = format!("<a id=\"{}\"></a>{}", of.number, of.number);
            let found = pages[of.manual].split(start.as_str()).nth(1);
            let found = found.unwrap_or_else(|| panic!("{} has no section {}", of.manual, of.number));
            let title = found.trim_start_matches(['.', ' ']);
            assert!(title.starts_with(of.title), "{} {}: {}", of.manual, of.number, &title[..40]);
        };
        manual.groups.iter().for_each(|(_, of)| sections(of));
        manual.topics.iter().for_each(|(_, _, of)| sections(of));
        assert!(manual.groups.is_sorted_by_key(|&(first, _)| first) && manual.groups[0].0 == 0);
        assert!(manual.topics.iter().all(|&(first, last, _)| first <= last && last < M::REGISTERS));
        manual.topics.len()
    }

    #[test]
    fn every_link_of_a_register_leads_somewhere() {
        let pages = all();
        assert!(check::<Pica>(&pages, 3) > 50);
        assert!(check::<Ge>(&pages, 2) > 50);
    }

    #[test]
    fn every_link_of_the_pages_leads_somewhere() {
        let pages = all();
        let mut count = 0;
        for (name, page) in &pages {
            let ids = values(page, "id");
            assert_eq!(
                ids.iter().collect::<HashSet<_>>().len(),
                ids.len(),
                "{name}: two anchors of one name"
            );
            for link in values(page, "href") {
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let other = if file.is_empty() { Some(*name) } else { file.strip_suffix(".html") };
                let Some(other) = other else { continue };
                let other = pages.get(other).unwrap_or_else(|| panic!("{name}: no page of {link}"));
                let is_there = anchor.is_empty() || other.contains(&format!(" id=\"{anchor}\""));
                assert!(is_there, "{name}: no {link}");
                count += 1;
            }
        }
        assert!(count > 400, "{count}");
    }

    /// References in plain text are links: every `section N` whose section there is, in every manual.
    #[test]
    fn references_are_links() {
        for (name, page) in all() {
            let body = page.split("<article>").nth(1).expect("a body");
            for (at, _) in body.match_indices("section <a href=\"") {
                let rest = &body[at..];
                assert!(rest.starts_with(&format!("section <a href=\"{name}.html#")), "{}", &rest[..60]);
            }
            if name == "psp-ge" {
                assert!(body.contains("section <a href=\"psp-ge.html#7.6\">7.6</a>"));
                assert!(!body.contains(">12.4</a>)"), "a number of fixed point");
            }
            if name == "pica-geometry" {
                assert!(body.contains("<a href=\"pica-shader.html\"><code>pica-shader.md</code></a> <a href=\"pica-shader.html#3.2\">3.2</a>"));
            }
        }
    }

    #[test]
    fn markup_of_a_manual_is_text() {
        let text = "# A <b>\n\n<script>alert(1)</script>\n\nx <img src=x> [y](javascript:z) [w](../w.md) ![v](v.png)\n";
        let page = rendered(&Manual { name: "a", text });
        let body = page.split("<article>").nth(1).expect("a body");
        assert!(!body.contains("<script") && !body.contains("<img") && !body.contains("href"), "{body}");
        assert!(body.contains("&lt;script&gt;"), "{body}");
    }

    #[test]
    fn products_are_no_emphasis() {
        let text = "x = s*w, y = t*h, 2*(a*b)*c, **[HW]** and *so* on";
        let page = rendered(&Manual { name: "a", text });
        let shown = "<p>x = s*w, y = t*h, 2*(a*b)*c, <strong>[HW]</strong> and <em>so</em> on</p>";
        assert!(page.contains(shown), "{page}");
    }

    #[test]
    fn rows_of_registers() {
        assert_eq!(registers("12"), ["12"]);
        assert_eq!(registers("05E-061"), ["05e", "05f", "060", "061"]);
        for none in ["", "computes", "12-", "12-140", "-", "2-1"] {
            assert!(registers(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn other_files_are_no_pages() {
        assert!(pages().all(|(name, text)| page(&name) == Some(text)));
        for none in ["", "index", "../page.css", "index.md", "none.html"] {
            assert!(page(none).is_none(), "{none}");
        }
    }
}
