//! Graphs, sets of vectors and tables by every command that takes points: the kernel says what they are.

mod common;

use common::{Place, assert_close};

/// Rings with an N and chains with an O, as JSON lines.
fn molecules(rows: usize) -> String {
    let line = |i: usize| {
        let n = 4 + i % 4;
        let mut edges: Vec<String> = (1..n).map(|a| format!("[{},{a}]", a - 1)).collect();
        let (label, last) = if i.is_multiple_of(2) { ("1", "N") } else { ("-1", "O") };
        if label == "1" {
            edges.push(format!("[0,{}]", n - 1));
        }
        let nodes = format!("{}\"{last}\"", "\"C\",".repeat(n - 1));
        format!("{{\"label\": \"{label}\", \"nodes\": [{nodes}], \"edges\": [{}]}}\n", edges.join(","))
    };
    (0..rows).map(line).collect()
}

/// Sets of one to three vectors, about 0 or about 3.
fn bags(rows: usize) -> String {
    let line = |k: usize| {
        let (set, turn) = (k / 3, k % 3);
        let shift = 3.0 * (set % 2) as f64;
        let value = |j: usize| shift + ((7 * k + j) as f64).sin();
        (turn <= set % 3).then(|| format!("{} qid:{} 1:{} 2:{}\n", set % 2, set + 1, value(1), value(2)))
    };
    (0..3 * rows).filter_map(line).collect()
}

/// A table with texts, graphs and numbers.
fn people(rows: usize) -> String {
    let line = |i: usize| {
        let (class, name) = if i.is_multiple_of(2) { ("a", "hanna") } else { ("b", "rob") };
        let graph = if i % 4 < 2 {
            "{\"\"nodes\"\": [\"\"C\"\", \"\"O\"\"], \"\"edges\"\": [[0,1]]}"
        } else {
            "{\"\"nodes\"\": 1, \"\"edges\"\": []}"
        };
        format!("{i},{name}{i},\"{graph}\",{},{},{class}\n", 30 + i % 7, (i % 3) as f64 / 2.0)
    };
    "id,name,molecule,age,dose,class\n".to_owned() + &(0..rows).map(line).collect::<String>()
}

#[test]
fn every_space_is_trained_shown_and_predicted() {
    for (file, text, kernel, space, shown) in [
        ("g.jsonl", molecules(24), "centered(normalized(wl(h=2)))+path", "graphs", "graphs"),
        ("s.txt", bags(24), "normalized(set(rbf(gamma=0.5)))", "sets", "sets of vectors"),
        (
            "t.csv",
            people(24),
            "normalized(spectrum(p=2)@name)+rbf(0.1)@[age,dose]+wl(h=1)@molecule",
            "records",
            "columns of a table",
        ),
    ] {
        let place = Place::new();
        place.write(file, &text);
        let trained = place.run(&format!("train --json -k {kernel} -c 10 {file} m.mercer")).ok();
        let report = trained.json();
        assert_eq!((&report["space"], &report["rows"]), (&space.into(), &24.into()), "{report}");
        let report = place.run(&format!("predict --json {file} m.mercer out")).ok().json();
        assert_eq!(report["correct"], 24, "{space}: {report}");
        let text = place.run("inspect m.mercer").ok().out;
        assert!(text.contains(shown), "{text}");
        let check = place.run(&format!("kernel check --json {kernel} {file}")).ok().json();
        assert_eq!((&check["valid"], &check["of"]), (&true.into(), &24.into()), "{check}");
    }
}

#[test]
fn what_a_pyramid_leaves_open_is_found_and_kept() {
    let place = Place::new();
    place.write(
        "s.txt",
        "a qid:1 1:0.5\na qid:1 1:2.25\nb qid:2 1:7.5\nb qid:2 1:9\na qid:3 1:1\nb qid:4 1:6.25\n",
    );
    // 0.5 and 1 are the nearest; the extent is 8.5 ≤ 0.5·2⁵.
    let found = "pyramid(side=0.5, levels=5, shifts=1, seed=0, weights=half)";
    place.run("train -k pyramid s.txt m.mercer").ok();
    place.run("inspect m.mercer").ok().says(found);
    place.run("kernel check pyramid s.txt").ok().says(found);
    place.run("kernel gram pyramid s.txt s.npy").ok().says(found);
    // A new set is met in the grids of the model, not in its own.
    place.write("new.txt", "a qid:1 1:100\na qid:1 1:-50\n");
    place.run("kernel gram --rows new.txt pyramid s.txt new.npy").ok().says(found);
    place.run("predict new.txt m.mercer out").ok();
}

#[test]
fn graphs_without_labels_are_predicted() {
    let place = Place::new();
    place.write("g.jsonl", molecules(8));
    place.run("train -k normalized(wl(h=2)) -c 10 g.jsonl m.mercer").ok();
    let bare = "{\"nodes\": [\"C\", \"N\"], \"edges\": [[0, 1]]}\n";
    // Labels of nodes that training did not have match nothing.
    let strange = "{\"nodes\": [\"Xx\", \"\"], \"edges\": [[0, 1]]}\n";
    place.write("new.jsonl", bare.repeat(2) + strange);
    place.run("predict new.jsonl m.mercer out").ok();
    assert_eq!(place.read("out").lines().count(), 3);
    let refused = place.run("train -k wl new.jsonl n.mercer");
    assert!(refused.code != Some(0) && refused.err.contains("no labels"), "{}", refused.err);
    // A folder without the file of labels, likewise.
    for (part, text) in [("A", "1, 2\n2, 1\n"), ("graph_indicator", "1\n1\n"), ("node_labels", "C\nN\n")] {
        std::fs::create_dir_all(place.path("DS")).unwrap();
        place.write(&format!("DS/DS_{part}.txt"), text);
    }
    place.run("predict DS m.mercer out").ok();
    assert_eq!(place.read("out").lines().count(), 1);
    place.run("train -k wl DS n.mercer").refused(2).says("no labels");
}

#[test]
fn sets_may_be_narrower_and_wider_than_those_of_training() {
    let place = Place::new();
    place
        .write("s.txt", "a qid:1 1:1 2:1 3:0.5\na qid:1 2:1\nb qid:2 1:-1 2:-1\nb qid:3 2:-2\na qid:4 1:2\n");
    place.write("narrow.txt", "a qid:1 1:1\nb qid:2 1:-1\n");
    place.write("wide.txt", "a qid:1 1:1 5:1\nb qid:2 1:-1 4:1\n");
    let decisions = |file: &str| place.run(&format!("predict -q --decisions {file} m")).ok().out;
    for kernel in ["set(rbf(gamma=0.5))", "pyramid(shifts=2)"] {
        place.run(&format!("train -q -k {kernel} -c 10 s.txt m")).ok();
        place.write("zeros.txt", "a qid:1 1:1 3:0\nb qid:2 1:-1 3:0\n");
        assert_eq!(decisions("narrow.txt"), decisions("zeros.txt"), "{kernel}");
        assert_eq!(decisions("wide.txt").lines().count(), 3);
        place.run(&format!("kernel gram --rows narrow.txt {kernel} s.txt g.npy")).ok().says("values   2 × 4");
        place.run(&format!("kernel gram --rows wide.txt {kernel} s.txt g.npy")).ok();
    }
    // A linear kernel does not see what training did not have.
    place.run("train -q -k set(linear) s.txt m").ok();
    assert_eq!(decisions("wide.txt"), decisions("narrow.txt"));
    // A factor of 1/d would be another one with more features.
    place.run("train -q -k pyramid(weights=dimension) s.txt m").ok();
    place.run("predict narrow.txt m").ok();
    place.run("predict wide.txt m").refused(1).says("wide.txt: 5 features where 3 are expected");
    // Vectors as well, and a table says how wide it is.
    place.write("v.txt", "1 1:1 2:1\n-1 1:-1\n");
    place.write("w.txt", "1 1:1\n");
    place.run("kernel gram --rows w.txt linear v.txt g.npy").ok().says("values   1 × 2");
    place.run("kernel gram --rows v.txt linear w.txt g.npy").ok().says("values   2 × 1");
    place.write("t.csv", "group,x,label\n1,1,a\n");
    place.run("train -q -k set(linear) s.txt m").ok();
    place.run("predict t.csv m").refused(1).says("1 features where 3 are expected");
}

#[test]
fn a_column_says_which_set_a_row_is_of() {
    let place = Place::new();
    place.write("t.csv", "bag,x,z,kind\n1,1,0,a\n01,-1,0,b\n1,2,0,a\n2,-2,1,b\n");
    let trained = "train --json -k normalized(set(rbf(gamma=0.5))) --group bag --label kind";
    let report = place.run(&format!("{trained} t.csv m")).ok().json();
    assert_eq!(report["rows"], 3, "{report}");
    let report = place.run("predict --json --group bag t.csv m out").ok().json();
    assert_eq!((&report["correct"], &report["rows"]), (&3.into(), &3.into()), "{report}");
    let report = place.run(&format!("{trained} --columns bag,x t.csv m")).ok().json();
    assert_eq!(report["features"], 1, "{report}");
    place.write("u.csv", "group,x\n1,1\n2,2\n");
    place.run("train -k set u.csv m").refused(1).says("u.csv: column 'x' is taken as the label");
}

#[test]
fn a_folder_is_graphs_without_being_told() {
    let place = Place::new();
    let folder = common::data("heart_scale").with_file_name("MUTAG");
    let trained = place.run(&format!("train {} m.mercer", folder.display())).ok();
    trained.says("188 rows, graphs, 2 classes").says("normalized(wl(h=5, base=subtree))");
    place.run(&format!("predict --json {} m.mercer out", folder.display())).ok();
}

#[test]
fn a_gram_is_written_for_numpy_and_for_libsvm() {
    let place = Place::new();
    place.write("g.jsonl", molecules(6));
    place.run("kernel gram vertices g.jsonl g.npy").ok().says("values   6 × 6");
    let bytes = std::fs::read(place.path("g.npy")).unwrap();
    assert!(
        bytes.starts_with(b"\x93NUMPY\x01\x00") && (bytes.len() - 6 * 6 * 8).is_multiple_of(64),
        "{}",
        bytes.len()
    );
    let value = |k: usize| f64::from_le_bytes(bytes[bytes.len() - 8 * (36 - k)..][..8].try_into().unwrap());
    // Rings of 4, 6, 4 … nodes with an N, chains of 5, 7, 5 with an O: three C's and four.
    assert_eq!((value(0), value(1), value(6), value(7)), (10.0, 12.0, 12.0, 17.0));
    place.run("kernel gram vertices g.jsonl g.gram").ok();
    let lines = place.read("g.gram");
    assert!(lines.starts_with("1 0:1 1:10 2:12 "), "{lines}");
    // LIBSVM's form is read again, and trains the same machine.
    place.run("svm-train -t 4 -c 10 -q g.gram g.model").ok();
    let direct = place.run("train --json -k vertices -c 10 g.jsonl m").ok().json();
    let again = place.run("train --json -k precomputed -c 10 g.gram m").ok().json();
    assert_close(again["objective"].as_f64().unwrap(), direct["objective"].as_f64().unwrap(), 1e-9);
    // A sphere needs k(x, x), which the table has of its own rows alone.
    place.run("train -m svdd -k precomputed --nu 0.5 g.gram m").ok();
    place.run("predict g.gram m").ok();
    place.write("new.gram", "1 0:1 1:1 2:2 3:3 4:4 5:5 6:6\n");
    let run = place.run("predict new.gram m");
    assert!(
        run.code != Some(0) && run.err.contains("row 1: it must be that of a training point"),
        "{}",
        run.err
    );
    place.write("new.jsonl", molecules(2));
    let shape = place.run("kernel gram --json --rows new.jsonl edges g.jsonl new.npy").ok().json();
    assert_eq!((&shape["rows"], &shape["columns"]), (&2.into(), &6.into()));
}

#[test]
fn classes_of_a_gram_for_libsvm_are_numbered() {
    let place = Place::new();
    place.write("t.tsv", "not spam\tabab\na:b\tcdcd\nnot spam\tbaba\na:b\tdcdc\n");
    place.write("new.tsv", "a:b\tcd\nother\txy\n");
    let run = place.run("kernel gram normalized(spectrum(p=2)) t.tsv t.gram").ok();
    run.says("classes  1 = not spam, 2 = a:b\n");
    let labels = |file: &str| -> Vec<String> {
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        place.read(file).lines().map(first).collect()
    };
    assert_eq!(labels("t.gram"), ["1", "2", "1", "2"]);
    place.run("svm-train -t 4 -c 10 -q t.gram t.model").ok();
    let report = place.run("kernel gram --json --rows new.tsv spectrum(p=2) t.tsv new.gram").ok().json();
    assert_eq!(report["classes"], serde_json::json!(["not spam", "a:b", "other"]));
    assert_eq!(labels("new.gram"), ["2", "3"]);
    place.run("predict -q new.gram t.model").ok();
    place.write("n.tsv", "1\tabab\n2\tcdcd\n");
    assert_eq!(
        place.run("kernel gram --json spectrum n.tsv n.gram").ok().json()["classes"],
        serde_json::json!([])
    );
    let run = place.run("kernel gram --rows new.tsv spectrum n.tsv out.gram");
    run.refused(1).says("new.tsv: row 1: label 'a:b' is not a number");
}

#[test]
fn rows_of_a_gram_without_values_are_refused() {
    let place = Place::new();
    let graph = |n: usize, edges: &str| format!("{{\"label\": 1, \"nodes\": {n}, \"edges\": [{edges}]}}\n");
    place.write("c4.jsonl", graph(4, "[0,1],[1,2],[2,3],[3,0]"));
    let complete = "[0,1],[0,2],[0,3],[0,4],[1,2],[1,3],[1,4],[2,3],[2,4],[3,4]";
    place.write("rows.jsonl", graph(3, "[0,1]") + &graph(5, complete));
    let run = place.run("kernel gram --rows rows.jsonl walk(lambda=0.2) c4.jsonl out.npy");
    run.refused(1).says("rows.jsonl: row 2: the kernel is not finite with point 1 of the columns");
    assert!(!place.path("out.npy").exists());
    // Nodes without neighbours are counted, and take no memory.
    place.write("big.jsonl", graph(1 << 20, "") + &graph(1, ""));
    place.run("kernel gram walk big.jsonl out.npy").ok();
    let run = place.run("kernel gram walk(labels=nodes) big.jsonl other.npy");
    run.refused(1).says("big.jsonl: graph 1: random walks need 33554432 MB");
}

#[test]
fn a_term_without_its_column_is_told() {
    let place = Place::new();
    for (kernel, term) in
        [("spectrum@name+vertices", "vertices"), ("linear@age+spectrum(2)", "spectrum(p=2)")]
    {
        let run = place.run(&format!("kernel show {kernel}")).refused(2);
        run.says(&format!("{term} without its column in a table of several: {term} @ name"));
    }
}

#[test]
fn flaws_are_named_with_their_place_and_leave_nothing_behind() {
    let place = Place::new();
    for (file, text, kernel, message) in [
        ("g.jsonl", "{\"label\": 1, \"nodes\": 2, \"edges\": [[0, 0]]}\n", "wl", "g.jsonl:1:36: "),
        ("h.jsonl", "{\"label\": 1, \"nodes\": 0, \"edges\": []}\n", "wl", "without nodes"),
        ("s.txt", "1 qid:1 1:1\n1 1:2\n", "set", "s.txt:2:3: expected qid:"),
        ("s.txt", "1 qid:1 1:1\n0 qid:1 1:2\n", "set", "row 2: label '0' in set '1'"),
        ("s.txt", "1 qid:1 1:nan\n", "set", "s.txt:1:11: not finite"),
        ("t.csv", "name,age,y\nann,x,1\n", "spectrum@name+linear@age", "t.csv:2:5: not a number: 'x'"),
        ("t.csv", "name,age,y\nann,1,1\n", "linear@dose", "no column 'dose'"),
        ("v.txt", "1 qid:1 1:1\n", "linear", "take a kernel on sets"),
    ] {
        place.write(file, text);
        let run = place.run(&format!("kernel gram {kernel} {file} out.npy"));
        assert!(run.code != Some(0) && run.err.contains(message), "{kernel}: {}", run.err);
        assert!(!place.path("out.npy").exists(), "{kernel}");
    }
}
