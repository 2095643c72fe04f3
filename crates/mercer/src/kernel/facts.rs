//! The facts about a kernel of any space, and all that follows from them: its text and the parsing of it, the check of its
//! parameters, the parameters that a search may move, the list of kernels.

use std::fmt;

use super::call::Call;
use super::field::{Field, one_of};
use super::{Definiteness, Listed, Slot};
use crate::error::Result;

/// What a space states of each of its kernels.
pub(crate) struct Facts<'a> {
    /// Its name in a text.
    pub(crate) name: &'static str,
    /// Other names that a text may use.
    pub(crate) aliases: &'static [&'static str],
    /// Where several kernels have one name, what tells this one apart: the name of a first argument, which may be left out,
    /// and its value.
    pub(crate) variant: Option<(&'static str, &'static str)>,
    /// k(x, y) in one line.
    pub(crate) formula: &'static str,
    /// What else a user should know, in a few words.
    pub(crate) remark: &'static str,
    /// What is known of its definiteness on all points.
    pub(crate) definiteness: Definiteness,
    /// Its parameters, in the order of the text.
    pub(crate) fields: Vec<Field<'a>>,
}

/// The kernels of a space, each of which states its facts.
pub(crate) trait Stated: Clone + 'static {
    /// Each kernel with the defaults of its parameters.
    const ALL: &'static [Self];

    /// The facts; the fields borrow the parameters.
    fn facts(&mut self) -> Facts<'_>;
}

impl Facts<'_> {
    /// The argument of a call that may be given without its name: the variant, or the only parameter but for those that a
    /// text leaves out by default, or a first one that must be given.
    fn bare(&self) -> Option<&'static str> {
        let first = match &self.fields[..] {
            [first, others @ ..] if others.iter().all(Field::is_quiet) || first.is_required() => {
                Some(first.name)
            }
            _ => None,
        };
        self.variant.map(|(key, _)| key).or(first)
    }

    /// Takes the values of the parameters from a call and checks them.
    fn read(&mut self, call: &Call<'_>) -> Result<()> {
        let (key, bare) = (self.variant.map(|(key, _)| key), self.bare());
        let names: Vec<_> = key.into_iter().chain(self.fields.iter().flat_map(Field::names)).collect();
        call.accept(&names, bare)?;
        self.fields.iter_mut().try_for_each(|field| field.read(call, bare))?;
        self.fields.iter().try_for_each(Field::check).map_err(|error| call.locate(error))
    }
}

/// The kernel that a call means, its parameters checked; none where no kernel has that name. Errors have the column.
pub(crate) fn parse<K: Stated>(call: &Call<'_>) -> Option<Result<K>> {
    let of_that_name = |kernel: &&K| {
        let mut kernel = (*kernel).clone();
        let Facts { name, aliases, .. } = kernel.facts();
        name == call.name || aliases.contains(&call.name)
    };
    let mut kernels: Vec<K> = K::ALL.iter().filter(of_that_name).cloned().collect();
    if kernels.is_empty() {
        return None;
    }
    let chosen = choose(call, &mut kernels).map(|chosen| kernels.swap_remove(chosen));
    Some(chosen.and_then(|mut kernel| {
        kernel.facts().read(call)?;
        Ok(kernel)
    }))
}

/// The position of the kernel that a call means among those of its name.
fn choose<K: Stated>(call: &Call<'_>, kernels: &mut [K]) -> Result<usize> {
    let variants: Vec<_> = kernels.iter_mut().filter_map(|kernel| kernel.facts().variant).collect();
    let Some(&(key, _)) = variants.first() else { return Ok(0) };
    let places: Vec<(&str, usize)> = variants.iter().zip(0..).map(|((_, value), at)| (*value, at)).collect();
    let names: Vec<&str> = variants.iter().map(|(_, value)| *value).collect();
    let missing = || call.fail(call.at, format!("{} needs a {key}: {}", call.name, one_of(&names)));
    call.choice(call.argument(key, Some(key)).ok_or_else(missing)?, key, &places)
}

/// Writes `name(variant, parameter=value, …)`.
pub(crate) fn write<K: Stated>(kernel: &K, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut kernel = kernel.clone();
    let Facts { name, variant, fields, .. } = kernel.facts();
    let variant = variant.map(|(_, value)| value.to_owned());
    let shown = fields.iter().filter(|field| !field.is_left_out());
    let fields = shown.map(|field| format!("{}={}", field.name, field.value));
    let arguments: Vec<String> = variant.into_iter().chain(fields).collect();
    if arguments.is_empty() { f.write_str(name) } else { write!(f, "{name}({})", arguments.join(", ")) }
}

/// Checks every parameter; the first outside its domain is the error.
pub(crate) fn check<K: Stated>(kernel: &K) -> Result<()> {
    kernel.clone().facts().fields.iter().try_for_each(Field::check)
}

/// Shows the parameters that a search may move, under the name of the kernel.
pub(crate) fn visit<K: Stated>(kernel: &mut K, visit: &mut dyn FnMut(Slot<'_>)) {
    let Facts { name, fields, .. } = kernel.facts();
    fields.into_iter().for_each(|field| field.visit(&mut |slot| visit(slot.under(name))));
}

/// Each kernel as a list shows it.
pub(crate) fn list<K: Stated + fmt::Display>() -> Vec<Listed> {
    let listed = |kernel: &K| {
        let (text, mut kernel) = (kernel.to_string(), kernel.clone());
        let Facts { name, aliases, formula, remark, definiteness, fields, .. } = kernel.facts();
        let parameters = fields.iter().map(Field::listed).collect();
        Listed { name, aliases, text, formula, remark, definiteness, parameters }
    };
    K::ALL.iter().map(listed).collect()
}
