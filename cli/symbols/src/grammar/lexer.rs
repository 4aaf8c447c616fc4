//! The lexers of grammars, as tables.
//!
//! For C, tree-sitter writes a lexer as a function with one `case` per state. Compiled, these functions would be the largest
//! part of a grammar that cannot be compressed.

use super::packed::Numbers;

/// Where a state goes: 0 if the character does not belong to the token. Otherwise one more than twice the number of the next
/// state, plus 1 if the character is skipped.
pub type Step = u16;

/// Number of characters that have a step in each state.
pub const ASCII: usize = 128;

/// A way to divide the characters after ASCII into classes: the first character of each run, and the class of the run.
type Division = Vec<(u32, u16)>;

/// A deterministic automaton.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lexer {
    states: Vec<State>,
    divisions: Vec<Division>,
}

/// One state of a lexer.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    /// One more than the symbol of the token that ends here, 0 if none does.
    pub accepts: u16,
    pub at_end: Step,
    /// For a byte that is not UTF-8.
    pub at_invalid: Step,
    pub ascii: Box<[Step; ASCII]>,
    /// Which division applies.
    pub division: u16,
    /// The step for each of its classes.
    pub classes: Vec<Step>,
}

impl Lexer {
    #[cfg(test)]
    pub fn new(states: Vec<State>, divisions: Vec<Division>) -> Self {
        Self { states, divisions }
    }

    #[cfg(test)]
    pub fn parts(&self) -> (&[State], &[Division]) {
        (&self.states, &self.divisions)
    }

    pub fn read(from: &mut Numbers<'_>) -> Option<Self> {
        let mut divisions = Vec::new();
        for _ in 0..from.next()? {
            let mut runs = Vec::new();
            for _ in 0..from.next()? {
                runs.push((from.long()?, from.next()?));
            }
            divisions.push(runs);
        }
        let mut states = Vec::new();
        for _ in 0..from.next()? {
            let (accepts, at_end, at_invalid) = (from.next()?, from.next()?, from.next()?);
            let mut ascii = Box::new([0; ASCII]);
            for _ in 0..from.next()? {
                let (first, step) = (usize::from(from.next()?), from.next()?);
                ascii.get_mut(first..)?.fill(step);
            }
            let division = from.next()?;
            let classes = from.list()?;
            let division_exists = usize::from(division) < divisions.len();
            division_exists.then_some(())?;
            states.push(State { accepts, at_end, at_invalid, ascii, division, classes });
        }
        Some(Self { states, divisions })
    }

    pub fn state(&self, number: u16) -> Option<&State> {
        self.states.get(usize::from(number))
    }

    /// The step for a character after ASCII.
    pub fn beyond_ascii(&self, state: &State, character: u32) -> Step {
        let runs = self.divisions.get(usize::from(state.division)).map_or(&[][..], Vec::as_slice);
        let before = runs.partition_point(|(first, _)| *first <= character);
        let class =
            before.checked_sub(1).and_then(|place| runs.get(place)).map(|(_, class)| usize::from(*class));
        class.and_then(|class| state.classes.get(class)).copied().unwrap_or(0)
    }
}
