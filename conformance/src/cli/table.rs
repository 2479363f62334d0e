//! Tables on a terminal.

use super::colour::{self, Tone, painted};

/// Rows of text under a heading; every column is as wide as it must be.
#[derive(Debug, Clone)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heading: &[&str]) -> Self {
        Self { rows: vec![heading.iter().map(ToString::to_string).collect()] }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The text, a line for each row: the first `left` columns to the left and the last one too, figures
    /// to the right.
    pub(super) fn text(&self, left: usize) -> String {
        let width =
            |c: usize| self.rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..).map_while(width).collect();
        let has_colour = colour::is_on(&std::io::stdout());
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, &width))| {
                let is_left = c < left || c + 1 == widths.len();
                if is_left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let line = line.trim_end();
            // The last cell is not padded.
            let verdict = row.last().and_then(|cell| Some((cell, Tone::of_cell(cell)?)));
            match verdict.filter(|_| has_colour) {
                Some((cell, tone)) => {
                    format!("{}{}\n", line.strip_suffix(cell).unwrap_or(line), painted(cell, tone))
                }
                None => format!("{line}\n"),
            }
        };
        self.rows.iter().map(line).collect()
    }
}

/// A number with a space between thousands.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let split = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    digits
        .chars()
        .enumerate()
        .flat_map(|(i, digit)| split(i).then_some(' ').into_iter().chain([digit]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "count", "verdict"]);
        table.row(vec!["a".into(), "12".into(), "same".into()]);
        table.row(vec!["longer".into(), "1 234".into(), "differs".into()]);
        assert_eq!(table.text(1), "name    count  verdict\na          12  same\nlonger  1 234  differs\n");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1 000", "1 234 567"]);
    }
}
