//! Sets of labels: a point may have several labels, or none.

use std::collections::HashMap;

use super::number::{self, lossy};
use super::{Labels, number_text};
use crate::error::ParseProblem;

/// Label names and, for each point, the numbers of its labels, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSets {
    names: Vec<String>,
    sets: Vec<Vec<u32>>,
}

impl LabelSets {
    /// Parses texts such as `2,5`, the form of LIBSVM's files with several labels; an empty text is a point without
    /// labels. If all names are numbers they are sorted as numbers, else alphabetically; different spellings of a number
    /// (`1`, `+1`, `1.0`) are one name.
    pub fn split<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let texts: Vec<Vec<String>> = texts.into_iter().map(|text| parts(text.as_ref())).collect();
        let mut names: Vec<String> = texts.iter().flatten().cloned().collect();
        names.sort_unstable();
        names.dedup();
        let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let mut order: Vec<usize> = (0..names.len()).collect();
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
            names = order.into_iter().map(|i| names[i].clone()).collect();
        }
        let number: HashMap<&String, u32> = names.iter().zip(0..).collect();
        let set = |labels: &Vec<String>| {
            let mut set: Vec<u32> = labels.iter().map(|label| number[label]).collect();
            set.sort_unstable();
            set.dedup();
            set
        };
        let sets = texts.iter().map(set).collect();
        Self { sets, names }
    }

    /// Parses the class names of `labels` as sets, see [`LabelSets::split`].
    #[must_use]
    pub fn of(labels: &Labels) -> Self {
        Self::split((0..labels.len()).map(|i| labels.name(i)))
    }

    /// Sets over given names.
    ///
    /// # Panics
    /// If a number in a set is not that of a name, or the numbers of a set do not ascend.
    #[must_use]
    pub fn new(names: Vec<String>, sets: Vec<Vec<u32>>) -> Self {
        let sound = |set: &Vec<u32>| {
            set.windows(2).all(|pair| pair[0] < pair[1])
                && set.last().is_none_or(|&i| (i as usize) < names.len())
        };
        assert!(sets.iter().all(sound), "sets ascend and every label is listed");
        Self { names, sets }
    }

    /// These sets over other names; labels whose name is not among `names` are left out.
    #[must_use]
    pub fn over(&self, names: &[String]) -> Self {
        let number =
            |&i: &u32| names.iter().position(|name| *name == self.names[i as usize]).map(|i| i as u32);
        let set = |set: &Vec<u32>| {
            let mut set: Vec<u32> = set.iter().filter_map(number).collect();
            set.sort_unstable();
            set
        };
        Self { names: names.to_vec(), sets: self.sets.iter().map(set).collect() }
    }

    /// The sets of the points at `index`, over the same names.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        Self { names: self.names.clone(), sets: index.iter().map(|&i| self.sets[i].clone()).collect() }
    }

    /// The label names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// For each point, the numbers of its labels, ascending.
    #[must_use]
    pub fn sets(&self) -> &[Vec<u32>] {
        &self.sets
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// For each point, whether it has label number `label`.
    #[must_use]
    pub fn members(&self, label: usize) -> Vec<bool> {
        self.sets.iter().map(|set| set.binary_search(&(label as u32)).is_ok()).collect()
    }

    /// The labels of point `i` as a text such as `2,5`.
    #[must_use]
    pub fn text(&self, i: usize) -> String {
        let names: Vec<&str> =
            self.sets[i].iter().map(|&label| self.names[label as usize].as_str()).collect();
        names.join(",")
    }
}

fn parts(text: &str) -> Vec<String> {
    let name = |part: &str| number::whole(part.as_bytes()).map_or_else(|_| part.to_owned(), number_text);
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(name).collect()
}

/// The labels in the first word of a LIBSVM row: none if it has a colon, because it is then the first entry of the row.
///
/// # Errors
/// The byte and what is wrong there, if a name is empty.
pub(crate) fn word(word: &[u8]) -> Result<&[u8], (usize, ParseProblem)> {
    if word.contains(&b':') {
        return Ok(&[]);
    }
    let mut column = 0;
    for part in word.split(|&byte| byte == b',') {
        if part.is_empty() {
            let words = format!("an empty name among the labels '{}'", lossy(word));
            return Err((column, ParseProblem::Other(words.into())));
        }
        column += part.len() + 1;
    }
    Ok(word)
}

/// How well predicted sets of labels agree with the true sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The share of all decisions, one for each point and label, that are wrong.
    pub hamming_loss: f64,
    /// The share of points whose whole set is right.
    pub subset_accuracy: f64,
    /// F₁ = 2tp/(2tp + fp + fn) over all decisions together.
    pub micro_f1: f64,
    /// The mean over the labels of their F₁; 0 for a label that no point has and no point is predicted to have.
    pub macro_f1: f64,
}

impl Agreement {
    /// Compares sets over the same names.
    ///
    /// # Panics
    /// If the names or the numbers of points differ.
    #[must_use]
    pub fn new(truth: &LabelSets, found: &LabelSets) -> Self {
        assert_eq!((truth.names(), truth.len()), (found.names(), found.len()), "the same names and points");
        let (points, labels) = (truth.len(), truth.names().len());
        let f1 = |[right, wrong]: [usize; 2]| {
            if right + wrong == 0 { 0.0 } else { 2.0 * right as f64 / (2 * right + wrong) as f64 }
        };
        let counts: Vec<[usize; 2]> = (0..labels)
            .map(|label| {
                let (a, b) = (truth.members(label), found.members(label));
                let count =
                    |what: fn(bool, bool) -> bool| a.iter().zip(&b).filter(|(a, b)| what(**a, **b)).count();
                [count(|a, b| a && b), count(|a, b| a != b)]
            })
            .collect();
        let total = counts.iter().fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]]);
        let same = truth.sets().iter().zip(found.sets()).filter(|(a, b)| a == b).count();
        let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
        Self {
            hamming_loss: share(total[1], points * labels),
            subset_accuracy: share(same, points),
            micro_f1: f1(total),
            macro_f1: counts.iter().map(|&count| f1(count)).sum::<f64>() / labels.max(1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_sets_in_the_order_of_numbers() {
        let sets = LabelSets::split(["10,2", "", "2", " 9 , 2,2"]);
        assert_eq!(sets.names(), ["2", "9", "10"]);
        assert_eq!(sets.sets(), [vec![0, 2], vec![], vec![0], vec![0, 1]]);
        assert_eq!((sets.text(0), sets.text(1)), ("2,10".to_owned(), String::new()));
        assert_eq!(sets.members(0), [true, false, true, true]);
        assert_eq!(LabelSets::split(["b,a"]).names(), ["a", "b"]);
        assert_eq!(LabelSets::split(["+1,2.0", "1"]).sets(), [vec![0, 1], vec![0]]);
        let other = sets.over(&["9".to_owned(), "2".to_owned()]);
        assert_eq!(other.sets(), [vec![1], vec![], vec![1], vec![0, 1]]);
    }

    #[test]
    fn agreement_by_hand() {
        let truth = LabelSets::split(["1,2", "2", "3", ""]);
        let found = LabelSets::split(["1", "2,3", "3", ""]).over(truth.names());
        let agreement = Agreement::new(&truth, &found);
        // Wrong: point 1 misses 2, point 2 has 3 too many; 12 decisions. Right: 1, 2, 3 once each.
        assert_eq!(agreement.hamming_loss, 2.0 / 12.0);
        assert_eq!(agreement.subset_accuracy, 0.5);
        assert_eq!(agreement.micro_f1, 6.0 / 8.0);
        assert!((agreement.macro_f1 - (1.0 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
    }
}
