//! Figures and rows as SVG.

use nbody_plots::{Axis, Curve, Figure, Row, Rows, Wall};

fn figure() -> Figure {
    Figure::new("title", Axis::logarithmic("x").at_values(), Axis::logarithmic("y"))
}

/// The elements of a kind with an attribute.
fn with<'a>(text: &'a str, element: &str, attribute: &str) -> Vec<&'a str> {
    let is_one = |line: &&str| line.contains(element) && line.contains(attribute);
    text.lines().filter(is_one).collect()
}

/// The attribute of an element as a number.
fn number(line: &str, attribute: &str) -> f64 {
    let (_, rest) = line.split_once(&format!(" {attribute}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// The place of a text.
fn place(text: &str, words: &str) -> [f64; 2] {
    let at = text.find(&format!("\n{words}\n")).unwrap_or_else(|| panic!("{words} in {text}"));
    let line = text[..at].lines().next_back().unwrap();
    ["x", "y"].map(|attribute| number(line, attribute))
}

const LINE: &[(f64, f64)] = &[(1.0, 1.0), (10.0, 3.0), (100.0, 2.0)];

#[test]
fn curves_that_coincide_are_halos_below_others() {
    let line = |name: &str| Curve::line(name, LINE.to_vec());
    let text = figure().curve(line("a")).curve(line("b")).svg().unwrap();
    assert!(text.contains("the lower one is a halo"), "{text}");
    let of = |colour| with(&text, "<polyline", colour);
    let widths = |lines: Vec<&str>| lines.iter().map(|it| number(it, "stroke-width")).sum::<f64>();
    // Each with its sample beside the name.
    assert_eq!((widths(of("#0072B2")), widths(of("#D55E00"))), (12.0, 4.0));
    let [below, above] = ["#0072B2", "#D55E00"].map(|colour| text.find(colour).unwrap());
    assert!(below < above, "{text}");
    let one = figure().curve(line("a")).svg().unwrap();
    assert!(!one.contains("halo") && !one.contains("\na\n"), "{one}");
}

#[test]
fn names_stand_beside_the_ends_of_their_curves() {
    let high: Vec<_> = LINE.iter().map(|(x, y)| (*x, 100.0 * y)).collect();
    let curves = [Curve::line("low", LINE.to_vec()), Curve::line("high", high)];
    let text = figure().curves(curves).svg().unwrap();
    let [low, high] = ["low", "high"].map(|name| place(&text, name));
    let end = |colour: &str| with(&text, "<polyline", colour)[0].to_owned();
    let last = |line: String| -> [f64; 2] {
        let (_, rest) = line.split_once("points=\"").unwrap();
        let point = rest.split('"').next().unwrap().split(' ').rfind(|it| !it.is_empty());
        let (x, y) = point.unwrap().split_once(',').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    // The curve that ends highest comes first.
    for (name, colour) in [(high, "#0072B2"), (low, "#D55E00")] {
        let end = last(end(colour));
        assert!((name[1] - end[1]).abs() < 20.0 && name[0] > end[0], "{name:?} {end:?}");
    }
    assert!(high[1] < low[1], "{high:?} {low:?}");
}

#[test]
fn points_outside_of_the_axes_are_left_out() {
    let points = vec![(1.0, f64::NAN), (2.0, 0.0), (3.0, -1.0), (0.0, 1.0), (10.0, 5.0)];
    let text = figure().curve(Curve::line("a", points)).svg().unwrap();
    assert_eq!(with(&text, "<circle", "#0072B2").len(), 1, "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    for curves in [vec![], vec![Curve::line("none", vec![]), Curve::line("a", LINE.to_vec())]] {
        let text = figure().curves(curves).svg().unwrap();
        assert!(text.trim_end().ends_with("</svg>"), "{text}");
    }
}

#[test]
fn models_are_dashed_and_labels_stand_at_points() {
    let model = vec![(1.0, 1.0), (100.0, 600.0)];
    let labels = ["p", "q", "r"].map(str::to_owned).to_vec();
    let curve = Curve::points("a", LINE.to_vec()).labelled(labels);
    let plain = figure().curve(curve.clone()).svg().unwrap();
    assert!(with(&plain, "<polyline", "#0072B2").is_empty(), "{plain}");
    let [p, q, _] = ["p", "q", "r"].map(|label| place(&plain, label));
    assert!(p[0] < q[0] && p[1] > q[1], "{p:?} {q:?}");
    let text = figure().curve(curve.with_model(model.clone())).svg().unwrap();
    // The axis reaches to the end of the model.
    let dashes = with(&text, "<polyline", "#0072B2").len();
    assert!(dashes > 10 && text.contains("\n500\n"), "{dashes} {text}");
    let text = figure().curve(Curve::model("m", model)).svg().unwrap();
    assert!(with(&text, "<polyline", "#5A5A5A").len() > 10, "{text}");
}

#[test]
fn sequences_and_groups_have_their_colours() {
    let line = |k: f64| vec![(1.0, k), (10.0, 2.0 * k)];
    let sequence = [0.0, 0.5, 1.0].map(|at| Curve::line(format!("{at}"), line(1.0 + at)).at(at));
    let text = figure().curves(sequence).svg().unwrap();
    let dark = with(&text, "<polyline", "#440154");
    assert_eq!(dark.len(), 2, "{text}");
    let many = (0..9).map(|k| Curve::line(format!("{k}"), line(f64::from(k + 1))).at(0.5));
    let text = figure().curves(many).svg().unwrap();
    assert_eq!(with(&text, "<polyline", "stroke-width=\"2\"").len(), 18, "{text}");
    let group = [1.0, 3.0].map(|k| Curve::line(format!("{k}"), line(k)).of_group(1));
    let text = figure().curves(group).svg().unwrap();
    assert_eq!(with(&text, "<polyline", "#D55E00").len(), 4, "{text}");
    let band = vec![(1.0, [1.0, 2.0]), (10.0, [2.0, 9.0])];
    let text = figure().curve(Curve::line("a", line(1.0))).band("scatter", band).svg().unwrap();
    assert!(text.contains("\nscatter\n"), "{text}");
    assert_eq!(with(&text, "<polygon", "#E2E2E2").len(), 2, "{text}");
}

#[test]
fn points_lie_on_lines_and_lines_on_models_without_halos() {
    let points = Curve::points("points", LINE.to_vec());
    let model = Curve::model("model", LINE.to_vec());
    let line = Curve::line("line", LINE.to_vec()).without_marks();
    let one = Curve::line("one", vec![(1.0, 2.5)]);
    let text = figure().curves([points, model, line, one]).svg().unwrap();
    assert!(!text.contains("halo"), "{text}");
    // Models do not take a colour from the measured curves.
    let [model, line, points] =
        [("<polyline", "#5A5A5A"), ("<polyline", "#009E73"), ("<polygon", "#D55E00")]
            .map(|(element, colour)| text.find(with(&text, element, colour)[0]).unwrap());
    assert!(model < line && line < points, "{text}");
    // A line needs two points: of the single point there is a sample alone.
    assert_eq!(with(&text, "<polyline", "#0072B2").len(), 1, "{text}");
}

#[test]
fn labels_do_not_cover_one_another() {
    let points = vec![(1.0, 1.0), (1.01, 1.01), (100.0, 1.0)];
    let labels = ["p", "q", "r"].map(str::to_owned).to_vec();
    let text = figure().curve(Curve::line("a", points).labelled(labels)).svg().unwrap();
    let has = |label: &str| text.contains(&format!("\n{label}\n"));
    assert_eq!(["p", "q", "r"].map(has), [true, false, true], "{text}");
}

#[test]
fn crowded_lines_have_no_marks() {
    let points = |n: i32| (1..=n).map(|k| (f64::from(k), f64::from(k))).collect::<Vec<_>>();
    let marks =
        |n| with(&figure().curve(Curve::line("a", points(n))).svg().unwrap(), "<circle", "").len();
    assert_eq!((marks(60), marks(61)), (60, 0));
    let named = points(61).into_iter().map(|point| ("a".to_owned(), point));
    let text = figure().curves(Curve::by_name(named)).svg().unwrap();
    assert!(with(&text, "<circle", "").is_empty(), "{text}");
}

#[test]
fn points_by_name_are_joined_and_sorted() {
    let points = [("b", 2.0), ("a", 1.0), ("b", 1.0)];
    let curves = Curve::by_name(points.map(|(name, x)| (name.to_owned(), (x, 10.0 * x))));
    let found: Vec<_> = curves.iter().map(|it| (&it.name[..], &it.points[..])).collect();
    assert_eq!(found, [("b", &[(1.0, 10.0), (2.0, 20.0)][..]), ("a", &[(1.0, 10.0)])]);
}

#[test]
fn values_at_one_chosen_x_are_rows() {
    let one = |name: &str, y: f64| Curve::line(name, vec![(4096.0, y)]);
    let curves = [one("slow", 3.0), one("fast", 1.0)];
    let text = figure().curves(curves.clone()).svg().unwrap();
    assert!(text.contains("x: 4096"), "{text}");
    // The largest value is at the top.
    let [slow, fast] = ["slow", "fast"].map(|name| place(&text, name));
    assert!(slow[1] < fast[1], "{text}");
    let [first, last] = with(&text, "<circle", "#0072B2")[..] else { panic!("{text}") };
    assert!(number(first, "cx") > number(last, "cx"), "{text}");
    let measured = Figure::new("", Axis::logarithmic("x"), Axis::logarithmic("y")).curves(curves);
    assert!(!measured.svg().unwrap().contains("x: 4096"));
}

#[test]
fn rows_have_marks_ranges_and_walls() {
    let wall = |name: &str, at: f64, kind: Option<&str>| Wall {
        name: name.to_owned(),
        at,
        is_dashed: kind.is_some(),
        kind: kind.map(str::to_owned),
    };
    let rows = [
        Row::new("upper").mark("cpu", 2.0).mark("gpu", 50.0).range(Some([60.0, 80.0])),
        Row::new("lower").mark("cpu", 4.0).mark("gpu", f64::NAN),
    ];
    let walls = [wall("peak", 8.0, Some("cpu")), wall("limit", 90.0, None)];
    let axis = Axis::logarithmic("flop/s").prefixed("");
    let plot = Rows::new("title", axis).rows(rows).walls(walls).ranges("roof");
    let text = plot.svg().unwrap();
    for name in ["upper", "lower", "cpu", "gpu", "peak", "limit", "roof"] {
        place(&text, name);
    }
    // Two marks of the CPU, one with its number of the GPU, and each in the legend.
    assert_eq!(with(&text, "<circle", "#0072B2").len(), 3, "{text}");
    assert_eq!(with(&text, "<polygon", "#D55E00").len(), 2, "{text}");
    assert!(with(&text, "<polyline", "#0072B2").len() > 10, "a dashed wall: {text}");
    assert_eq!(with(&text, "<polyline", "stroke-width=\"4\"").len(), 4, "{text}");
    assert!(!text.contains("NaN"), "{text}");
}
