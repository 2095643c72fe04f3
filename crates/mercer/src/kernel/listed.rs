//! The kernels of a space as a list shows them: `mercer kernel list`, Python's functions, the tables of the book.

use super::{Definiteness, Leaf};

/// A kernel with the defaults of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its name in a text.
    pub name: &'static str,
    /// Other names that a text may use.
    pub aliases: &'static [&'static str],
    /// Its text with the default of each parameter: `rbf(gamma=1)`.
    pub text: String,
    /// k(x, y) in one line.
    pub formula: &'static str,
    /// What else a user should know, in a few words; may be empty.
    pub remark: &'static str,
    /// What is known of its definiteness with these parameters.
    pub definiteness: Definiteness,
    /// Its parameters, in the order of the text.
    pub parameters: Vec<ListedParameter>,
}

/// A parameter of a [`Listed`] kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedParameter {
    /// Its name in a text.
    pub name: &'static str,
    /// The text of its default; none where it must be given.
    pub default: Option<String>,
    /// What values it may have, with its letter in the formula: `γ > 0`; empty where every finite number will do.
    pub domain: String,
    /// A parameter that may be given in its place, and what value that makes: `sigma`, `1/(2σ²)`.
    pub alternative: Option<(&'static str, &'static str)>,
}

/// The names of the kernels of a space, other spellings included.
pub(crate) fn names<L: Leaf>() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for Listed { name, aliases, .. } in L::list() {
        names.extend([&[name], aliases].concat());
    }
    names.dedup();
    names
}
