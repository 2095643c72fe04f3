//! How the columns of a table become features, words included.
//!
//! A column whose cells are all numbers is one feature. A column with words is one-hot encoded: one feature per
//! category, in sorted order, 1 where the cell is that category and 0 elsewhere. A category that did not occur when the
//! encoding was made gives 0 in all features of the column.

use serde::{Deserialize, Serialize};

/// The feature columns of a table, in order, and the column of its label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoding {
    /// The columns that become features.
    pub columns: Vec<Column>,
    /// Whether the names come from a header. Columns of another file are then found by name, else by position.
    pub named: bool,
    /// The name of the label's column, if there was a header.
    pub label_name: Option<String>,
    /// The position of the label's column, from 1.
    pub label_number: Option<usize>,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the header, else its position in the file, from 1.
    pub name: String,
    /// Its categories in sorted order; `None` for a column of numbers.
    pub categories: Option<Vec<String>>,
}

impl Column {
    /// How many features this column becomes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.categories.as_ref().map_or(1, Vec::len)
    }
}

impl Encoding {
    /// How many features a row becomes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.iter().map(Column::width).sum()
    }

    /// The positions of the columns in the file, from 0, where there was no header.
    pub(crate) fn positions(&self) -> Option<Vec<usize>> {
        let position = |column: &Column| column.name.parse::<usize>().ok()?.checked_sub(1);
        if self.named { None } else { self.columns.iter().map(position).collect() }
    }

    /// Names of the features: the name of a column of numbers, else `column=category`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.width());
        for Column { name, categories } in &self.columns {
            match categories {
                None => names.push(name.clone()),
                Some(categories) => {
                    names.extend(categories.iter().map(|category| format!("{name}={category}")))
                }
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_named_after_their_column() {
        let column = |name: &str, categories: Option<&[&str]>| Column {
            name: name.into(),
            categories: categories.map(|list| list.iter().map(|&c| c.into()).collect()),
        };
        let encoding = Encoding {
            columns: vec![column("age", None), column("colour", Some(&["blue", "red"]))],
            named: true,
            ..Encoding::default()
        };
        assert_eq!(encoding.names(), ["age", "colour=blue", "colour=red"]);
        assert_eq!(encoding.width(), 3);
        let text = serde_json::to_string(&encoding).unwrap();
        assert_eq!(serde_json::from_str::<Encoding>(&text).unwrap(), encoding);
    }
}
