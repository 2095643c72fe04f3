//! Classes, and the class of each point.

use std::collections::HashMap;

use crate::error::{DataProblem, ErrorKind, Result};

/// Classes up to which some or all may have a single point.
const MANY_CLASSES: usize = 100;

/// Class names and, for each point, the number of its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    classes: Vec<String>,
    index: Vec<u32>,
}

impl Labels {
    /// Classes in the order in which they first appear (as LIBSVM numbers them).
    pub fn first_seen<S: AsRef<str>>(labels: impl IntoIterator<Item = S>) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut classes: Vec<String> = Vec::new();
        let mut index = Vec::new();
        for label in labels {
            let label = label.as_ref();
            let number = numbers.get(label).copied().unwrap_or_else(|| {
                let number = classes.len() as u32;
                classes.push(label.to_owned());
                numbers.insert(label.to_owned(), number);
                number
            });
            index.push(number);
        }
        Self { classes, index }
    }

    /// Classes and, for each point, the number of its class.
    ///
    /// # Panics
    /// If the number of a point's class is too large.
    #[must_use]
    pub fn new(classes: Vec<String>, index: Vec<u32>) -> Self {
        assert!(index.iter().all(|&class| (class as usize) < classes.len()), "every class is listed");
        Self { classes, index }
    }

    /// Reorders the classes; every point keeps its class.
    ///
    /// # Panics
    /// If `classes` is not a permutation of the present classes.
    #[must_use]
    pub fn reordered(self, classes: Vec<String>) -> Self {
        assert_eq!(classes.len(), self.classes.len(), "a permutation has the same length");
        let place = |name: &String| {
            classes.iter().position(|c| c == name).expect("a permutation holds every class") as u32
        };
        let to: Vec<u32> = self.classes.iter().map(place).collect();
        Self { index: self.index.iter().map(|&c| to[c as usize]).collect(), classes }
    }

    /// Reorders the classes as LIBSVM does: in the order in which they first appear, but if the classes are −1 and 1, the
    /// class 1 comes first.
    #[must_use]
    pub fn libsvm_order(self) -> Self {
        if self.classes == ["-1", "1"] { self.reordered(vec!["1".to_owned(), "-1".to_owned()]) } else { self }
    }

    /// The labels of the points at `index`. Only classes that occur among them are kept, in their present order.
    #[must_use]
    pub fn select(&self, index: &[usize]) -> Self {
        let mut number = vec![u32::MAX; self.classes.len()];
        index.iter().for_each(|&i| number[self.index[i] as usize] = 0);
        let occurs: Vec<usize> = (0..number.len()).filter(|&class| number[class] == 0).collect();
        occurs.iter().enumerate().for_each(|(new, &class)| number[class] = new as u32);
        Self {
            classes: occurs.iter().map(|&class| self.classes[class].clone()).collect(),
            index: index.iter().map(|&i| number[self.index[i] as usize]).collect(),
        }
    }

    /// Class names, in order.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// For each point, the number of its class.
    #[must_use]
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Class name of point `i`.
    #[must_use]
    pub fn name(&self, i: usize) -> &str {
        &self.classes[self.index[i] as usize]
    }

    fn empty_class(&self) -> Option<&str> {
        let mut seen = vec![false; self.classes.len()];
        self.index.iter().for_each(|&class| seen[class as usize] = true);
        seen.iter().position(|seen| !seen).map(|class| self.classes[class].as_str())
    }

    /// Refuses a data set that no classifier can be fitted to.
    ///
    /// # Errors
    /// If there are no points, another number of labels than points, fewer than two classes, one without points, or more than
    /// 100 with fewer than two points each, as they come from labels that are no classes.
    pub fn check(&self, points: usize) -> Result<()> {
        let problem = if points == 0 {
            DataProblem::Empty
        } else if points != self.len() {
            DataProblem::Lengths { points, labels: self.len() }
        } else if let [class] = self.classes.as_slice() {
            DataProblem::OneClass(class.as_str().into())
        } else if let Some(class) = self.empty_class() {
            DataProblem::EmptyClass(class.into())
        } else if self.classes.len() > MANY_CLASSES && points < 2 * self.classes.len() {
            DataProblem::ManyClasses { points, classes: self.classes.len() }
        } else {
            return Ok(());
        };
        Err(ErrorKind::Data(problem).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_come_in_the_order_first_seen() {
        let labels = Labels::first_seen(["b", "a", "b", "c"]);
        assert_eq!(labels.classes(), ["b", "a", "c"]);
        assert_eq!(labels.index(), [0, 1, 0, 2]);
        let sorted = labels.reordered(vec!["a".into(), "b".into(), "c".into()]);
        assert_eq!(sorted.index(), [1, 0, 1, 2]);
        assert_eq!(sorted.name(3), "c");
    }

    #[test]
    fn one_comes_before_minus_one_and_nothing_else_moves() {
        let labels = Labels::first_seen(["-1", "1", "-1"]).libsvm_order();
        assert_eq!((labels.classes(), labels.index()), (&["1".into(), "-1".into()][..], &[1, 0, 1][..]));
        assert_eq!(Labels::first_seen(["2", "1"]).libsvm_order().classes(), ["2", "1"]);
        assert_eq!(Labels::first_seen(["-1", "1", "0"]).libsvm_order().classes(), ["-1", "1", "0"]);
    }

    #[test]
    fn a_class_without_points_is_refused_by_name() {
        let error = Labels::new(vec!["a".into(), "b".into(), "c".into()], vec![0, 2]).check(2).unwrap_err();
        assert_eq!(error.to_string(), "class 'b' has no points");
    }

    #[test]
    fn labels_that_are_no_classes_are_refused() {
        let labels =
            |rows: usize, a_class: usize| Labels::first_seen((0..rows).map(|i| format!("{}.5", i / a_class)));
        let error = labels(150, 1).check(150).unwrap_err().to_string();
        assert!(
            error.starts_with("150 classes of 150 points: fewer than two a class; if the labels are numbers"),
            "{error}"
        );
        assert!(labels(100, 1).check(100).is_ok() && labels(300, 2).check(300).is_ok());
        assert!(labels(299, 2).check(299).is_err());
    }

    #[test]
    fn one_class_is_refused_by_name() {
        let error = Labels::first_seen(["7", "7"]).check(2).unwrap_err();
        assert_eq!(error.to_string(), "only one class, '7'; at least two are needed");
    }
}
