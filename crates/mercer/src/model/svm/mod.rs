//! Support vector machines: estimators whose models are solutions of quadratic programmes.

pub(super) mod class_weights;
pub(super) mod function;
mod local;
mod multilabel;
mod nu_svc;
mod one_class;
mod one_vs_all;
mod pairs;
mod scores;
mod svc;
mod svdd;
mod svr;
mod together;
mod vote;

pub use function::{Function, Role};
pub use local::{Cell, Local, LocalModel};
pub use multilabel::{MultiLabel, MultiLabelModel};
pub use nu_svc::NuSvc;
pub(super) use nu_svc::largest_nu;
pub use one_class::OneClass;
pub use one_vs_all::OneVsAll;
pub use scores::ScoreModel;
pub use svc::{Slack, Svc, SvcModel};
pub use svdd::{Outside, Svdd, SvddModel};
pub use svr::{Svr, Zone};
pub use together::Together;
pub use vote::{VoteRule, pairs, vote};

use super::method::Method;
use super::setting::solved_by_smo;
use super::space::Space;
use class_weights::priced_by_class;

solved_by_smo!(Svc, NuSvc, Svr, OneClass, Svdd, OneVsAll, Together, MultiLabel);
priced_by_class!(Svc, NuSvc, OneVsAll, Together);

pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    let [crammer_singer, weston_watkins, softmax] = together::methods();
    vec![
        svc::method(),
        nu_svc::method(),
        svr::method(),
        svr::nu_method(),
        one_class::method(),
        svdd::method(),
        one_vs_all::method(),
        crammer_singer,
        weston_watkins,
        softmax,
        multilabel::method(),
        local::method(),
    ]
}
