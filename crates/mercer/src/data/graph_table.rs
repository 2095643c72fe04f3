//! Files of graphs: a folder in the form of the TU collection, or JSON lines.
//!
//! A TU folder `DS` has one file for each part of the data, plain or compressed by gzip or zstd, with a line for each thing:
//!
//! | file | a line is |
//! |---|---|
//! | `DS_A.txt` | an edge `i, j` in one direction; nodes count from 1 over all graphs, both directions are listed |
//! | `DS_graph_indicator.txt` | the graph of a node, from 1 |
//! | `DS_graph_labels.txt` | the label of a graph; need not be there |
//! | `DS_node_labels.txt` | the label of a node; need not be there |
//! | `DS_edge_labels.txt` | the label of a line of `DS_A.txt`; need not be there |
//! | `DS_node_attributes.txt` | the attributes of a node, between commas; need not be there |
//!
//! In JSON lines each line is a graph, `{"label": "active", "nodes": ["C", "N", "O"], "edges": [[0, 1], [1, 2, "double"]],
//! "attributes": [[0.1], [0.2], [0.3]]}`: `nodes` are their labels or just their number, nodes count from 0, an edge is listed once
//! or in both directions, and `label`, `attributes` and the labels of edges may be left out: of each edge
//! by itself, as no label matches no label.
//!
//! A graph without nodes is a point to every kernel, but a file that has one is refused, as it is hardly meant.
//!
//! C. Morris, N. M. Kriege, F. Bause, K. Kersting, P. Mutzel, M. Neumann (2020): TUDataset, a collection of benchmark
//! datasets for learning with graphs.

use std::path::Path;

use super::input::Input;
use super::table::{self, ColumnRef, ReadOptions, Table};
use super::{Graph, graph_json, graph_tu};
use crate::error::{DataProblem, Error, ErrorKind, ParseProblem, Result};

/// What a file with a graph without nodes is told.
pub(super) const NO_NODES: &str = "a graph without nodes; each graph in a file must have one";

/// Reads graphs from a TU folder, any of its files or a file of JSON lines; `-` is standard input with JSON lines. Of the
/// options those about labels are looked at.
///
/// # Errors
/// With path, line and column of what is wrong; if there are no graphs, or not one label per graph; if reading fails.
pub fn read_graphs(path: &Path, options: &ReadOptions) -> Result<Table<Vec<Graph>>> {
    options.features.refuse("graphs")?;
    let labelled = match &options.label {
        Some(ColumnRef::Absent) => false,
        None => options.labels_path.is_none(),
        Some(ColumnRef::Name(name)) if name == "label" => true,
        Some(ColumnRef::Number(column)) => return Err(no_column(&column.to_string())),
        Some(ColumnRef::Name(name)) => return Err(no_column(name)),
    };
    let (points, labels) = match graph_tu::Folder::of(path)? {
        Some(folder) => folder.read(labelled, options)?,
        None => graph_json::read(Input::open(path)?, labelled, options)?,
    };
    table::complete(Table { points, labels, names: Vec::new(), encoding: None }, options)
}

fn no_column(name: &str) -> Error {
    ErrorKind::Data(DataProblem::NoColumn(name.into())).into()
}

/// A flaw in words.
pub(super) fn other(text: impl Into<Box<str>>) -> ParseProblem {
    ParseProblem::Other(text.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::data::LabelColumn;
    use crate::data::input::tests::gzip;

    const TRIANGLE_AND_EDGE: [(&str, &str); 4] = [
        ("A", "1, 2\n2, 1\n2,3\n3,2\n1, 3\n3, 1\n4, 5\n5, 4\n"),
        ("graph_indicator", "1\n1\n1\n2\n2\n"),
        ("graph_labels", "1\n-1\n"),
        ("node_labels", "C\nN\nC\nO\nO\n"),
    ];

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(format!("DS_{name}.txt")), text).unwrap();
        }
        folder
    }

    fn with(changes: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
        let kept =
            TRIANGLE_AND_EDGE.into_iter().filter(|(name, _)| changes.iter().all(|(other, _)| name != other));
        kept.chain(changes.iter().copied()).collect()
    }

    fn refusal(files: &[(&str, &str)], options: &ReadOptions) -> String {
        let folder = folder(files);
        let error = read_graphs(folder.path(), options).unwrap_err().to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn a_folder_is_read_by_any_of_its_names() {
        let folder = folder(&with(&[
            ("edge_labels", "s\ns\nd\nd\ns\ns\ns\ns\n"),
            ("node_attributes", "1, 2\n3,4\n5,6\n7, 8\n-9, 1e1\n"),
        ]));
        let plain = folder.path().join("DS_A.txt");
        let table = read_graphs(folder.path(), &ReadOptions::default()).unwrap();
        assert_eq!(table, read_graphs(&plain, &ReadOptions::default()).unwrap());
        let packed = folder.path().join("DS_A.txt.gz");
        fs::write(&packed, gzip(&fs::read(&plain).unwrap())).unwrap();
        fs::remove_file(&plain).unwrap();
        assert_eq!(table, read_graphs(&packed, &ReadOptions::default()).unwrap());
        let [triangle, edge] = &table.points[..] else { panic!("{table:?}") };
        assert_eq!((triangle.nodes(), triangle.edges(), edge.nodes(), edge.edges()), (3, 3, 2, 1));
        assert_eq!((triangle.label(1), edge.label(0)), (Some("N"), Some("O")));
        assert_eq!(triangle.edge_labels(1).collect::<Vec<_>>(), ["s", "d"]);
        assert_eq!(edge.attributes().row(1), [-9.0, 10.0]);
        assert_eq!(table.labels.unwrap().labels().classes(), ["1", "-1"]);
    }

    #[test]
    fn labels_of_graphs_follow_the_options() {
        let files = with(&[("graph_labels", "1.5\n-2\n")]);
        let targets = ReadOptions { targets: true, ..ReadOptions::default() };
        let table = read_graphs(folder(&files).path(), &targets).unwrap();
        assert_eq!(table.labels, Some(LabelColumn::Numbers(vec![1.5, -2.0])));
        let absent = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        let unlabelled = &TRIANGLE_AND_EDGE[..2];
        assert_eq!(read_graphs(folder(unlabelled).path(), &absent).unwrap().labels, None);
        assert_eq!(read_graphs(folder(unlabelled).path(), &ReadOptions::default()).unwrap().labels, None);
        let named = ReadOptions { label: Some(ColumnRef::Name("label".into())), ..ReadOptions::default() };
        assert!(refusal(unlabelled, &named).starts_with("DS_graph_labels.txt: "));
        let words = with(&[("graph_labels", "1\nhigh\n")]);
        assert_eq!(refusal(&words, &targets), "DS_graph_labels.txt:2:1: not a number: 'high'");
        let third = ReadOptions { label: Some(ColumnRef::Number(3)), ..ReadOptions::default() };
        assert_eq!(refusal(&files, &third), "no column '3'");
    }

    #[test]
    fn flaws_of_a_folder_are_named_with_their_place() {
        let flaw =
            |name: &'static str, text: &'static str| refusal(&with(&[(name, text)]), &ReadOptions::default());
        for (text, message) in [
            ("1, 2\n2, 1\n2,3\n", "3:1: the edge 2, 3 in one direction only; both directions must be listed"),
            ("1, 2\n2, 1\n3, 3\n", "3:1: an edge from a node to itself; a graph has no self-loops"),
            ("1, 2\n2, 1\n4,3\n3,4\n", "3:1: an edge from graph 2 to graph 1"),
            ("1, 2\n0, 1\n", "2:1: node 0; nodes count from 1 to 5"),
            ("1, 2\n\n2, 6\n", "3:4: node 6; nodes count from 1 to 5"),
            ("1, 2\n2\n", "2:1: an edge must be two nodes, i, j"),
            ("1, 2\n2, 1, 3\n", "2:1: an edge must be two nodes, i, j"),
            ("1, 2\n2, x\n", "2:4: not a whole number: 'x'"),
        ] {
            assert_eq!(flaw("A", text), format!("DS_A.txt:{message}"));
        }
        for (name, text, message) in [
            ("graph_indicator", "1\n1\n3\n2\n2\n", "3:1: graph 3; graphs count from 1 to 2"),
            ("graph_indicator", "1\n0\n", "2:1: graph 0; graphs count from 1 to 2"),
            ("node_labels", "C\nN\nC\n", "4:1: the file ends after 3 of 5 lines"),
            ("node_labels", "C\nN\nC\nC\nC\nC\n", "6:1: more than 5 lines"),
            ("edge_labels", "s\n", "2:1: the file ends after 1 of 8 lines"),
            ("edge_labels", "s\nd\ns\ns\ns\ns\ns\ns\n", "2:1: the same edge as in line 1 with another label"),
            ("node_attributes", "1,2\n3,x\n1,1\n1,1\n1,1\n", "2:3: not a number: 'x'"),
            ("node_attributes", "1,2\n3\n1,1\n1,1\n1,1\n", "2:1: 1 fields where 2 are expected"),
            (
                "node_attributes",
                "1,2\n3,nan\n",
                "2:3: not finite: 'nan'; every value must be a finite number",
            ),
        ] {
            assert_eq!(flaw(name, text), format!("DS_{name}.txt:{message}"));
        }
        let empty = with(&[("graph_labels", "1\n1\n1\n")]);
        let message = "DS_graph_labels.txt:3:1: a graph without nodes; each graph in a file must have one";
        assert_eq!(refusal(&empty, &ReadOptions::default()), message);
        let missing = "DS_A.txt: no such file, plain or compressed";
        assert_eq!(refusal(&[("graph_indicator", "1\n")], &ReadOptions::default()), missing);
        let none = [("graph_indicator", ""), ("graph_labels", ""), ("A", "")];
        assert_eq!(refusal(&none, &ReadOptions::default()), "no rows");
    }

    #[test]
    fn json_lines_are_graphs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graphs.jsonl");
        let text = r#"{"label": "active", "nodes": ["C", "N", "O"], "edges": [[0, 1], [1, 2, "double"]]}

{"edges": [], "nodes": 2, "label": 7, "attributes": [[0.5], [1]]}
"#;
        fs::write(&path, text).unwrap();
        let table = read_graphs(&path, &ReadOptions::default()).unwrap();
        assert_eq!((table.points[0].label(2), table.points[0].edges()), (Some("O"), 2));
        assert_eq!(table.points[0].edge_labels(1).collect::<Vec<_>>(), ["", "double"]);
        assert_eq!((table.points[1].nodes(), table.points[1].attributes().row(1)), (2, &[1.0][..]));
        assert_eq!(table.labels.unwrap().labels().classes(), ["active", "7"]);
        let targets = ReadOptions { targets: true, ..ReadOptions::default() };
        let message = read_graphs(&path, &targets).unwrap_err().to_string();
        assert!(message.ends_with("graphs.jsonl:1:11: not a number: 'active'"), "{message}");
        let absent = ReadOptions { label: Some(ColumnRef::Absent), ..ReadOptions::default() };
        assert_eq!(read_graphs(&path, &absent).unwrap().labels, None);
    }

    #[test]
    fn flaws_of_json_are_named_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.json");
        let flaw = |line: &str| {
            fs::write(&path, format!("{{\"nodes\": 1, \"edges\": [], \"label\": 1}}\n{line}\n")).unwrap();
            let error = read_graphs(&path, &ReadOptions::default()).unwrap_err().to_string();
            error.replace(&format!("{}:", path.display()), "")
        };
        for (line, message) in [
            (
                r#"{"nodes": 2, "edges": [[0, 1], [0, 2]], "label": 1}"#,
                "2:32: edge 2: node 2 of a graph with 2 nodes",
            ),
            (r#"{"label": "[[", "edges": [[1, 1]], "nodes": 2}"#, "2:27: edge 1: from node 1 to itself"),
            (
                r#"{"nodes": 2, "edges": [[0, 1, "a"], [1, 0, "b"]], "label": 1}"#,
                "2:37: edge 2: the same as edge 1",
            ),
            (r#"{"nodes": 0, "edges": [], "label": 1}"#, "2:11: a graph without nodes"),
            (r#"{"nodes": [], "edges": [], "label": 1}"#, "2:11: a graph without nodes"),
            (
                r#"{"nodes": 2, "edges": [], "label": 1, "attributes": [[1], [1, 2]]}"#,
                "2:53: 2 fields where 1",
            ),
            (r#"{"nodes": 2, "edges": [], "label": 1, "attributes": [[1]]}"#, "2:53: 1 lists of attributes"),
            (r#"{"nodes": 2, "edges": []}"#, "2:1: a row without a label"),
            (
                r#"{"nodes": 2, "edges": [[0, 1, 2, 3]], "label": 1}"#,
                "2:36: an edge must be [a, b] or [a, b, label]",
            ),
            (
                r#"{"nodes": 2, "edges": [[0, -1]], "label": 1}"#,
                "2:31: an edge must be [a, b] or [a, b, label]",
            ),
            (
                r#"{"nodes": 1.5, "edges": [], "label": 1}"#,
                "2:13: nodes must be their number or a list of labels",
            ),
            ("not JSON", "2:1: each line must be one graph, a JSON object with nodes and edges"),
            ("{nodes}", "2:2: no graph as a JSON object: key must be a string"),
            (r#"{"nodes": 2, "edges": [], "label": 1, "weight": 3}"#, "2:46: unknown key `weight`"),
            (r#"{"nodes": 2, "edges": "#, "2:22: no graph as a JSON object: EOF while parsing"),
            (r#"{"nodes": 2, "label": 1}"#, "2:24: missing key `edges`"),
            (r#"{"nodes": 2, "edges": [], "label": ""}"#, "2:36: a row without a label"),
            // Not the values of the keys in their order.
            (
                "  [1, 2, []]",
                "2:3: each line must be one graph, a JSON object with nodes and edges; the lines are no list",
            ),
            (r#"{"nodes": 2, "edges": 3, "label": 1}"#, "2:23: found integer `3`, expected a list"),
            (
                r#"{"nodes": 1, "edges": [], "attributes": [["a"]]}"#,
                "2:45: found string \"a\", expected a number",
            ),
            (
                "{",
                "2:1: no graph as a JSON object: EOF while parsing an object; a graph must end in the line",
            ),
        ] {
            let found = flaw(line);
            assert!(found.starts_with(message), "{line}: {found}");
        }
    }

    #[test]
    fn a_list_of_graphs_is_refused_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.json");
        for text in ["[{\"nodes\": 1, \"edges\": []}]\n", "[\n{\"nodes\": 1, \"edges\": []}\n]\n"] {
            fs::write(&path, text).unwrap();
            let error = read_graphs(&path, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.ends_with("g.json:1:1: each line must be one graph, a JSON object with nodes and edges; the lines are no list"), "{error}");
        }
    }

    #[test]
    fn two_data_sets_in_a_folder_are_refused_by_name() {
        let folder = folder(&TRIANGLE_AND_EDGE);
        fs::copy(folder.path().join("DS_A.txt"), folder.path().join("AB_A.txt")).unwrap();
        let error = read_graphs(folder.path(), &ReadOptions::default()).unwrap_err().to_string();
        let message =
            "a folder with two data sets, 'AB' and 'DS'; name a file of one of them, such as AB_A.txt";
        assert_eq!(error, message);
        assert!(read_graphs(&folder.path().join("DS_A.txt"), &ReadOptions::default()).is_ok());
    }

    #[test]
    fn graphs_of_json_have_all_a_label_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.json");
        let read = |lines: &str| {
            fs::write(&path, lines).unwrap();
            read_graphs(&path, &ReadOptions::default())
        };
        let (bare, labelled) =
            ("{\"nodes\": 1, \"edges\": []}\n", "{\"nodes\": 1, \"edges\": [], \"label\": 1}\n");
        let table = read(&bare.repeat(2)).unwrap();
        assert_eq!((table.points.len(), table.labels), (2, None));
        assert_eq!(read(&labelled.repeat(2)).unwrap().labels.map(|labels| labels.len()), Some(2));
        let error = read(&format!("{bare}{labelled}")).unwrap_err().to_string();
        assert!(error.ends_with("g.json:1:1: a row without a label"), "{error}");
    }
}
