//! Kernel k-means: clusters whose points are near their mean in feature space.
//!
//! The inertia Σ wᵢ ‖φ(xᵢ) − m_c(i)‖² is made small by Lloyd's iteration: each point goes to its nearest centre, each centre
//! to the mean m_c = Σ_{j∈c} wⱼφ(xⱼ)/s_c of its points, s_c = Σ_{j∈c} wⱼ. Distances need inner products alone (Dhillon, Guan
//! and Kulis 2004):
//!
//! ‖φ(x) − m_c‖² = k(x, x) − 2 Σ_{j∈c} wⱼk(x, xⱼ)/s_c + Σ_{j,l∈c} wⱼwₗk(xⱼ, xₗ)/s_c².
//!
//! So a model is an expansion with an output f_c(x) = ⟨φ(x), m_c⟩ − ½‖m_c‖² for each cluster, of which the largest is that of
//! the nearest centre. For a kernel that is positive semi-definite the inertia falls in every iteration until no point moves;
//! for another one a run ends as soon as it does not fall.
//!
//! A point of weight w counts as w copies of it. The normalised cut of a graph with affinities A and degrees D is the case w
//! = d, K = D⁻¹AD⁻¹ + σD⁻¹, with any σ that makes K semi-definite: the inertia is then σ(n − k) − k + Σ Aᵢᵢ/dᵢ more than the
//! normalised cut Σ_c cut(c)/d(c), with d(c) the sum of the degrees of c and cut(c) that of its affinities with other
//! clusters.
//!
//! A cluster that loses its last point takes the point farthest from its centre. There are fewer clusters than asked for only
//! if the kernel tells fewer points apart.
//!
//! Cost: the Gram once, in single precision where there is room for it (in double precision up to 2,048 points), else its
//! rows each time they are needed; for each run n² additions, then n for each point that moves.
//!
//! ```
//! use mercer::data::Vectors;
//! use mercer::kernel::rbf;
//! use mercer::model::KMeans;
//!
//! let x = Vectors::dense(1, vec![-2.0, 5.0, -1.9, 0.1, 5.2, 0.0]);
//! let model = KMeans::new(rbf(0.5)).clusters(3).fit(&x)?;
//! let labels = &model.labels;
//! assert!(labels[0] == labels[2] && labels[1] == labels[4] && labels[3] == labels[5]);
//! assert_eq!(model.predict_index(&Vectors::dense(1, vec![4.0]))?, [labels[1]]);
//! # Ok::<(), mercer::Error>(())
//! ```

use super::gap::MOST_REFERENCES;
use super::{CLUSTERS, Ended, ITERATIONS, RESTARTS, check_clusters, check_parts, names};
use crate::kernel::Definiteness;
use crate::model::prelude::*;
use crate::solve::cluster::{self, Clustering, Kernelised, Lloyd, Watch, silhouette};

use crate::solve::cluster::Seeding;

/// The largest number of clusters on the gap curve where nothing is said.
const MOST: usize = 10;

/// The sets of points that the gap curve compares with where nothing is said.
const REFERENCES: usize = 10;

/// Points up to which the silhouette is computed, from all distances.
const SILHOUETTE: usize = 4096;

words!(Seeding: Seeding::PlusPlus = "plus-plus", Seeding::Random = "random");

/// How many clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clusters {
    /// So many, at least 1.
    Number(usize),
    /// As many as the [gap curve](KMeans::gap) chooses.
    Auto,
}

impl From<usize> for Clusters {
    fn from(clusters: usize) -> Self {
        Self::Number(clusters)
    }
}

/// Where a run begins: a cluster for each point, or a point for each cluster, by their numbers from 0. Empty where starts are
/// drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Initial(pub Vec<usize>);

impl From<Vec<usize>> for Initial {
    fn from(numbers: Vec<usize>) -> Self {
        Self(numbers)
    }
}

settable! {
    Clusters: Numbers, |clusters| match clusters {
        Self::Number(clusters) => clusters.value(),
        Self::Auto => Value::Word("auto".to_owned()),
    }, |value| match value {
        Value::Word(word) if word == "auto" => Some(Self::Auto),
        other => usize::of(other).map(Self::Number),
    };
    Initial: Numbers, |initial| match initial.0.is_empty() {
        true => Value::Absent,
        false => Value::Numbers(initial.0.iter().map(|&number| number as f64).collect()),
    }, |value| match value {
        Value::Absent => Some(Self::default()),
        Value::Numbers(numbers) => {
            let whole = numbers.iter().map(|&number| usize::of(&Value::Number(number)));
            whole.collect::<Option<_>>().map(Self)
        }
        other => usize::of(other).map(|number| Self(vec![number])),
    };
}

/// Kernel k-means and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans<K> {
    /// k
    pub kernel: K,
    /// How many clusters, or that the gap curve chooses.
    pub clusters: Clusters,
    /// The largest number of clusters on the gap curve, where that chooses.
    pub most: usize,
    /// The sets of points without clusters that the gap curve compares with.
    pub references: usize,
    /// Runs from different starts, of which the one of least inertia is taken.
    pub restarts: usize,
    /// How the first centres are drawn.
    pub start: Seeding,
    /// Where a single run begins in place of that.
    pub initial: Initial,
    /// Most iterations of a run.
    pub max_iterations: usize,
    /// Points in a batch, of a method that looks at a batch at a time; none for exact iterations.
    pub batch: Option<usize>,
    /// What starts and batches are drawn by.
    pub seed: u64,
}

settings! { KMeans<K>:
    clusters: Clusters | into, "clusters", "1 or more, or auto: by the gap curve", "number of clusters";
    most: usize, "most-clusters", "1 or more", "largest number of clusters on the gap curve, for clusters = auto";
    references: usize, "references", "1 to 1000000", "sets of points without clusters that the gap curve compares with";
    restarts: usize, "restarts", "1 or more", "runs from different starts, of which the best is taken";
    start: Seeding, "start", "plus-plus or random", "way in which the first centres are drawn";
    initial: Initial | into, "initial", "a cluster for each point or a point for each cluster", "start of a single run; drawn where left open";
    max_iterations: usize, "max-iterations", "1 or more", "most iterations of a run";
    batch: Option<usize> | into, "batch", "1 or more", "points looked at in one step, for many points; all of them where left open";
    seed: u64, "seed", "a whole number", "seed by which starts and batches are drawn";
    /// Finds clusters. Where the watch of a job ends the fit, they are the best so far.
    fit() -> KMeansModel;
}

impl<K> KMeans<K> {
    /// Eight clusters, the best of ten runs of at most 300 iterations each, all points at a time.
    pub fn new(kernel: K) -> Self {
        Self {
            kernel,
            clusters: CLUSTERS.into(),
            most: MOST,
            references: REFERENCES,
            restarts: RESTARTS,
            start: Seeding::PlusPlus,
            initial: Initial::default(),
            max_iterations: ITERATIONS,
            batch: None,
            seed: 0,
        }
    }

    /// The iteration that these settings mean, for so many clusters.
    pub(super) fn lloyd(&self, clusters: usize, definite: bool) -> Lloyd {
        Lloyd {
            clusters,
            restarts: self.restarts,
            start: self.start,
            iterations: self.max_iterations,
            seed: self.seed,
            definite,
        }
    }

    /// A run from what is given, or the best of several.
    fn run<X: Points>(
        &self,
        lloyd: &Lloyd,
        geometry: &Kernelised<'_>,
        own: &Weighted<X>,
        points: usize,
        watch: Watch<'_>,
    ) -> Result<Clustering> {
        let (given, positions) = (&self.initial.0, own.all_positions());
        let refused = |number: usize, rule| {
            Err(ErrorKind::Parameter { name: "initial", value: number as f64, rule }.into())
        };
        match given.len() {
            0 => Ok(lloyd.run(geometry, &own.weights, watch)),
            count if count == points => {
                if let Some(&number) = given.iter().find(|&&number| number >= lloyd.clusters) {
                    return refused(number, "must be the number of a cluster, below that of clusters");
                }
                let labels = positions.iter().map(|&i| given[i]).collect();
                Ok(lloyd.run_from(geometry, &own.weights, labels, watch))
            }
            count if count == lloyd.clusters => {
                let place = |&i: &usize| positions.binary_search(&i).map_err(|_| i);
                match given.iter().map(place).collect::<Result<Vec<_>, _>>() {
                    Ok(centres) => Ok(lloyd.run_from_points(geometry, &own.weights, &centres, watch)),
                    Err(number) => refused(number, "must be the number of a point of positive weight"),
                }
            }
            count => refused(count, "must be a list of as many numbers as points, or as clusters"),
        }
    }
}

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for KMeans<K> {
    type Target = ();
    type Model = KMeansModel<X, K>;

    fn check(&self) -> Result<()> {
        let given = match self.clusters {
            Clusters::Number(clusters) => clusters,
            Clusters::Auto if self.initial.0.is_empty() => 1,
            Clusters::Auto => {
                let (value, rule) = ("auto".into(), "a number where a start is given");
                return Err(ErrorKind::Setting { name: "clusters", value, rule }.into());
            }
        };
        let counts = [
            ("clusters", given),
            ("most-clusters", self.most),
            ("restarts", self.restarts),
            ("max-iterations", self.max_iterations),
        ];
        for (name, count) in counts {
            check(name, count as f64, count > 0, "must be at least 1")?;
        }
        let sound = (1..=MOST_REFERENCES).contains(&self.references);
        check("references", self.references as f64, sound, "must be from 1 to 1000000")?;
        let batch = self.batch.unwrap_or(1);
        check("batch", batch as f64, batch > 0, "must be at least 1")?;
        let both = self.batch.is_some() && !self.initial.0.is_empty();
        check("batch", batch as f64, !both, "must be left open where a start is given")
    }

    /// Finds clusters. Where the gap curve chooses their number, the job's findings have it as `gap`.
    fn fit_in(&self, x: &X, (): &(), job: &mut Job<'_, X>) -> Result<KMeansModel<X, K>> {
        Estimator::<X>::check(self)?;
        let own = Weighted::new(x, job.weights)?;
        own.check_scale()?;
        let n = own.points.len();
        let clusters = match self.clusters {
            Clusters::Number(clusters) => clusters,
            Clusters::Auto => match self.gap_in(x, 1..=self.most.min(n), self.references, job) {
                Ok(curve) => {
                    job.found.add("gap", curve.facts());
                    curve.chosen()
                }
                // Points that are all the same are one cluster.
                Err(error) if matches!(error.kind(), ErrorKind::Data(DataProblem::NoVariance)) => 1,
                Err(error) => return Err(error),
            },
        };
        check_clusters(clusters, n)?;
        let kernel = own.kernel(&self.kernel, job)?;
        let gram = own.gram(&kernel, job)?;
        let lloyd = self.lloyd(clusters, self.kernel.definiteness() == Definiteness::Psd);
        // Values are held in the better precision that there is room for, or not at all.
        let values = (n as u64).pow(2);
        let fits = |bytes: &u64| room("the Gram matrix", *bytes, job.memory, "").is_ok();
        let bytes = [8 * values, 4 * values].into_iter().find(fits).unwrap_or(0);
        let mut stages = job.stages();
        let found = if let Some(batch) = self.batch {
            let mut plan = Plan::new(&mut stages, &[("batches", 1.0)]);
            let mut watch = plan.stage(0);
            (cluster::mini_batch(&lloyd, &*gram, &own.weights, batch.min(n), &mut watch), None)
        } else {
            let costs = [60.0 + 2.0 * own.points.width() as f64, 2.0 * self.restarts as f64];
            let mut plan = Plan::new(&mut stages, &[("kernel values", costs[0]), ("clusters", costs[1])]);
            let geometry = Kernelised::new(&*gram, bytes, &mut plan.stage(0));
            let geometry = geometry.map_err(|error| own.error(error))?;
            let found = self.run(&lloyd, &geometry, &own, x.len(), &mut plan.stage(1))?;
            let exact = geometry.is_held() && n <= SILHOUETTE;
            let silhouette = exact.then(|| silhouette(&geometry, &own.weights, &found.labels, &found.sizes));
            (found, silhouette)
        };
        if !found.0.inertia.is_finite() {
            return Err(own.error(cluster::not_finite(&*gram)));
        }
        Ok(KMeansModel::new(kernel.clone(), &own, found))
    }
}

/// Clusters with their centres.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansModel<X, K> {
    /// f_c(x) = ⟨φ(x), m_c⟩ − ½‖m_c‖² for each cluster: each point enters the output of its own cluster.
    pub expansion: Expansion<X, K>,
    /// The names of the clusters: their numbers from 0.
    pub classes: Vec<String>,
    /// Positions of the points of the centres in the training data, from 0, cluster after cluster.
    pub support: Vec<usize>,
    /// The cluster of each training point of positive weight, in the order of the data.
    pub labels: Vec<usize>,
    /// The weight of each cluster.
    pub sizes: Vec<f64>,
    /// The mean silhouette in feature space, where there are no more than 4,096 points.
    pub silhouette: Option<f64>,
    /// The same with distances from centres in place of mean distances from points: the mean of (b − a)/max(a, b), a being the
    /// distance from the nearest centre and b that from the next.
    pub simplified_silhouette: f64,
    ended: Ended,
}

impl<X: Points, K: Kernel<X>> KMeansModel<X, K> {
    fn new(kernel: K, own: &Weighted<X>, (found, silhouette): (Clustering, Option<f64>)) -> Self {
        let points: Vec<usize> = found.centres.iter().flatten().map(|&(i, _)| i).collect();
        let members: Vec<usize> = found.centres.iter().map(Vec::len).collect();
        let values: Vec<f64> = found.centres.iter().flatten().map(|&(_, weight)| weight).collect();
        let offsets = found.squares.iter().map(|square| 0.5 * square).collect();
        Self {
            expansion: Expansion::new(kernel, own.points.select(&points), blocks(&members, &values), offsets),
            classes: names(members.len()),
            support: own.positions(points),
            labels: found.labels,
            sizes: found.sizes,
            silhouette,
            simplified_silhouette: found.separation,
            ended: Ended { inertia: found.inertia, iterations: found.iterations, converged: found.converged },
        }
    }

    /// The number of the nearest centre of each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        self.expansion.map_as(points, how.double, first_largest)
    }

    /// The distance of each of `points` from each centre in feature space, √(k(x, x) − 2f_c(x)): a row for each point, a column
    /// for each cluster, in double precision.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn distances(&self, points: &X) -> Result<Dense<f64>> {
        let outputs = self.expansion.rows(points, true)?;
        let own = self.expansion.own_values(points)?;
        let clusters = self.clusters();
        let rows = outputs.values().chunks(clusters.max(1)).zip(&own);
        let row = |(row, k): (&[f64], &f64)| row.iter().map(|f| distance(*k, *f)).collect::<Vec<_>>();
        Ok(Dense::new(clusters, rows.flat_map(row).collect()))
    }
}
classifies!(KMeansModel);

impl<X, K> KMeansModel<X, K> {
    /// How many clusters there are.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.classes.len()
    }

    /// Σ wᵢ ‖φ(xᵢ) − m‖², with m the centre of the cluster of xᵢ.
    #[must_use]
    pub fn inertia(&self) -> f64 {
        self.ended.inertia
    }

    /// Iterations of the run that was best.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.ended.iterations
    }

    /// Whether the last iteration changed nothing.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.ended.converged
    }
}

/// Weights of which each run of points, as long as `members` says, enters an output of its own.
fn blocks(members: &[usize], values: &[f64]) -> Coefficients {
    let mut start = 0;
    let block = |(cluster, &count): (usize, &usize)| {
        let points = start..start + count;
        start += count;
        CoefficientBlock { values: values[points.clone()].to_vec(), points, outputs: vec![cluster] }
    };
    Coefficients { blocks: members.iter().enumerate().map(block).collect(), outputs: members.len() }
}

impl<X: Space> Model<X> for KMeansModel<X, X::Kernel> {
    made_of!("k-means": expansion, support, classes);

    fn quality(&self) -> Quality {
        self.ended.quality()
    }

    fn facts(&self) -> Facts {
        Facts::default()
            .with("clusters", self.clusters())
            .with("sizes", self.sizes.as_slice())
            .with("silhouette", self.silhouette)
            .with("simplified_silhouette", self.simplified_silhouette)
            .with("labels", self.labels.as_slice())
    }

    fn words(&self) -> String {
        format!("{} about their means", count(self.clusters(), "cluster"))
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("cluster", self.classes.clone())
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.expansion.rows(points, how.double)
    }

    fn components(&self, points: &X) -> Result<Dense<f64>> {
        self.distances(points)
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let outputs = parts::check_names(&self.classes, 1)?;
        check_parts(&self.labels, &self.sizes, outputs)?;
        parts::check_numbers(&self.expansion, outputs, &self.support)?;
        let numbers = self.silhouette.iter().chain([&self.simplified_silhouette, &self.ended.inertia]);
        if !numbers.copied().all(f64::is_finite) {
            return Err("the inertia or a silhouette is not a finite number".into());
        }
        let mut values = Vec::new();
        for (c, block) in self.expansion.coefficients().blocks.iter().enumerate() {
            let own =
                block.outputs == [c] && block.points == (values.len()..values.len() + block.values.len());
            if !own {
                return Err("a block of coefficients is not that of the points of one cluster".into());
            }
            values.extend(&block.values);
        }
        parts::same("blocks of coefficients", self.expansion.coefficients().blocks.len(), outputs)?;
        parts::same("coefficients", values.len(), self.expansion.points().len())?;
        parts::finite(Dense::new(1, values))
    }

    /// Tensors `members` (how many points each centre is made of), `labels`, `sizes`, `silhouette` (one number or none),
    /// `simplified_silhouette`, and how the fit ended.
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let members: Vec<usize> =
            self.expansion.coefficients().blocks.iter().map(|block| block.points.len()).collect();
        writer.counts("members", &members);
        writer.counts("labels", &self.labels);
        writer.list("sizes", &self.sizes);
        writer.list("silhouette", self.silhouette.as_slice());
        writer.list("simplified_silhouette", &[self.simplified_silhouette]);
        self.ended.write(writer);
        Ok(())
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<KMeansModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    parts::no_certificates(reader)?;
    let (members, points) = (reader.counts("members")?, X::read("", reader)?);
    let (shape, values) = reader.tensor::<f64>("coefficients", 2)?;
    let sum = members.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
    if sum != Some(points.len()) || shape != [points.len(), 1] || members.len() != classes.len() {
        return Err("tensors 'members' and 'coefficients' are not those of as many points".into());
    }
    let kernel = parts::read_kernel(&points, reader, "")?;
    Ok(KMeansModel {
        expansion: Expansion::new(kernel, points, blocks(&members, &values), reader.list("offsets")?),
        classes,
        support: reader.counts("support")?,
        labels: reader.counts("labels")?,
        sizes: reader.list("sizes")?,
        silhouette: reader.list("silhouette")?.first().copied(),
        simplified_silhouette: parts::number(reader, "simplified_silhouette")?,
        ended: Ended::read(reader)?,
    })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "kernel k-means: clusters about their means in feature space";
    Method::new(("k-means", summary, "k-means", &[]), KMeans::new, KMeans::own_parameters, read)
}
