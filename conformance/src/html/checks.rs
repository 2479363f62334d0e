//! The page of `check`: pictures of captures against expected ones.

use super::difference::compared;
use super::{document, escaped};
use crate::image::Panels;

/// A check, as the page shows it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// The cells of its row.
    pub cells: Vec<String>,
    /// True if it passed.
    pub is_pass: bool,
    /// Pictures of a difference, with a title.
    pub pictures: Vec<(String, Panels)>,
}

/// The page. `heading` names the cells; `about` says how they were made.
#[must_use]
pub fn checks(heading: &[&str], checks: &[Checked], about: &str) -> String {
    let failing = checks.iter().filter(|check| !check.is_pass).count();
    let verdict = match failing {
        0 => format!("<p class=\"verdict same\">All {} checks pass.</p>", checks.len()),
        _ => format!("<p class=\"verdict differs\">{failing} of {} checks fail.</p>", checks.len()),
    };
    let heading: String = heading.iter().map(|cell| format!("<th>{}</th>", escaped(cell))).collect();
    let rows: String = checks.iter().enumerate().map(row).collect();
    let sections: String = checks.iter().enumerate().map(section).collect();
    let table = format!(
        "<table class=\"figures\">\n<thead><tr>{heading}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    document("picaflor check", about, &format!("{verdict}\n{table}{sections}"))
}

fn row((number, check): (usize, &Checked)) -> String {
    let class = if check.is_pass { "same" } else { "differs" };
    let cells: String = check.cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    let name = match check.pictures.is_empty() {
        true => escaped(&check.name),
        false => format!("<a href=\"#c{number}\">{}</a>", escaped(&check.name)),
    };
    format!("<tr class=\"{class}\"><td>{name}</td>{cells}</tr>\n")
}

fn section((number, check): (usize, &Checked)) -> String {
    if check.pictures.is_empty() {
        return String::new();
    }
    let figures: String = check.pictures.iter().map(|(title, panels)| compared(title, panels)).collect();
    format!("<section id=\"c{number}\">\n<h2>{}</h2>\n{figures}</section>\n", escaped(&check.name))
}
