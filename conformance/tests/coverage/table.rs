//! The effect of every field: a witness or an answer, and whether it stands.

use super::answers::{Answers, Effect};
use super::fields::{Id, Span};
use super::markdown::Cell;
use super::witness::{Change, Witnesses};

/// The knowledge about the fields of a machine.
pub(super) struct Coverage<'a> {
    pub(super) witnesses: Witnesses,
    pub(super) answers: Answers,
    /// Fields of a register.
    pub(super) fields: &'a dyn Fn(Id) -> Vec<Span>,
    /// Name of a field.
    pub(super) name: &'a dyn Fn(Id, Span) -> String,
    /// The room of the code that reads a field.
    pub(super) reader: &'a dyn Fn(Id, Option<Span>) -> Option<String>,
    /// What contradicts an effect, by writing and reading the machine.
    pub(super) refuted: &'a dyn Fn(Id, Option<Span>, Effect) -> Option<String>,
}

impl Coverage<'_> {
    /// The cells of a register; fields without one are named in `wrong`.
    pub(super) fn cells(&self, id: Id, wrong: &mut Vec<String>) -> Vec<Cell> {
        let spans = (self.fields)(id);
        let all: Vec<Option<Span>> =
            if spans.is_empty() { vec![None] } else { spans.into_iter().map(Some).collect() };
        let mut cells = Vec::new();
        for span in all {
            match self.cell(id, span) {
                Ok(cell) => cells.push(cell),
                Err(why) => wrong.push(format!("{id:03x} {}: {why}", text(span))),
            }
        }
        cells
    }

    fn cell(&self, id: Id, span: Option<Span>) -> Result<Cell, String> {
        let witness = self.witnesses.get(&span.map_or(Change::Drop(id), |span| Change::Flip(id, span)));
        let answer = self.answers.of(id, span).filter(|answer| answer.is_explicit || witness.is_none());
        let name = span.map_or_else(String::new, |span| (self.name)(id, span));
        let reason = answer.map_or_else(String::new, |answer| answer.text.clone());
        let (effect, shown_by) = match (witness, answer) {
            (Some(_), Some(answer)) if answer.effect != Effect::Computes => {
                return Err(format!("{} is answered, but a result depends on it", answer.effect.text()));
            }
            (Some(place), _) => (Effect::Computes, place.text()),
            (None, Some(answer)) => {
                if let Some(what) = (self.refuted)(id, span, answer.effect) {
                    return Err(format!("{} is answered, but it {what}", answer.effect.text()));
                }
                (answer.effect, self.shown(id, answer.effect, &answer.tests)?)
            }
            (None, None) => {
                let room = (self.reader)(id, span).ok_or("has neither witness nor answer nor reader")?;
                (Effect::Computes, format!("read in `{room}`"))
            }
        };
        Ok(Cell { span, name, effect: effect.text(), shown_by, reason })
    }

    /// Tests, or the campaign that notices when all writes are left out.
    fn shown(&self, id: Id, effect: Effect, tests: &[String]) -> Result<String, String> {
        if !tests.is_empty() {
            let names = tests.iter().map(|test| format!("`{}`", test.rsplit("::").next().unwrap_or(test)));
            return Ok(names.collect::<Vec<_>>().join(" "));
        }
        match (effect, self.witnesses.get(&Change::Drop(id))) {
            (Effect::Computes, Some(place)) => Ok(place.text()),
            (Effect::Computes, None) => Err("computes without a witness or a test".into()),
            _ => Ok(String::new()),
        }
    }

    /// Answers of fields that are not there.
    pub(super) fn answers_of_nothing(&self) -> Vec<String> {
        let is_nothing = |id, span: Option<Span>| span.is_some_and(|span| !(self.fields)(id).contains(&span));
        let answers = self.answers.iter().filter(|&(id, span, _)| is_nothing(id, span));
        answers.map(|(id, span, _)| format!("{id:03x} {}: an answer of no field", text(span))).collect()
    }
}

fn text(span: Option<Span>) -> String {
    span.map_or_else(|| "-".to_owned(), |span| span.to_string())
}
