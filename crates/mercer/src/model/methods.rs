//! The table of methods: the one list of them that every door goes through.

use super::method::Method;
use super::space::Space;
use super::{cluster, linear, map, network, online, relevance, spectral, svm};

pub(super) fn all<X: Space>() -> Vec<Method<X>> {
    let families = [
        svm::methods(),
        linear::methods(),
        spectral::methods(),
        relevance::methods(),
        network::methods(),
        cluster::methods(),
        vec![online::method(), map::method()],
    ];
    families.into_iter().flatten().collect()
}
