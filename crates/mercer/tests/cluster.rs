//! Kernel k-means and spectral clustering against their definitions written out.

use mercer::ErrorKind;
use mercer::data::{Dense, Points, Vectors};
use mercer::kernel::{TextExpr, VectorExpr, linear, precomputed, rbf};
use mercer::model::{Clusters, Estimator, Job, KMeans, KMeansModel, Quality, Seeding, Spectral};

/// Numbers from 0 to 1 that look random.
fn noise(i: usize, k: usize) -> f64 {
    let value = (i as f64 * 12.9898 + k as f64 * 78.233).sin() * 43_758.545_3;
    value - value.floor()
}

/// Overlapping heaps in `columns` dimensions.
fn heaps(n: usize, columns: usize, spread: f64) -> Vectors {
    let value =
        |i: usize, k: usize| (i % 5 * (k + 2) % 7) as f64 + spread * (noise(i, k) + noise(i, k + 50) - 1.0);
    Vectors::dense(columns, (0..n).flat_map(|i| (0..columns).map(move |k| value(i, k))).collect())
}

/// Two rings about the origin, of radius 1 and 3.
fn rings(n: usize) -> (Vectors, Vec<usize>) {
    let point = |i: usize| {
        let radius = [1.0, 3.0][i % 2] + 0.2 * (noise(i, 1) - 0.5);
        let angle = noise(i, 2) * std::f64::consts::TAU;
        [radius * angle.cos(), radius * angle.sin()]
    };
    (Vectors::dense(2, (0..n).flat_map(point).collect()), (0..n).map(|i| i % 2).collect())
}

/// The values of a kernel, by its definition.
fn values(kernel: &VectorExpr, x: &Vectors) -> Vec<Vec<f64>> {
    (0..x.len()).map(|i| (0..x.len()).map(|j| kernel.value(x.row(i), x.row(j))).collect()).collect()
}

/// Squared distances of point i from the centres of clusters, by the definition.
fn distance(k: &[Vec<f64>], w: &[f64], members: &[usize], i: usize) -> f64 {
    let s: f64 = members.iter().map(|&j| w[j]).sum();
    let cross: f64 = members.iter().map(|&j| w[j] * k[i][j]).sum();
    let own: f64 = members.iter().map(|&j| members.iter().map(|&l| w[j] * w[l] * k[j][l]).sum::<f64>()).sum();
    k[i][i] - 2.0 * cross / s + own / (s * s)
}

/// Lloyd's iteration written out, from labels; gives labels and inertia.
fn lloyd(k: &[Vec<f64>], w: &[f64], clusters: usize, mut labels: Vec<usize>) -> (Vec<usize>, f64) {
    loop {
        let members: Vec<Vec<usize>> =
            (0..clusters).map(|c| (0..labels.len()).filter(|&i| labels[i] == c).collect()).collect();
        let nearest = |i: usize| {
            let d: Vec<f64> = members.iter().map(|members| distance(k, w, members, i)).collect();
            (1..clusters).fold(0, |best, c| if d[c] < d[best] { c } else { best })
        };
        let next: Vec<usize> = (0..labels.len()).map(nearest).collect();
        if next == labels {
            let inertia = (0..labels.len()).map(|i| w[i] * distance(k, w, &members[labels[i]], i)).sum();
            return (labels, inertia);
        }
        labels = next;
    }
}

#[test]
fn from_the_same_start_the_labels_are_those_of_the_iteration_written_out() {
    for (kernel, n, clusters) in [(linear(), 90, 5), (rbf(0.3), 90, 4), (rbf(0.05), 120, 7)] {
        let x = heaps(n, 3, 3.0);
        let k = values(&kernel, &x);
        let w: Vec<f64> = (0..n).map(|i| 0.5 + noise(i, 9)).collect();
        let start: Vec<usize> = (0..n).map(|i| i / 2 % clusters).collect();
        for weights in [vec![1.0; n], w] {
            let (labels, inertia) = lloyd(&k, &weights, clusters, start.clone());
            let settings = KMeans::new(kernel.clone()).clusters(clusters).initial(start.clone());
            let model = settings.fit_weighted(&x, &(), &weights).unwrap();
            assert_eq!(model.labels, labels);
            assert!((model.inertia() - inertia).abs() < 1e-10 * inertia, "{} {inertia}", model.inertia());
            assert!(model.converged());
            let size = |c: usize| (0..n).filter(|&i| labels[i] == c).map(|i| weights[i]).sum::<f64>();
            assert!(model.sizes.iter().enumerate().all(|(c, found)| (found - size(c)).abs() < 1e-12 * found));
        }
    }
}

#[test]
fn single_precision_of_many_points_gives_the_same_labels() {
    // More points than are held in double precision, so few clusters that the naive iteration stays short: by its centres.
    let (n, columns, clusters) = (2100, 2, 3);
    let x = heaps(n, columns, 4.0);
    let row = |i: usize| (0..columns).map(|k| x.row(i).get(k)).collect::<Vec<f64>>();
    let points: Vec<Vec<f64>> = (0..n).map(row).collect();
    let mut labels: Vec<usize> = (0..n).map(|i| i % clusters).collect();
    loop {
        let mut centres = vec![vec![0.0; columns]; clusters];
        for (point, &c) in points.iter().zip(&labels) {
            let size = labels.iter().filter(|&&label| label == c).count() as f64;
            centres[c].iter_mut().zip(point).for_each(|(sum, v)| *sum += v / size);
        }
        let square = |p: &[f64], c: &[f64]| p.iter().zip(c).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let nearest = |p: &Vec<f64>| {
            (1..clusters)
                .fold(0, |best, c| if square(p, &centres[c]) < square(p, &centres[best]) { c } else { best })
        };
        let next: Vec<usize> = points.iter().map(nearest).collect();
        if next == labels {
            break;
        }
        labels = next;
    }
    let start: Vec<usize> = (0..n).map(|i| i % clusters).collect();
    let settings = KMeans::new(linear()).clusters(clusters).initial(start);
    assert_eq!(settings.fit(&x).unwrap().labels, labels);
    // Rows computed each time, because nothing may be held, and far from the origin, where single precision is not enough.
    let tight = settings.fit_in(&x, &(), &mut Job::new().memory(1)).unwrap();
    assert_eq!(tight.labels, labels);
    let far = Vectors::dense(columns, points.iter().flatten().map(|v| v + 1000.0).collect());
    assert_eq!(settings.fit(&far).unwrap().labels, labels);
}

#[test]
fn points_as_first_centres_and_given_labels_lead_to_the_same_clusters() {
    let x = heaps(60, 2, 2.0);
    let centres = vec![3, 17, 40];
    let square =
        |i: usize, j: usize| (0..2).map(|k| (x.row(i).get(k) - x.row(j).get(k)).powi(2)).sum::<f64>();
    let nearest = |i: usize| {
        (1..3).fold(0, |best, c| if square(i, centres[c]) < square(i, centres[best]) { c } else { best })
    };
    let labels: Vec<usize> = (0..60).map(nearest).collect();
    let settings = KMeans::new(linear()).clusters(3);
    let (a, b) = (
        settings.clone().initial(centres.clone()).fit(&x).unwrap(),
        settings.initial(labels).fit(&x).unwrap(),
    );
    assert_eq!(a, b);
}

#[test]
fn the_normalised_cut_is_the_inertia_of_weighted_points() {
    let (n, clusters, sigma) = (30, 3, 2.0);
    let x = heaps(n, 2, 2.0);
    let a = values(&rbf(0.5), &x);
    let d: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
    let value = |i: usize, j: usize| a[i][j] / (d[i] * d[j]) + if i == j { sigma / d[i] } else { 0.0 };
    let rows = (0..n).flat_map(|i| {
        std::iter::once((i + 1) as f64).chain((0..n).map(move |j| (i, j)).map(|(i, j)| value(i, j)))
    });
    let gram = Vectors::dense(n + 1, rows.collect());
    let model = KMeans::new(precomputed()).clusters(clusters).fit_weighted(&gram, &(), &d).unwrap();
    let cut = |c: usize| {
        let inside = |i: &usize| model.labels[*i] == c;
        let crossing: f64 =
            (0..n).filter(inside).map(|i| (0..n).filter(|j| !inside(j)).map(|j| a[i][j]).sum::<f64>()).sum();
        crossing / (0..n).filter(inside).map(|i| d[i]).sum::<f64>()
    };
    let cut: f64 = (0..clusters).map(cut).sum();
    let constant =
        sigma * (n - clusters) as f64 - clusters as f64 + (0..n).map(|i| a[i][i] / d[i]).sum::<f64>();
    assert!((model.inertia() - (cut + constant)).abs() < 1e-9, "{} {}", model.inertia(), cut + constant);
}

#[test]
fn distances_predictions_and_the_silhouette_are_those_of_the_definition() {
    let (x, kernel) = (heaps(80, 2, 3.0), rbf(0.2));
    let k = values(&kernel, &x);
    let w: Vec<f64> = (0..80).map(|i| 1.0 + noise(i, 4)).collect();
    let model = KMeans::new(kernel).clusters(4).fit_weighted(&x, &(), &w).unwrap();
    let members = |c: usize| (0..80).filter(|&i| model.labels[i] == c).collect::<Vec<usize>>();
    let found = model.distances(&x).unwrap();
    let mut simplified = 0.0;
    for i in 0..80 {
        let mut expected: Vec<f64> =
            (0..4).map(|c| distance(&k, &w, &members(c), i).max(0.0).sqrt()).collect();
        for (c, expected) in expected.iter().enumerate() {
            assert!((found.row(i)[c] - expected).abs() < 1e-7, "{i} {c}");
        }
        expected.sort_by(f64::total_cmp);
        simplified += w[i] * (expected[1] - expected[0]) / expected[1];
    }
    let all: f64 = w.iter().sum();
    assert!((model.simplified_silhouette - simplified / all).abs() < 1e-9);
    assert_eq!(model.predict_index(&x).unwrap(), model.labels);
    let apart = |i: usize, j: usize| (k[i][i] + k[j][j] - 2.0 * k[i][j]).max(0.0).sqrt();
    let mean = |i: usize, c: usize, less: f64| {
        let own = members(c);
        own.iter().map(|&j| w[j] * apart(i, j)).sum::<f64>() / (own.iter().map(|&j| w[j]).sum::<f64>() - less)
    };
    let silhouette = |i: usize| {
        // Weights that are not whole are shares: the point itself is left out.
        let a = mean(i, model.labels[i], w[i]);
        let b =
            (0..4).filter(|&c| c != model.labels[i]).map(|c| mean(i, c, 0.0)).fold(f64::INFINITY, f64::min);
        w[i] * (b - a) / a.max(b)
    };
    let expected = (0..80).map(silhouette).sum::<f64>() / all;
    assert!((model.silhouette.unwrap() - expected).abs() < 1e-9);
}

#[test]
fn a_whole_weight_is_so_many_copies_in_both_methods() {
    let x = heaps(60, 2, 2.5);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).collect();
    let copies: Vec<usize> =
        (0..60).flat_map(|i| std::iter::repeat_n(i, i as usize % 4)).map(|i| i as usize).collect();
    let own: Vec<usize> = (0..60).filter(|i| i % 4 > 0).collect();
    let spread = |labels: &[usize]| -> Vec<usize> {
        own.iter().zip(labels).flat_map(|(&i, &label)| std::iter::repeat_n(label, i % 4)).collect()
    };
    for start in [Seeding::PlusPlus, Seeding::Random] {
        let settings = KMeans::new(rbf(0.2)).clusters(4).start(start);
        let a = settings.fit_weighted(&x, &(), &weights).unwrap();
        let b = settings.fit(&x.select(&copies)).unwrap();
        assert_eq!(spread(&a.labels), b.labels);
        assert!(
            (a.inertia() - b.inertia()).abs() < 1e-10
                && (a.silhouette.unwrap() - b.silhouette.unwrap()).abs() < 1e-10
        );
        assert!(a.support.iter().all(|i| i % 4 > 0));
    }
    let settings = Spectral::new(rbf(0.2)).clusters(4);
    let a = settings.fit_weighted(&x, &(), &weights).unwrap();
    let b = settings.fit(&x.select(&copies)).unwrap();
    assert_eq!(spread(&a.labels), b.labels);
    let (mine, theirs) = (&a.eigenvalues, &b.eigenvalues);
    assert!(mine.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-10), "{mine:?} {theirs:?}");
}

#[test]
fn empty_clusters_are_filled_and_equal_points_make_fewer() {
    // As many clusters as points: what rounding leaves of their inertia is not below 0.
    for (points, shift) in [(50, 0.0), (50, 1e3), (60, 1e8)] {
        let value = |i: usize| shift + noise(i / 3, i % 3);
        let x = Vectors::dense(3, (0..3 * points).map(value).collect());
        let model = KMeans::new(linear()).clusters(points).restarts(3).fit(&x).unwrap();
        let most = 1e-14 * points as f64 * (shift * shift + 1.0) * 3.0;
        assert!((0.0..=most).contains(&model.inertia()), "{shift}: {}", model.inertia());
    }
    // All points begin in one of three clusters.
    let x = heaps(40, 2, 2.0);
    let model = KMeans::new(linear()).clusters(3).initial(vec![1; 40]).fit(&x).unwrap();
    assert!(model.clusters() == 3 && model.sizes.iter().all(|size| *size > 0.0));
    let same = Vectors::dense(2, [1.0, 2.0].repeat(12));
    let model = KMeans::new(rbf(1.0)).clusters(4).fit(&same).unwrap();
    assert_eq!((model.clusters(), model.sizes[0]), (1, 12.0));
    assert!(model.inertia().abs() < 1e-12 && model.labels == [0; 12]);
    let two = Vectors::dense(1, [1.0, 2.0].repeat(6));
    for start in [Seeding::PlusPlus, Seeding::Random] {
        assert_eq!(KMeans::new(linear()).clusters(5).start(start).fit(&two).unwrap().sizes, [6.0, 6.0]);
    }
}

#[test]
fn two_rings_are_told_apart() {
    let (x, truth) = rings(400);
    let same = |labels: &[usize]| {
        let agree = labels.iter().zip(&truth).filter(|(a, b)| a == b).count();
        agree.max(labels.len() - agree)
    };
    for settings in [Spectral::new(rbf(5.0)), Spectral::new(linear()).neighbors(10)] {
        assert_eq!(same(&settings.clusters(2).fit(&x).unwrap().labels), 400);
    }
    // To a kernel as wide as the ring inside, that ring is a heap, and the ring outside is nearly at right angles to it.
    let model = KMeans::new(rbf(0.5)).clusters(2).fit(&x).unwrap();
    assert!(same(&model.labels) >= 395, "{}", same(&model.labels));
}

/// The eigenvalues of D^−½AD^−½ by the power of (I + B)/2, for a comparison that shares no code.
fn largest(b: &[Vec<f64>], count: usize) -> Vec<f64> {
    let n = b.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..count).map(|c| (0..n).map(|i| noise(i, c + 3) - 0.5).collect()).collect();
    for _ in 0..4000 {
        for c in 0..count {
            let (before, rest) = vectors.split_at_mut(c);
            let v = &mut rest[0];
            let mut next: Vec<f64> = (0..n)
                .map(|i| 0.5 * (v[i] + b[i].iter().zip(v.iter()).map(|(a, x)| a * x).sum::<f64>()))
                .collect();
            for other in before {
                let dot: f64 = other.iter().zip(&next).map(|(a, x)| a * x).sum();
                next.iter_mut().zip(other.iter()).for_each(|(x, a)| *x -= dot * a);
            }
            let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            *v = next.iter().map(|x| x / length).collect();
        }
    }
    let value =
        |v: &Vec<f64>| (0..n).map(|i| v[i] * b[i].iter().zip(v).map(|(a, x)| a * x).sum::<f64>()).sum();
    vectors.iter().map(value).collect()
}

#[test]
fn eigenvalues_are_those_of_the_normalised_affinities() {
    let (n, x) = (60, heaps(60, 2, 2.5));
    let squares =
        |i: usize, j: usize| (0..2).map(|k| (x.row(i).get(k) - x.row(j).get(k)).powi(2)).sum::<f64>();
    let full: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (-0.5 * squares(i, j)).exp()).collect()).collect();
    let mut near = vec![vec![0.0; n]; n];
    for i in 0..n {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| squares(i, a).total_cmp(&squares(i, b)));
        order[..6].iter().for_each(|&j| (near[i][j], near[j][i]) = (near[i][j] + 0.5, near[j][i] + 0.5));
    }
    for (mut a, settings) in [(full, Spectral::new(rbf(0.5))), (near, Spectral::new(rbf(0.5)).neighbors(6))] {
        (0..n).for_each(|i| a[i][i] = 0.0);
        let d: Vec<f64> = a.iter().map(|row| row.iter().sum()).collect();
        let b: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| a[i][j] / (d[i] * d[j]).sqrt()).collect()).collect();
        let model = settings.clusters(3).fit(&x).unwrap();
        for (found, expected) in model.eigenvalues.iter().zip(largest(&b, 3)) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        assert!(model.residual < 1e-8);
    }
}

#[test]
fn new_points_where_training_points_are_go_to_their_clusters() {
    let x = heaps(150, 2, 0.8);
    let model = Spectral::new(rbf(1.0)).clusters(5).fit(&x).unwrap();
    assert_eq!(model.predict_index(&x).unwrap(), model.labels);
    let graph = Spectral::new(rbf(1.0)).clusters(5).neighbors(8).fit(&x).unwrap();
    assert!(graph.predict(&x).unwrap_err().to_string().contains("graph of neighbors"));
}

#[test]
fn large_graphs_of_neighbours_are_cut_as_small_ones() {
    // Components of 130 points each, with an eigenvalue 1 for each.
    let x = heaps(650, 3, 0.5);
    let model = Spectral::new(linear()).clusters(5).neighbors(7).fit(&x).unwrap();
    assert!(model.eigenvalues.iter().all(|value| (value - 1.0).abs() < 1e-9), "{:?}", model.eigenvalues);
    assert!((0..650).all(|i| model.labels[i] == model.labels[i % 5]));
    assert_eq!(model.sizes, [130.0; 5]);
    // More clusters than components: the algebra of sparse matrices, against the dense one of the same affinities.
    let k = values(&linear(), &x);
    let square = |i: usize, j: usize| k[i][i] + k[j][j] - 2.0 * k[i][j];
    let mut a = vec![vec![0.0; 650]; 650];
    for i in 0..650 {
        let mut order: Vec<usize> = (0..650).collect();
        order.sort_by(|&p, &q| square(i, p).total_cmp(&square(i, q)));
        order[..7].iter().for_each(|&j| (a[i][j], a[j][i]) = (a[i][j] + 0.5, a[j][i] + 0.5));
    }
    let rows =
        a.iter().enumerate().flat_map(|(i, row)| std::iter::once((i + 1) as f64).chain(row.iter().copied()));
    let gram = Vectors::dense(651, rows.collect());
    let (sparse, dense) = (Spectral::new(linear()).neighbors(7), Spectral::new(precomputed()));
    let (sparse, dense) = (sparse.clusters(8).fit(&x).unwrap(), dense.clusters(8).fit(&gram).unwrap());
    assert!(sparse.residual <= 1e-8);
    for (found, expected) in sparse.eigenvalues.iter().zip(&dense.eigenvalues) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

#[test]
fn batches_come_near_the_exact_inertia() {
    let x = heaps(1500, 3, 2.0);
    let exact = KMeans::new(rbf(0.1)).clusters(5).fit(&x).unwrap();
    let few = KMeans::new(rbf(0.1)).clusters(5).batch(100).fit(&x).unwrap();
    assert!(
        few.inertia() >= exact.inertia() * (1.0 - 1e-6) && few.inertia() <= 1.1 * exact.inertia(),
        "{} {}",
        few.inertia(),
        exact.inertia()
    );
    assert_eq!(few.predict_index(&x).unwrap(), few.labels);
    let sums = few.expansion.coefficients().blocks.iter().map(|block| block.values.iter().sum::<f64>());
    assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-12));
}

#[test]
fn the_gap_chooses_the_clusters_there_are() {
    for clusters in [2, 3] {
        // Not on a line or at the corners of a square, where two halves are no better than those of a box.
        let value = |i: usize, k: usize| [[0.0, 0.0], [9.0, 1.0], [1.0, 8.0]][i % clusters][k] + noise(i, k);
        let x = Vectors::dense(2, (0..120).flat_map(|i| [value(i, 0), value(i, 1)]).collect());
        for kernel in [linear(), rbf(0.02)] {
            let curve = KMeans::new(kernel).gap(&x, 1..=7, 10).unwrap();
            assert_eq!(curve.chosen(), clusters, "{:?}", curve.gaps);
            assert_eq!((curve.table().len(), curve.table().columns()), (7, 5));
        }
    }
    // Uniform points have no clusters.
    let x = Vectors::dense(2, (0..200).flat_map(|i| [noise(i, 0), noise(i, 1)]).collect());
    assert_eq!(KMeans::new(linear()).gap(&x, 1..=5, 10).unwrap().chosen(), 1);
    // A fit takes the number that the curve chooses, with the curve among its findings; no more clusters than points are tried.
    let x = heaps(90, 2, 9.0);
    let settings = KMeans::new(linear()).clusters(Clusters::Auto).most(6);
    let mut job = Job::new();
    let model = settings.fit_in(&x, &(), &mut job).unwrap();
    assert_eq!(model.clusters(), settings.gap(&x, 1..=6, 10).unwrap().chosen());
    assert!(job.found.get("gap").is_some());
    assert_eq!(settings.fit(&Vectors::dense(1, vec![1.0])).unwrap().clusters(), 1);
    let refused = settings.initial(vec![0; 90]).fit(&x).expect_err("a start of how many clusters?");
    assert_eq!(refused.to_string(), "clusters = auto: must be a number where a start is given");
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads_but_on_the_seed() {
    let x = heaps(700, 3, 4.0);
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let means = |threads: usize, seed: u64| {
        pool(threads).install(|| KMeans::new(rbf(0.1)).clusters(9).restarts(3).seed(seed).fit(&x).unwrap())
    };
    assert!(means(1, 3) == means(3, 3) && means(1, 3) != means(1, 4));
    let cut = |threads: usize| {
        pool(threads).install(|| Spectral::new(rbf(0.1)).clusters(4).neighbors(9).fit(&x).unwrap())
    };
    assert!(cut(1) == cut(3));
}

#[test]
fn texts_are_clustered() {
    let x: Vec<String> = (0..40).map(|i| ["abab", "bcbc"][i % 2].repeat(1 + i % 3)).collect();
    let kernel: TextExpr = "normalized(spectrum(p=2))".parse().unwrap();
    let model = KMeans::new(kernel.clone()).clusters(2).fit(&x).unwrap();
    assert!((0..40).all(|i| model.labels[i] == model.labels[i % 2]) && model.labels[0] != model.labels[1]);
    let model = Spectral::new(kernel).clusters(2).fit(&x).unwrap();
    assert!((0..40).all(|i| model.labels[i] == model.labels[i % 2]) && model.labels[0] != model.labels[1]);
}

#[test]
fn a_kernel_that_is_not_definite_ends_where_the_inertia_does_not_fall() {
    let x = heaps(50, 2, 3.0);
    let kernel: VectorExpr = "sigmoid(gamma=0.3, coef0=-1)".parse().unwrap();
    let model = KMeans::new(kernel).clusters(4).fit(&x).unwrap();
    assert!(model.converged() && model.inertia().is_finite());
    assert!(model.distances(&x).unwrap().values().iter().all(|d| *d >= 0.0));
}

#[test]
fn what_cannot_be_clustered_is_refused() {
    let x = heaps(10, 2, 1.0);
    let message = |m: KMeans<VectorExpr>| m.fit(&x).unwrap_err().to_string();
    let means = || KMeans::new(linear());
    assert_eq!(message(means().clusters(0)), "clusters = 0: must be at least 1");
    assert_eq!(message(means().clusters(11)), "clusters = 11: must be no more than there are points, 10");
    assert_eq!(message(means().restarts(0)), "restarts = 0: must be at least 1");
    assert!(message(means().clusters(3).initial(vec![0; 7])).starts_with("initial = 7: must be a list"));
    assert!(
        message(means().clusters(3).initial(vec![3; 10]))
            .starts_with("initial = 3: must be the number of a cluster")
    );
    assert!(
        message(means().clusters(3).initial(vec![0, 1, 10]))
            .starts_with("initial = 10: must be the number of a point")
    );
    assert!(
        message(means().clusters(3).batch(2).initial(vec![0, 1, 2]))
            .starts_with("batch = 2: must be left open")
    );
    assert!(means().fit(&Vectors::dense(2, Vec::<f64>::new())).is_err());
    let big = Vectors::dense(1, vec![1e200, -1e200, 3.0, 4.0]);
    assert!(means().clusters(2).fit(&big).unwrap_err().to_string().contains("not finite between points"));

    let spectral = |kernel: VectorExpr| Spectral::new(kernel).clusters(3);
    let y = Vectors::dense(1, vec![1.0, 2.0, 3.0, -1.0, 5.0]);
    let error = spectral(linear()).fit(&y).unwrap_err().to_string();
    assert!(error.starts_with("the kernel is negative between points 1 and 4"), "{error}");
    // The place is that in the data, where a point of weight 0 stands before it.
    let error = spectral(linear()).fit_weighted(&y, &(), &[1.0, 0.0, 1.0, 1.0, 1.0]).unwrap_err().to_string();
    assert!(error.starts_with("the kernel is negative between points 1 and 4"), "{error}");
    assert!(spectral(rbf(1.0)).neighbors(0).fit(&y).is_err());
    assert!(means().gap(&x, 1..=11, 3).is_err() && means().gap(&x, 1..=3, 0).is_err());
    assert!(spectral(linear()).neighbors(2).fit(&y).is_ok());
}

#[test]
fn reference_sets_that_take_more_memory_than_there_is_are_refused() {
    let x = Vectors::dense(1, (0..20).map(f64::from).collect::<Vec<_>>());
    // A whole weight stands for so many copies of its point in a reference set.
    let settings = KMeans::new(linear()).clusters(Clusters::Auto);
    let error = settings.fit_weighted(&x, &(), &[1e12; 20]).unwrap_err().to_string();
    assert!(error.starts_with("a gap curve needs") && error.contains("smaller weights"), "{error}");
}

#[test]
fn kernel_values_and_the_gap_curve_are_seen_to_go_on() {
    let x = heaps(1000, 2, 4.0);
    let mut seen: Vec<(&str, f64)> = Vec::new();
    let mut watch = |event: mercer::model::Event<'_>| {
        if let mercer::model::Event::Stage(stage) = event {
            seen.push((stage.name, stage.done));
        }
        std::ops::ControlFlow::Continue(())
    };
    let settings = KMeans::new(rbf(0.1)).clusters(Clusters::Auto).most(4).references(2).restarts(1);
    settings.fit_in(&x, &(), &mut Job::new().watched(&mut watch)).unwrap();
    for (name, times) in [("kernel values", 4), ("gap curve", 4)] {
        let shares: Vec<f64> = seen.iter().filter(|s| s.0 == name).map(|s| s.1).collect();
        assert!(shares.len() >= times && shares.is_sorted_by(|a, b| a < b), "{name}: {shares:?}");
    }
    let mut stop = |event: mercer::model::Event<'_>| match event {
        mercer::model::Event::Stage(stage) if stage.name == "gap curve" => std::ops::ControlFlow::Break(()),
        _ => std::ops::ControlFlow::Continue(()),
    };
    let error = settings.fit_in(&x, &(), &mut Job::new().watched(&mut stop)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted));
}

#[test]
fn a_run_can_be_watched_and_ended() {
    let x = heaps(300, 2, 4.0);
    // Ended in its first event of that stage.
    let ended = |name: &'static str| {
        let mut watch = |event: mercer::model::Event<'_>| match event {
            mercer::model::Event::Stage(stage) if stage.name == name => std::ops::ControlFlow::Break(()),
            _ => std::ops::ControlFlow::Continue(()),
        };
        KMeans::new(rbf(0.1)).clusters(6).fit_in(&x, &(), &mut Job::new().watched(&mut watch))
    };
    let error = ended("kernel values").expect_err("no clusters without kernel values");
    assert!(matches!(error.kind(), ErrorKind::Interrupted));
    let model = ended("clusters").unwrap();
    assert!(!model.converged() && model.clusters() == 6);
    let quality = mercer::model::Model::<Vectors>::quality(&model);
    assert!(matches!(quality, Quality::Reached { what: "inertia", converged: false, .. }));
    let sum = |model: &KMeansModel<Vectors, VectorExpr>| model.sizes.iter().sum::<f64>();
    assert!((sum(&model) - 300.0).abs() < 1e-9);
    let _: Dense<f64> = model.distances(&x).unwrap();
}

#[test]
fn points_that_nothing_joins_are_clusters_of_a_graph_of_affinities() {
    let x = Vectors::dense(1, vec![0.0, 0.5, 1.0, 1000.0, 1000.5, 5000.0]);
    let model = Spectral::new(rbf(1.0)).clusters(3).fit(&x).unwrap();
    let labels = &model.labels;
    assert!(labels[0] == labels[1] && labels[1] == labels[2] && labels[3] == labels[4], "{labels:?}");
    assert!(labels[0] != labels[3] && labels[3] != labels[5] && labels[0] != labels[5], "{labels:?}");
    assert_eq!(model.eigenvalues, [1.0; 3]);
    assert!(model.inertia() < 1e-20, "{}", model.inertia());
    // A kernel so narrow that no point is joined to another.
    let model = Spectral::new(rbf(1e6)).clusters(3).fit(&heaps(40, 2, 0.5)).unwrap();
    assert!(model.inertia().is_finite() && model.inertia() < 1e3, "{}", model.inertia());
}

#[test]
fn copies_are_one_point_of_a_graph_of_affinities() {
    let x = Vectors::dense(1, [0.0, 1.0, 5.0].repeat(4));
    let model = Spectral::new(rbf(0.3)).clusters(5).fit(&x).unwrap();
    assert_eq!(model.clusters(), 3);
    assert!((0..12).all(|i| model.labels[i] == model.labels[i % 3]));
    assert_eq!(model.embedding().len(), 12);
    assert_eq!(model.predict_index(&x).unwrap(), model.labels);
}

#[test]
fn a_silhouette_does_not_depend_on_the_unit_of_weights_that_are_shares() {
    let x = heaps(30, 2, 1.5);
    let fit = |scale: f64| {
        let weights: Vec<f64> = (0..30).map(|i| scale * (1.5 + (i % 4) as f64)).collect();
        let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
        let fit = KMeans::new(rbf(0.2)).clusters(3).initial(labels);
        fit.fit_weighted(&x, &(), &weights).unwrap().silhouette.unwrap()
    };
    let (one, small) = (fit(1.0), fit(1e-3));
    assert!(one > 0.1 && (one - small).abs() < 1e-9, "{one} {small}");
}

#[test]
fn weights_of_an_unusable_size_are_named() {
    let x = heaps(9, 2, 0.5);
    for size in [1e300, 1e-300] {
        let weights: Vec<f64> = (0..9).map(|i| if i == 4 { size } else { 1.0 }).collect();
        let errors = [
            KMeans::new(rbf(1.0)).clusters(2).fit_weighted(&x, &(), &weights).unwrap_err().to_string(),
            Spectral::new(rbf(1.0)).clusters(2).fit_weighted(&x, &(), &weights).unwrap_err().to_string(),
        ];
        for error in errors {
            assert!(error.starts_with("weights of points: ") && error.contains("scale them"), "{error}");
        }
    }
}
