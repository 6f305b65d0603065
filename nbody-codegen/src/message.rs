//! Table of all messages of the compiler: each error with its remedy.

/// A message that refuses code. Each `{}` stands for an argument, in order.
pub struct Message {
    text: &'static str,
    help: &'static str,
}

impl Message {
    /// Returns the message as it is displayed.
    pub fn render(&self, arguments: &[&str]) -> String {
        let mut arguments = arguments.iter();
        let mut filled = |template: &str| {
            let mut pieces = template.split("{}");
            let mut text = pieces.next().unwrap_or_default().to_owned();
            for piece in pieces {
                text.push_str(arguments.next().expect("an argument for each placeholder"));
                text.push_str(piece);
            }
            text
        };
        let text = filled(self.text);
        let help = filled(self.help);
        if help.is_empty() { text } else { format!("{text}\nhelp: {help}") }
    }
}

macro_rules! messages {
    ($($name:ident: $text:literal, $help:literal;)*) => {
        $(pub const $name: Message = Message { text: $text, help: $help };)*

        #[cfg(test)]
        const ALL: &[(&str, Message)] = &[$((stringify!($name), $name)),*];
    };
}

messages! {
    // The module.
    ARGUMENT: "unknown argument of `interaction`", "the only one is `crate = path`, where the `nbody` crate goes by another name";
    NOT_A_MODULE: "an interaction is a module", "write `#[nbody::interaction] mod gravity { ... }` with the structs and the `impl Interaction` inside";
    NO_BODY: "the module has no body", "an interaction is declared in place: `mod gravity { ... }`";
    TOKEN: "this is no token of Rust", "close quotes and comments, match each bracket by its like, and remove characters that Rust does not know";
    NO_DECLARATION: "there is no declaration in this text", "write structs and an `impl Interaction for ...`, by themselves or in a module";
    TEXT_LENGTH: "the text has more than {} bytes", "give it in several texts";
    WORD_LENGTH: "this has more than {} characters", "write a shorter number or name";
    ITEMS: "the text has more than {} structs, constants, functions and `impl`s", "give it in several texts";
    TWO_LAWS: "two declarations have the name `{}`", "give the struct of one of them another name";
    NO_INTERACTION: "the module has no `impl Interaction for ...`, nor one of `Update` or `Measure`", "add `impl Interaction for {} { type I = ...; type J = ...; type F = ...; fn pair(&self, i: &..., j: &..., f: &mut ...) { ... } }`";
    ITEM: "{} is not part of the language of interactions", "{}";
    ATTRIBUTE: "this attribute has no meaning here", "only doc comments and lint levels are kept; derives are added by the macro";
    GENERICS: "generic parameters have no meaning here", "the macro makes everything generic over the scalar; write `Real`";
    DUPLICATE: "`{}` is defined twice", "give one of them another name";
    RESERVED_TYPE: "`{}` names a type of the language", "give the struct another name";
    GENERATED_NAME: "`{}` means something in the generated code", "give it another name";
    NESTING: "this is nested more than {} levels deep", "name a part of it with `let`, or write a helper function";
    EXPRESSION_LENGTH: "this expression has more than {} operators, with those around it", "name a part of it with `let`, or write a helper function";
    PAIR_LENGTH: "`{}` has more than {} expressions, with those of its functions and of every iteration of its loops", "call fewer functions, or take loops of more than 32 iterations, which are not unrolled";
    // Structs.
    TUPLE_STRUCT: "the fields of this struct have no names", "write `struct {} { name: Real, ... }`";
    UNUSED_STRUCT: "`{}` is used by no `impl` of this module", "name it in an `impl`, or remove it";
    LESS_VISIBLE: "`{}` is less visible than `{}`, which uses it", "write `{} struct {}`";
    EMPTY_PARTICLE: "`{}` has no fields", "a particle or a result holds at least one number";
    EMPTY_BRACES: "a struct without fields has no braces", "write `struct {};`";
    TYPE: "`{}` is not a type of the language", "{}";
    ARRAY_LENGTH: "the length of an array is a whole number from 1 to 4096", "write it as a number or name a `u32` constant of the module; for a table, rows times columns count";
    DIMENSION: "a `{}` has 1 to 3 dimensions", "{}";
    FIELD_BOOL: "a field cannot be a `bool`", "store a flag as a `u32` and compare it with 0";
    OUTPUT_TYPE: "a result cannot hold a `{}`", "{}";
    REDUCTION_PLACE: "a `{}` is a result", "only the struct that `type F` names holds one; here, write `Real` or `u32`";
    SPLINE_PLACE: "a spline is a field of the parameters", "particles keep the numbers that a spline is called with: `self.{}.at(x)`";
    SPLINES_NUMBER: "an array of splines has one or two lengths, whole numbers from 1, and at most 262144 knots in all", "write it as `[Spline<N>; M]` or `[[Spline<N>; M]; M]`, with a number or a `u32` constant of the module for M";
    SPLINE_KNOTS: "a spline has 2 to 4096 knots", "write their number as a literal or a `u32` constant of the module: `Spline<1024>`";
    TABLE_PLACE: "a table is a field of the parameters", "a table by types belongs into `{}`, and is read as `self.{}[i.kind][j.kind]`; a matrix {} is a `[Real; {}]`, with `{}[{} * k + l]` in row k and column l";
    // The impl.
    OTHER_TRAIT: "only `impl Interaction for ...`, `impl Update for ...`, `impl Measure for ...` and `impl Tuple for ...` belong here", "{}";
    UNKNOWN_STRUCT: "there is no struct `{}` in this module", "{}";
    JOINED_RECORDS: "the number of structs in this tuple is {}", "name one struct, or two to {} as a tuple such as `(A, B)`";
    UNREAD_RECORD: "this `impl {}` does not name `{}`", "write `type F = {};` for results, `type Q = {};` for a second record of the particle, or `type G = {};` for a total";
    MISSING_ITEM: "`{}` is missing from this `impl {}`", "add `{}`";
    IMPL_ITEM: "`{}` is not an item of `{}`", "{}its items are {}";
    IMPL_DUPLICATE: "`{}` stands twice in this `impl {}`", "remove one of them";
    MODIFIER: "`{}` has no meaning here", "remove it";
    SELF_PAIRS: "`SELF_PAIRS` is `true` or `false`", "write `const SELF_PAIRS: bool = true;` where a particle meets itself when i and j are one set";
    PAIR_SIGNATURE: "`pair` has another signature", "write `fn pair(&self, i: &{}, j: &{}, f: &mut {})`";
    PROGRAM_SIGNATURE: "`{}` has another signature", "write `fn {}(&self, {})`";
    TUPLE_SIGNATURE: "`tuple` has another signature", "write `{}`";
    TUPLE_LENGTH: "this is a tuple of {} particles", "a tuple has 1 to {} particles";
    TUPLE_INDEX: "`{}` keeps the index of a j-particle, and a tuple has none", "use a `{}<Real>`";
    CUTOFF_SIGNATURE: "`cutoff` has another signature", "write `fn cutoff(&self, i: &{}, j: &{}) -> Real`";
    CUTOFF_POSITION: "a cutoff needs to know the position of `{}`", "give it one field that is a `Point`, not a `Vector`, with as many components as that of the other";
    // Functions and constants.
    FN_PARAMETER: "a parameter of a helper function is a name and a type", "{}";
    FN_TYPE: "a helper function takes and returns no `{}`", "tables are read as `self.table[i][j]` in `pair`, and results are accumulated there; pass the value";
    FN_OUTPUT: "a helper function returns a value", "add `-> Real` and end the body with the value; results are accumulated in `pair`";
    FN_MODIFIER: "helper functions are plain `fn`", "remove `const`, `async`, `unsafe` and `extern`";
    FN_VALUE: "the body of `{}` ends without a value", "end it with an expression of type `{}`, without a semicolon";
    RECURSION: "`{}` calls itself", "a GPU has no stack to speak of: unroll the recursion";
    CONST_TYPE: "a constant is a `Real` or a `u32`", "{}";
    CONST_VALUE: "this is not a constant expression", "{}";
    CONST_RANGE: "the value of `{}` is out of range", "a `Real` constant is finite, and a `u32` constant fits in 32 bits";
    // Names.
    UNKNOWN_NAME: "there is no `{}` here", "{}";
    HIDDEN: "`{}` hides {} of this name", "give the variable another name";
    UNKNOWN_FUNCTION: "there is no function `{}` in this module", "{}";
    UNKNOWN_FIELD: "`{}` has no field `{}`", "{}";
    UNKNOWN_METHOD: "`{}` has no method `{}`", "{}";
    POINT_METHOD: "a `Point` has no methods", "only differences of points exist: {}";
    UNKNOWN_COMPONENT: "a `{}` has no component `{}`", "its components are {}";
    POINT_COMPONENT: "a `Point` has no components", "only differences of points exist: write `{}`";
    // Gradients.
    GRADIENT_BY: "a gradient is by a field, a parameter or a variable", "{}";
    GRADIENT_INDEPENDENT: "`{}` does not depend on `{}`", "{}";
    GRADIENT_LOOP: "`{}` has a value of an earlier iteration, whose derivative is not known here", "take the derivative after the loop, or of a value that is computed within one iteration";
    GRADIENT_LOST: "`{}` has changed since this value was computed", "take the derivative before it changes, or keep its value with `let`";
    RATE_ALONG: "a rate is along velocities of fields, parameters or variables", "{}";
    RATE_TYPE: "the velocity of a `{}` is a `{}`, and this is a `{}`", "{}";
    GRADIENT_LENGTH: "this derivative has more than {} terms", "call fewer functions before it, or give loops fewer iterations";
    // Statements.
    STATEMENT: "{} is not part of the language of interactions", "{}";
    FOR_RANGE: "a `for` runs over a constant range of whole numbers", "{}";
    FOR_ASSIGN: "`{}` counts the iterations of a `for`, and does not change within one", "compute with it in a variable of its own";
    FOR_PATTERN: "the variable of a `for` is one name", "write `for k in 0..3 { ... }`";
    RETURN_GUARD: "a `return` is a guard, inside an `if`", "write `if ... { return; }`, or end a helper function with its value";
    RETURN_VALUE: "this function returns nothing", "accumulate or assign the value, and write `return;`";
    RETURN_TYPE: "`return` without a value of type `{}`", "a helper function returns a value: `return ...;`";
    UNREACHABLE: "nothing is computed after `return`", "remove it, or put it before";
    NO_EFFECT: "this statement has no effect", "name the value with `let`, or accumulate it with `f.field += ...`";
    LET_PATTERN: "`let` binds one name", "write `let name = ...;`";
    LET_INIT: "this variable has no value", "give it one: `let {} = ...;`";
    LET_TYPE: "this is a `{}`, and `{}` was declared", "{}";
    IMMUTABLE: "`{}` is assigned twice", "declare it with `let mut {}`";
    ASSIGN_INPUT: "`{}` is an input, and inputs do not change", "{}";
    ASSIGN_OUTPUT: "a result is accumulated, not assigned", "{}";
    NOT_A_SUM: "a `{}` is not a sum", "{}";
    REDUCE: "a result that is a `{}` has no method `{}`", "{}";
    ASSIGN_TYPE: "a `{}` is assigned to a `{}`", "{}";
    ASSIGN_TARGET: "this cannot be assigned to", "assign to a variable declared with `let mut`, or accumulate into a field of the result";
    NO_CHANGE: "`update` changes no field of `{}`", "assign to one: `{}.field = ...`, or `+=`";
    ARG_MIN: "an `{}` is two numbers", "take its `.value` or its `.index`";
    NEAREST_NUMBER: "the number of values of this `Nearest` is invalid", "it is from 1 to 16: a number or a `u32` constant, as in `Nearest<8>`";
    NEAREST_VALUE: "a `{}` is several numbers", "take one of its values or indices: `{}.values[0]` or `{}.indices[0]`";
    READ_OUTPUT: "a result cannot be read", "it holds a part of a sum only; keep what you need in a variable";
    UNUSED_OUTPUT: "nothing is accumulated into `{}`", "add `{}` to `{}`, or remove the field";
    WHOLE_PARTICLE: "`{}` is a whole record", "name one of its fields: {}";
    // Expressions.
    EXPRESSION: "{} is not part of the language of interactions", "{}";
    CONDITION: "a condition is a `bool`, and this is a `{}`", "{}";
    BRANCHES: "the branches have different types, `{}` and `{}`", "{}";
    NO_ELSE: "this `if` gives a value and has no `else`", "add `else { ... }`";
    BRANCH_VALUE: "this branch ends without a value", "end it with an expression, without a semicolon";
    BINARY: "`{} {} {}` has no meaning", "{}";
    UNARY: "`{}{}` has no meaning", "{}";
    POWER: "`{}` is not a power", "write `{}`";
    LITERAL: "this literal is not a number of the language", "{}";
    LITERAL_RANGE: "this number is out of range", "a `Real` is finite, and a `u32` fits in 32 bits";
    CAST: "`{} as {}` is not a conversion of the language", "{}";
    ARITY: "`{}` takes {}, and {} given", "";
    ARGUMENT_TYPE: "this argument is a `{}`, and `{}` takes a `{}`", "{}";
    POWI: "the exponent of `powi` is a constant whole number", "{}";
    INDEX: "an index is a whole number below {}", "write it as a number, a `u32` constant, or the variable of a `for`";
    INDEX_TYPE: "an index is a `u32`, and this is a `{}`", "write a number, a `u32` constant, the variable of a `for` or a `u32` field";
    GATHER: "`{}` takes no index: only the second particles of an update or a measure do", "declare them by `type Q = ...;` and write `q[n].field`";
    INDEX_DATA: "this index is not known before the data is", "{}";
    SPLINE_VALUE: "a spline is a function", "write `{}.at(x)`, or `{}.slope(x)` for its derivative";
    SPLINES_INDEX: "an array of splines takes {}", "write `{}.at(x)`";
    TABLE_INDEX: "a table takes two indices", "write `table[i][j]`";
    NOT_INDEXABLE: "a `{}` cannot be indexed", "{}";
    EMPTY_ARRAY: "an array holds at least one `Real`", "";
}

/// Finds the name that a misspelt one was meant to be.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = names
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()) / 3);
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Writes `did you mean` for a misspelt name, or else the list of names to choose from.
pub fn suggestion<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    match nearest(name, names.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if names.is_empty() => "there is none to choose from".to_owned(),
        None => {
            let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("there is {}", list.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fill_text_and_help() {
        let text = PAIR_SIGNATURE.render(&["Body", "Body", "Field"]);
        assert!(text.contains("i: &Body, j: &Body, f: &mut Field"), "{text}");
    }

    /// Returns the messages that the UI tests show, file after file.
    fn shown() -> String {
        let topics = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/ui");
        let mut shown = String::new();
        let topics = std::fs::read_dir(topics).unwrap().flatten();
        for topic in topics.filter(|topic| topic.path().is_dir()) {
            for file in std::fs::read_dir(topic.path()).unwrap().flatten() {
                if file.path().extension().is_some_and(|extension| extension == "stderr") {
                    shown += &std::fs::read_to_string(file.path()).unwrap();
                }
            }
        }
        shown
    }

    /// Tests whether the line contains the pieces of the text in order.
    fn is_like(line: &str, text: &str) -> bool {
        let mut rest = line;
        text.split("{}").all(|piece| {
            let found = rest.find(piece);
            rest = found.map_or("", |at| &rest[at + piece.len()..]);
            found.is_some()
        })
    }

    #[test]
    fn every_message_is_in_the_reference() {
        let reference = include_str!("../../docs/language.md");
        for (name, message) in ALL {
            let mut rows = reference.lines().filter(|line| line.starts_with("| "));
            let found = rows.any(|row| is_like(row, message.text));
            assert!(found, "{name} is not in docs/language.md");
        }
    }

    #[test]
    fn every_message_is_shown_by_a_ui_test() {
        let shown = shown();
        let errors: Vec<_> =
            shown.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
        for (name, message) in ALL {
            // Rust itself refuses these before the compiler sees them: texts alone have such errors.
            let of_texts = [
                "NO_BODY",
                "TOKEN",
                "NO_DECLARATION",
                "TEXT_LENGTH",
                "WORD_LENGTH",
                "ITEMS",
                "TWO_LAWS",
            ];
            let is_shown =
                of_texts.contains(name) || errors.iter().any(|e| is_like(e, message.text));
            assert!(is_shown, "{name} is in no tests/ui/*/*.stderr");
        }
    }

    #[test]
    fn a_module_without_a_body_is_refused() {
        let refused = crate::cuda("mod gravity;".parse().unwrap()).unwrap_err();
        assert!(refused.starts_with(NO_BODY.text), "{refused}");
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_listed() {
        assert_eq!(suggestion("mas", ["mass", "pos"]), "did you mean `mass`?");
        assert_eq!(suggestion("charge", ["mass", "pos"]), "there is `mass`, `pos`");
    }
}
