//! A body that is being checked: its names, and its statements so far.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use syn::{Block, Ident};

use crate::check::items::Items;
use crate::check::scope::{Binding, Scopes};
use crate::comments::Comments;
use crate::diagnostics::Site;
use crate::ir::{
    self, Body, FieldId, Function, Input, List, LocalId, Roles, Side, Stmt, StmtKind, StructId,
    Type,
};
use crate::message;
use crate::names::Unique;

/// Checks one body, statement by statement.
pub(crate) struct BodyChecker<'a> {
    pub items: &'a Items<'a>,
    /// The helper functions that it may call; `None` after an error in one of them.
    pub functions: Option<&'a List<Function>>,
    pub scopes: Scopes,
    pub locals: List<ir::Local>,
    /// Structs of the parameters, of the particles, and of results that are read.
    pub records: Vec<(Input, StructId)>,
    pub output: Option<StructId>,
    /// Whether the body may change the particle, as an update does.
    pub changes: bool,
    pub returns: Returns,
    names: Unique,
    space: String,
    pub comments: Comments,
    /// Comments of the statement that is being checked.
    pub pending: Vec<String>,
    /// Statements so far in each open block.
    pub open: Vec<Vec<Stmt>>,
    /// The open blocks that are bodies of loops: their places in `open`, and their variables.
    pub loops: Vec<(usize, LocalId)>,
    /// Fields of the result that are accumulated, or fields of the particle that are changed.
    pub accumulated: HashSet<FieldId>,
    /// Variables that a number declared, with the name and the number.
    pub numbers: HashMap<LocalId, (String, String)>,
    /// Ranges of the integers that `let` binds to values that do not depend on the data.
    pub known: HashMap<LocalId, (u64, u64)>,
    /// Whether the value of an assignment to a result, which was refused, may read the result.
    pub reads_output: bool,
    /// Names of records that variables hide.
    pub hidden: HashSet<String>,
}

/// Type that a function returns.
#[derive(Clone, Copy)]
pub(crate) enum Returns {
    Nothing,
    Value(Type),
    /// A type that was refused already.
    Unknown,
}

impl<'a> BodyChecker<'a> {
    pub fn new(items: &'a Items<'a>, functions: Option<&'a List<Function>>, block: &Block) -> Self {
        let mut names = items.names.clone();
        let space = names.name("space");
        Self {
            items,
            functions,
            scopes: Scopes::default(),
            locals: List::default(),
            records: Vec::new(),
            output: None,
            changes: false,
            returns: Returns::Nothing,
            names,
            space,
            comments: Comments::of(block),
            pending: Vec::new(),
            open: vec![Vec::new()],
            loops: Vec::new(),
            accumulated: HashSet::new(),
            numbers: HashMap::new(),
            known: HashMap::new(),
            reads_output: false,
            hidden: HashSet::new(),
        }
    }

    /// Binds the names of a function's parameters: `self`, then one name for each of `records`,
    /// then the result, if there is one, or the result of each particle of a tuple.
    pub fn roles(
        &mut self,
        names: &[Ident],
        records: &[(Input, StructId)],
        output: Option<StructId>,
    ) -> Roles {
        self.records = records.to_vec();
        self.output = output;
        self.scopes.bind("self".to_owned(), Binding::Input(Input::Parameters));
        let inputs = records.iter().map(|(input, _)| *input);
        let inputs = inputs.filter(|input| *input != Input::Parameters);
        let of_tuple = records.iter().any(|(input, _)| matches!(input, Input::Member(_)));
        let mut names = names.iter();
        let mut of_inputs = Vec::new();
        for (input, name) in inputs.zip(&mut names) {
            self.scopes.bind(name.to_string(), Binding::Input(input));
            of_inputs.push((input, self.names.name(&name.to_string())));
        }
        let (result, members) = match names.as_slice() {
            [] => (self.names.name("f"), Vec::new()),
            [one] if !of_tuple => (self.bind_result(one, Side::I), Vec::new()),
            all => {
                let members = all.iter().enumerate();
                let members = members.map(|(k, name)| self.bind_result(name, Side::Member(k)));
                (String::new(), members.collect())
            }
        };
        let [index, others] = ["index", "others"].map(|name| self.names.name(name));
        Roles { inputs: of_inputs, f: result, index, others, g: None, members }
    }

    fn bind_result(&mut self, name: &Ident, side: Side) -> String {
        self.scopes.bind(name.to_string(), Binding::Output(side));
        self.names.name(&name.to_string())
    }

    /// Returns the struct of the result.
    pub fn result(&self) -> StructId {
        self.output.expect("a result is bound with its name")
    }

    /// Declares a variable with a name that is unique in the body.
    pub fn declare(&mut self, ident: &Ident, ty: Type, mutable: bool) -> LocalId {
        let name = ident.to_string();
        let unique = self.names.name(&name);
        let span = ident.span();
        let may_be_unused = name.starts_with('_');
        let local = ir::Local { may_be_unused, mutable, ..ir::Local::new(unique, ty, span) };
        let id = self.locals.push(local);
        self.scopes.bind(name, Binding::Local(id));
        id
    }

    /// Declares a variable that no name of the text means.
    pub fn declare_unnamed(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let name = self.names.name(name);
        let local = ir::Local::new(name, ty, span);
        self.locals.push(local)
    }

    /// Refuses fields of the result that no statement accumulates into. The function calls the
    /// result `name`.
    pub fn refuse_unused(&self, output: StructId, name: &Ident, function: &str) {
        let fields = self.items.structs.fields(output);
        for (_, field) in fields.filter(|(id, _)| !self.accumulated.contains(id)) {
            if field.is_refused {
                continue;
            }
            let how = match field.ty {
                Type::Reduced(reduction) => match reduction.method() {
                    Some(method) => format!(".{method}(...);"),
                    None => " += 1;".to_owned(),
                },
                Type::Array(_) => "[k] += ...;".to_owned(),
                Type::Counts(_) => "[k] += 1;".to_owned(),
                _ => " += ...;".to_owned(),
            };
            let missing = format!("{name}.{}{how}", field.ident);
            let arguments = [&*field.ident.to_string(), &missing, function];
            self.items.cx.error(Site::of(&field.ident), &message::UNUSED_OUTPUT, &arguments);
        }
    }

    /// Returns the body after all statements are checked; `functions` has all functions that it
    /// may call.
    pub fn finish(
        mut self,
        functions: &List<Function>,
        block: &Block,
        value: Option<ir::Expr>,
    ) -> Body {
        let mut comments = self.pending;
        comments.extend(self.comments.rest_of(block));
        let statements = self.open.pop().expect("the block of the function itself is open");
        Body::new(functions, self.locals, statements, value, (self.space, comments))
    }

    /// Adds a statement to the innermost open block.
    pub fn push(&mut self, kind: StmtKind) {
        let comments = std::mem::take(&mut self.pending);
        self.block().push(Stmt { lints: Vec::new(), comments, behind: None, kind });
    }

    /// Returns the statements of the innermost open block.
    pub fn block(&mut self) -> &mut Vec<Stmt> {
        self.open.last_mut().expect("the block of the function itself is open")
    }
}
