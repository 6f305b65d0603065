//! Form of each value: a sum over charges, or an obstacle to it.

use std::collections::BTreeSet;

use super::observer::Accumulated;
use crate::ir::{Accumulate, Builtin, FieldId, Input, Interaction, Module, Type};
use crate::values::graph::{Graph, Node, Op, Value};

/// Largest number of charges of a value; products of sums have many.
const MOST: usize = 32;
/// Largest number of factors of a charge, far above any useful one: squares of squares have many.
const MOST_FACTORS: usize = 64;

/// A factor of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// Numbers of j; a vector contributes each of its components.
    Numbers { first: usize, count: usize },
    /// Another function of j alone, by its node.
    Function(usize),
}

/// Factors of a charge, in order. An empty charge is the number of particles.
pub type Charge = Vec<Factor>;

/// Reason why a value is no sum over charges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A minimum, a maximum or a count.
    Reduction,
    /// A term without a charge.
    NoCharge { node: usize },
    /// Fields of j that are not factors, in a value that also depends on the rest of the pair.
    Mixed { node: usize, fields: Vec<FieldId> },
    /// A charge that is a function of j.
    Function { node: usize },
    /// A kernel that oscillates.
    Oscillates { node: usize },
    /// Charges that no particle can have.
    Products,
}

/// Fields of a particle that a value depends on.
#[derive(Clone, Copy, Default)]
struct Fields {
    position: bool,
    others: bool,
}

impl Fields {
    fn and(self, other: Self) -> Self {
        Self { position: self.position || other.position, others: self.others || other.others }
    }
}

/// Inputs that a value depends on, besides parameters.
#[derive(Clone, Copy, Default)]
struct Reads {
    i: Fields,
    j: Fields,
}

impl Reads {
    fn and(self, other: Self) -> Self {
        Self { i: self.i.and(other.i), j: self.j.and(other.j) }
    }

    /// Tests whether it depends on fields of j other than the position.
    fn charge(self) -> bool {
        self.j.others
    }

    /// Tests whether it depends on the position of j or on a field of i.
    fn pair(self) -> bool {
        self.j.position || self.i.position || self.i.others
    }
}

/// The sum over charges that gives a field of the result.
#[derive(Clone, Default)]
pub struct Sum {
    pub charges: BTreeSet<Charge>,
    /// Whether the kernels depend on numbers of i other than the position.
    pub depends_on_i: bool,
}

/// Charges of a value, or the reason why it has none.
type Form = Result<BTreeSet<Charge>, Obstacle>;

/// Forms of all nodes.
pub struct Forms {
    reads: Vec<Reads>,
    all: Vec<Form>,
    /// For each node, the first node at or below it that oscillates with the position.
    oscillates: Vec<Option<usize>>,
}

impl Forms {
    pub fn of(module: &Module, interaction: &Interaction, graph: &Graph) -> Self {
        let mut forms = Self { reads: Vec::new(), all: Vec::new(), oscillates: Vec::new() };
        for (k, node) in graph.nodes().iter().enumerate() {
            let reads = forms.inputs(module, node);
            let mut form = match node {
                _ if k == Value::ZERO.node() => Ok(BTreeSet::new()),
                _ if !reads.charge() => Ok(BTreeSet::from([Charge::new()])),
                Node::Input(_, field) => {
                    let fields = &module[interaction.j.id].fields;
                    let before = &fields[..field.place()];
                    let first = before.iter().map(|field| field.ty.components()).sum();
                    let count = module[*field].ty.components();
                    Ok(BTreeSet::from([vec![Factor::Numbers { first, count }]]))
                }
                Node::Apply(op, operands) => forms.operation(graph, k, *op, operands),
                _ => unreachable!("only inputs and operations depend on j"),
            };
            if !reads.pair() && form.is_err() {
                form = Ok(BTreeSet::from([vec![Factor::Function(k)]]));
            }
            forms.reads.push(reads);
            forms.all.push(form);
            let oscillates = forms.oscillation(k, node);
            forms.oscillates.push(oscillates);
        }
        forms
    }

    fn inputs(&self, module: &Module, node: &Node) -> Reads {
        match node {
            Node::Input(input @ (Input::I | Input::J), field) => {
                let position = matches!(module[*field].ty, Type::Point(_));
                let fields = Fields { position, others: !position };
                match input {
                    Input::I => Reads { i: fields, ..Reads::default() },
                    _ => Reads { j: fields, ..Reads::default() },
                }
            }
            Node::Apply(_, operands) => {
                let reads = operands.iter().map(|x| self.reads[x.node()]);
                reads.fold(Reads::default(), Reads::and)
            }
            _ => Reads::default(),
        }
    }

    /// Returns the first node at or below `k` that is periodic in the position.
    fn oscillation(&self, k: usize, node: &Node) -> Option<usize> {
        let Node::Apply(op, operands) = node else { return None };
        let is_periodic = matches!(op, Op::Math(Builtin::Sin | Builtin::Cos | Builtin::Tan));
        if is_periodic && self.reads[k].j.position {
            return Some(k);
        }
        operands.iter().find_map(|x| self.oscillates[x.node()])
    }

    /// Returns the form of an operation that depends on fields of j.
    fn operation(&self, graph: &Graph, node: usize, op: Op, x: &[Value]) -> Form {
        let is_free = |x: &Value| !self.reads[x.node()].charge();
        match op {
            Op::Sum | Op::Components => self.sum(x),
            Op::Math(Builtin::MulAdd) => self.sum_of(self.product(&x[..2])?, &x[2..]),
            Op::Product(factors) if x[factors..].iter().all(is_free) => self.product(&x[..factors]),
            Op::Product(factors) => {
                // Divisors that depend on j alone are a charge.
                let divisors =
                    self.divisors(node, &x[factors..]).ok_or_else(|| self.mixed(graph, node))?;
                Ok(times(&self.product(&x[..factors])?, &BTreeSet::from([divisors])))
            }
            Op::Triple | Op::Math(Builtin::Dot | Builtin::Cross) => self.product(x),
            Op::Component(k) => {
                let is_input = matches!(graph.nodes()[x[0].node()], Node::Input(..));
                let charges = self.all[x[0].node()].clone()?;
                // Each component of a product may depend on every number of j.
                let of_component = |charge| if is_input { component(charge, k) } else { charge };
                Ok(charges.into_iter().map(of_component).collect())
            }
            Op::Powi(n @ 1..=4) => self.product(&vec![x[0]; n.unsigned_abs() as usize]),
            Op::Select if is_free(&x[0]) => self.sum(&x[1..]),
            Op::Select if !self.reads[x[0].node()].pair() => {
                let condition = vec![Factor::Function(x[0].node())];
                Ok(times(&self.sum(&x[1..])?, &BTreeSet::from([condition])))
            }
            _ => Err(self.mixed(graph, node)),
        }
        .and_then(|charges| {
            let is_long = charges.iter().any(|charge| charge.len() > MOST_FACTORS);
            if is_long || charges.len() > MOST { Err(Obstacle::Products) } else { Ok(charges) }
        })
    }

    /// Returns the divisors as a charge, if they depend on j and on nothing else of the pair.
    fn divisors(&self, node: usize, x: &[Value]) -> Option<Charge> {
        let mut of_j = x.iter().filter(|x| self.reads[x.node()].charge());
        of_j.all(|x| !self.reads[x.node()].pair()).then(|| vec![Factor::Function(node)])
    }

    fn sum(&self, x: &[Value]) -> Form {
        self.sum_of(BTreeSet::new(), x)
    }

    fn sum_of(&self, mut charges: BTreeSet<Charge>, x: &[Value]) -> Form {
        for x in x {
            charges.extend(self.all[x.node()].clone()?);
        }
        Ok(charges)
    }

    fn product(&self, x: &[Value]) -> Form {
        let mut charges = BTreeSet::from([Charge::new()]);
        for x in x {
            charges = times(&charges, self.all[x.node()].as_ref().map_err(Clone::clone)?);
        }
        Ok(charges)
    }

    /// Returns the obstacle at a node, with the fields of j that it reads.
    fn mixed(&self, graph: &Graph, node: usize) -> Obstacle {
        let Node::Apply(op, operands) = &graph.nodes()[node] else {
            unreachable!("an input of j is a charge");
        };
        // Report the first operation that mixes.
        if let Some(obstacle) = operands.iter().find_map(|x| self.all[x.node()].clone().err()) {
            return obstacle;
        }
        let of_node = match op {
            Op::Product(factors) => &operands[*factors..],
            _ => operands,
        };
        let mut fields = BTreeSet::new();
        let mut rest: Vec<_> = of_node.iter().map(|x| x.node()).collect();
        while let Some(node) = rest.pop() {
            match &graph.nodes()[node] {
                Node::Input(Input::J, field) if self.reads[node].charge() => {
                    fields.insert(*field);
                }
                Node::Apply(_, operands) => {
                    let read = operands.iter().map(|x| x.node());
                    rest.extend(read.filter(|&x| self.reads[x].charge()));
                }
                _ => {}
            }
        }
        Obstacle::Mixed { node, fields: fields.into_iter().collect() }
    }

    /// Returns the sum for each field of the result.
    pub fn sums(
        &self,
        module: &Module,
        interaction: &Interaction,
        graph: &Graph,
        accumulated: &[Accumulated],
    ) -> Result<Vec<Sum>, Obstacle> {
        let mut sums = vec![Sum::default(); module[interaction.f.id].fields.len()];
        for &Accumulated { condition, field, how, value } in accumulated {
            if graph.known_truth(condition) == Some(false) || value == Value::ZERO {
                continue;
            }
            if let Accumulate::Reduce(_) = how {
                return Err(Obstacle::Reduction);
            }
            let reads = self.reads[condition.node()];
            if reads.charge() && reads.pair() {
                return Err(self.mixed(graph, condition.node()));
            }
            let mut of_value = self.all[value.node()].clone()?;
            if reads.charge() {
                let condition = vec![Factor::Function(condition.node())];
                of_value = times(&of_value, &BTreeSet::from([condition]));
            }
            for charge in &of_value {
                match charge.iter().find(|factor| matches!(factor, Factor::Function(_))) {
                    Some(&Factor::Function(node)) => return Err(Obstacle::Function { node }),
                    _ if charge.is_empty() => {
                        return Err(Obstacle::NoCharge { node: value.node() });
                    }
                    _ => {}
                }
            }
            let oscillates = [condition, value].iter().find_map(|x| self.oscillates[x.node()]);
            if let Some(node) = oscillates {
                return Err(Obstacle::Oscillates { node });
            }
            let sum = &mut sums[field.place()];
            sum.charges.extend(of_value);
            sum.depends_on_i |= reads.and(self.reads[value.node()]).i.others;
        }
        Ok(sums)
    }
}

/// Multiplies the charges of two factors.
fn times(a: &BTreeSet<Charge>, b: &BTreeSet<Charge>) -> BTreeSet<Charge> {
    let products = a.iter().flat_map(|a| {
        b.iter().map(move |b| {
            let mut charge = [&a[..], &b[..]].concat();
            charge.sort_unstable();
            charge
        })
    });
    // The limit allows more than can be used, and few enough to sort.
    products.take(MOST * MOST).collect()
}

/// Returns the charge of one component of a field of j.
fn component(charge: Charge, k: usize) -> Charge {
    match charge[..] {
        [Factor::Numbers { first, count }] if count > 1 => {
            vec![Factor::Numbers { first: first + k, count: 1 }]
        }
        _ => charge,
    }
}
