//! tmp
use mercer::data::Vectors;
use mercer::kernel::rbf;
use mercer::model::Pca;
use std::time::Instant;
#[test]
fn speed() {
    let mut s = 1u64;
    let mut r = move || { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); ((s >> 11) as f64 + 0.5) / (1u64 << 53) as f64 };
    let mut g = move || { let (a, b): (f64, f64) = (r(), r()); (-2.0 * a.ln()).sqrt() * (6.283185307179586 * b).cos() };
    let n: usize = std::env::var("N").map_or(10000, |v| v.parse().unwrap());
    let k: usize = std::env::var("C").map_or(10, |v| v.parse().unwrap());
    let x = Vectors::dense(50, (0..n * 50).map(|_| g()).collect::<Vec<f64>>());
    for _ in 0..2 {
        let t = Instant::now();
        let mut last = (t, "");
        let m = Pca::new(rbf(1.0 / 50.0)).components(k).fit_followed(&x, &mut |stage| {
            if stage.name != last.1 { println!("{} at {:?}", stage.name, t.elapsed()); last.1 = stage.name; }
            let st = std::fs::read_to_string("/proc/self/stat").unwrap(); let f: Vec<&str> = st.rsplit(')').next().unwrap().split_whitespace().collect(); println!("  {:.3} {:?} user {} sys {}", stage.done, t.elapsed(), f[11], f[12]);
            std::ops::ControlFlow::Continue(())
        }).unwrap();
        println!("n={n} k={k} {:?} residual {:e} {:?}", t.elapsed(), m.residual, &m.eigenvalues[..k.min(12)]);
    }
}
