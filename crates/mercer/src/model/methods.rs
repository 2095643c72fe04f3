//! The table of methods: the one list of them that every door goes through.

use super::method::Method;
use super::space::Space;
use super::{online, relevance, spectral, svm};

pub(super) fn all<X: Space>() -> Vec<Method<X>> {
    [svm::methods(), spectral::methods(), relevance::methods(), vec![online::method()]]
        .into_iter()
        .flatten()
        .collect()
}
