//! References to sections in plain text, as links: numbers behind the words `section`, `sections`, `rule` and `see`, lists of
//! numbers in parentheses, and a number behind the name of another manual. Numbers that are no section of the manual stay
//! text.

use picaflor_pipeline::manuals::ALL;
use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

/// A number with four fractional bits, which the manuals write as they write sections.
const FIXED_POINT: &str = "12.4";

/// The manual that a code span names: `psp-ge.md`.
pub(super) fn named(code: &str) -> Option<&'static str> {
    let name = code.strip_suffix(".md")?;
    ALL.iter().map(|of| of.name).find(|known| *known == name)
}

/// The code span as a link to the manual that it names.
pub(super) fn page<'e>(manual: &str, code: Event<'e>) -> [Event<'e>; 3] {
    link(format!("{manual}.html"), code)
}

/// A text of a manual with its references as links; `before` is the manual that a code span just before it names.
pub(super) fn linked<'e>(text: &CowStr<'e>, manual: &str, before: Option<&str>) -> Vec<Event<'e>> {
    let part = |range: Range<usize>| Event::Text(text[range].to_owned().into());
    let (mut made, mut end) = (Vec::new(), 0);
    for (range, to) in references(text, manual, before) {
        made.push(part(end..range.start));
        end = range.end;
        made.extend(link(format!("{to}.html#{}", &text[range.clone()]), part(range)));
    }
    if end == 0 {
        return vec![Event::Text(text.clone())];
    }
    made.push(part(end..text.len()));
    made
}

fn link(to: String, content: Event<'_>) -> [Event<'_>; 3] {
    let (title, id) = (CowStr::from(""), CowStr::from(""));
    let tag = Tag::Link { link_type: LinkType::Inline, dest_url: to.into(), title, id };
    [Event::Start(tag), content, Event::End(TagEnd::Link)]
}

/// The numbers in a text that are sections, and the manual of each.
fn references<'m>(text: &str, manual: &'m str, before: Option<&'m str>) -> Vec<(Range<usize>, &'m str)> {
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    // Set while the next number may continue a list of references.
    let mut open = None;
    for range in numbers(text) {
        let (number, ahead) = (&text[range.clone()], &text[..range.start]);
        let is_next = |joints: &[&str]| {
            let last = found.last().filter(|_| open.is_some());
            last.is_some_and(|(last, _)| joints.contains(&&text[last.end..range.start]))
        };
        let has_point = number.contains('.') && number != FIXED_POINT;
        let (to, goes_on) = match before {
            Some(other) if ahead.trim().is_empty() => (other, false),
            _ if ends_with_word(ahead, "section") => (manual, false),
            _ if ends_with_word(ahead, "sections") => (manual, true),
            _ if has_point && (ahead.ends_with('(') || is_next(&[", ", "; "])) => (manual, true),
            _ if is_next(&[" and ", " or ", " to "]) => (manual, true),
            _ if has_point
                && ["see", "rule", "rules", "as in"].iter().any(|word| ends_with_word(ahead, word)) =>
            {
                (manual, false)
            }
            _ => continue,
        };
        if sections(to).contains(number) {
            open = goes_on.then_some(());
            found.push((range, to));
        }
    }
    found
}

/// True if the last word before a space is this one.
fn ends_with_word(text: &str, word: &str) -> bool {
    let last = text.strip_suffix([' ', '\u{a0}']).unwrap_or_default().to_ascii_lowercase();
    let ahead = last.strip_suffix(word);
    ahead.is_some_and(|ahead| !ahead.ends_with(|of: char| of.is_alphanumeric() || of == '-'))
}

/// Places of decimal numbers, with points inside, that stand alone.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_part = |of: char| of.is_alphanumeric() || of == '.' || of == '_';
    while let Some(start) = text[at..].find(is_part).map(|start| at + start) {
        let end = text[start..].find(|of| !is_part(of)).map_or(text.len(), |length| start + length);
        let number = text[start..end].trim_end_matches('.');
        let is_number =
            number.split('.').all(|part| !part.is_empty() && part.bytes().all(|of| of.is_ascii_digit()));
        // Behind these it is a part of an expression.
        let is_alone = !text[..start].ends_with(['*', '/', '+', '=', '<', '>', '#', '-']);
        if is_number && is_alone {
            found.push(start..start + number.len());
        }
        at = end;
    }
    found
}

/// The numbers of the sections of a manual.
fn sections(manual: &str) -> &'static HashSet<String> {
    static ALL_SECTIONS: OnceLock<HashMap<&str, HashSet<String>>> = OnceLock::new();
    static NONE: OnceLock<HashSet<String>> = OnceLock::new();
    let all = ALL_SECTIONS.get_or_init(|| {
        let of = |text: &'static str| {
            let headings = super::headings(&super::events(text));
            headings.iter().filter_map(|heading| super::section(&heading.text)).map(str::to_owned).collect()
        };
        ALL.iter().map(|manual| (manual.name, of(manual.text))).collect()
    });
    all.get(manual).unwrap_or_else(|| NONE.get_or_init(HashSet::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, before: Option<&str>) -> Vec<String> {
        let all = references(text, "psp-ge", before);
        all.into_iter().map(|(range, to)| format!("{to} {}", &text[range])).collect()
    }

    #[test]
    fn references_to_sections() {
        assert_eq!(found("as section 5.5. And section 11", None), ["psp-ge 5.5", "psp-ge 11"]);
        assert_eq!(found("Sections 5 and 6 say", None), ["psp-ge 5", "psp-ge 6"]);
        assert_eq!(found("near clip (5.5; see 4.3)", None), ["psp-ge 5.5", "psp-ge 4.3"]);
        assert_eq!(found("(4.3, 5.7, 8.6)", None), ["psp-ge 4.3", "psp-ge 5.7", "psp-ge 8.6"]);
        assert_eq!(found("are taken by rule 8.2", None), ["psp-ge 8.2"]);
        assert_eq!(found(" 3.2). Encode 1.0", Some("pica-shader")), ["pica-shader 3.2"]);
    }

    #[test]
    fn other_numbers() {
        let none = [
            "dx = x1-x0 (12.4)",
            "section 99.7",
            "section 8x",
            "the intersection 5.5",
            "0.75 * 8.6",
            "(1.99 texels)",
            "version 4.3",
            "bits 5 and 6",
            "(7)",
        ];
        for text in none {
            assert!(found(text, None).is_empty(), "{text}: {:?}", found(text, None));
        }
        assert_eq!(found("section 8, 41 of the 42", None), ["psp-ge 8"]);
    }
}
