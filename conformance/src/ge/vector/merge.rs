//! Inheritance: cases take defaults from their group and file.

use super::Case;

impl Case {
    /// This case with the defaults of its group or file. Expectations are a case's own.
    #[must_use]
    pub fn on(&self, shared: &Self) -> Self {
        let mut case = self.clone();
        for (name, words) in &shared.state {
            case.state.entry(name.clone()).or_insert_with(|| words.clone());
        }
        case.memory.splice(0..0, shared.memory.iter().cloned());
        case.list = case.list.or_else(|| shared.list.clone());
        case.vertices = case.vertices.or_else(|| shared.vertices.clone());
        case.indices = case.indices.or_else(|| shared.indices.clone());
        case.translation = case.translation.or(shared.translation);
        case.stops = case.stops.or_else(|| shared.stops.clone());
        case
    }

    /// Number of facts that the case states: pixels, registers and the like.
    #[must_use]
    pub fn vectors(&self) -> usize {
        let pictures = usize::from(self.picture.is_some());
        let registers = self.registers.len() + self.at_stops.iter().map(|stop| stop.len()).sum::<usize>();
        self.after.len() + registers + self.bytes.len() + self.lit.len() + pictures
    }
}
