//! The table of methods: the one list of them that every door goes through.

use super::method::Method;
use super::space::Space;
use super::{network, online, spectral, svm};

pub(super) fn all<X: Space>() -> Vec<Method<X>> {
    [svm::methods(), spectral::methods(), vec![online::method()], network::methods()]
        .into_iter()
        .flatten()
        .collect()
}
