//! The measurement of an interaction over lists of a liquid.

use std::error::Error;
use std::time::{Duration, Instant};

use nbody::lists::{NeighbourStats, NeighbourTimes};
use nbody::untyped::{Buffer, Engine as _, Listed, Neighbours, Origin};
use nbody::{Device, Options, Sequence, Skin, Sources, Store};

use super::Space;
use super::liquid::Liquid;
use super::motion::Motion;
use crate::interactions::Chosen;

/// The number of steps after which the fastest particle has moved by half of the skin.
pub const INTERVAL: u32 = 10;
/// Number of timed runs of [`INTERVAL`] steps each; the median counts.
pub const RUNS: usize = 5;
/// Further steps, in which the parts are timed.
const TIMED: u32 = 2 * INTERVAL;
/// The least part of the cutoff that a particle moves by in an interval, where there is no skin.
const LEAST: f64 = 1e-2;

/// A measurement.
pub struct Row {
    pub device: String,
    pub interaction: &'static str,
    pub n: usize,
    pub cutoff: f64,
    pub density: f64,
    pub skin: f64,
    /// The pairs of a particle within the cutoff, within cutoff and skin, and tested ones.
    pub pairs: [f64; 3],
    /// The particles of other ranks that a rank has copies of, for each of its own.
    pub ghosts: f64,
    /// The steps for each rebuild.
    pub interval: f64,
    /// The times of the parts of a step.
    pub parts: Parts,
    /// The median, the shortest and the longest time of a step.
    pub times: [Duration; 3],
}

/// The times of the parts of a step, of this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// The look whether lists are valid.
    pub look: Duration,
    /// In steps that rebuild: particles move to the rank of their region, and ghosts are found.
    pub migrate: Duration,
    /// In steps that rebuild: the order of the particles.
    pub order: Duration,
    /// In steps that rebuild: the lists.
    pub list: Duration,
    /// The rest of updates: ghosts travel, beyond the look meanwhile, and ranks wait for each other.
    pub exchange: Duration,
    /// The sums over pairs.
    pub force: Duration,
}

impl Parts {
    /// Returns the parts in the order of a step.
    pub fn all(&self) -> [Duration; 6] {
        [self.exchange, self.look, self.migrate, self.order, self.list, self.force]
    }

    /// Returns the time of a step that is in none of the parts: motion, launches and agreement.
    pub fn rest(&self, step: Duration) -> Duration {
        step.saturating_sub(self.all().iter().sum())
    }

    /// Returns the parts, from the times of the lists and from the times of the host in updates
    /// without and with a rebuild.
    fn of(times: &NeighbourTimes, updates: &[Vec<Duration>; 2], has_ghosts: bool) -> Self {
        let mut parts = Self {
            look: times.look / TIMED,
            order: times.order / TIMED,
            list: times.list / TIMED,
            force: (times.pack + times.force) / TIMED,
            ..Self::default()
        };
        if has_ghosts {
            let [valid, rebuilding] = updates.each_ref().map(|all| all.iter().sum::<Duration>());
            let valid = valid.checked_div(updates[0].len() as u32).unwrap_or_default();
            parts.exchange = valid.saturating_sub(parts.look);
            let known = parts.order + parts.list + valid * updates[1].len() as u32 / TIMED;
            parts.migrate = (rebuilding / TIMED).saturating_sub(known);
        }
        parts
    }
}

/// Measures an interaction on a device, over lists of `n` particles.
pub fn measure(
    device: &Device,
    chosen: &Chosen,
    n: usize,
    (space, options): (&Space, Options),
) -> Result<Row, Box<dyn Error>> {
    let law = device.listed(chosen.law, &chosen.parameters, options)?;
    let liquid = Liquid::new(chosen.law, law.cutoff().parameters(), n, space)?;
    let mut run = Run::new(device, law, &liquid, options)?;
    let mut sequence = Sequence::new(device);
    run.steps(&mut sequence, 2 * INTERVAL)?;
    let rebuilds = run.lists.rebuilds()?;
    let mut times = (0..RUNS).map(|_| run.time(&mut sequence)).collect::<Result<Vec<_>, _>>()?;
    times.sort();
    let rebuilds = run.lists.rebuilds()? - rebuilds;
    let (parts, stats) = run.parts()?;
    let Liquid { cutoff, density, skin, .. } = liquid;
    Ok(Row {
        device: device.name(),
        interaction: chosen.law.name,
        n,
        cutoff,
        density,
        skin,
        pairs: [run.within(device, &liquid)?, stats.neighbours, stats.tested * stats.neighbours],
        ghosts: stats.ghosts,
        interval: RUNS as f64 * f64::from(INTERVAL) / rebuilds.max(1) as f64,
        parts,
        times: [times[RUNS / 2], times[0], times[RUNS - 1]],
    })
}

/// A law, its lists, and particles that move.
struct Run {
    law: Listed,
    lists: Box<dyn Neighbours>,
    motion: Motion,
    particles: Box<dyn Buffer>,
    out: Box<dyn Buffer>,
}

impl Run {
    fn new(
        device: &Device,
        law: Listed,
        liquid: &Liquid,
        options: Options,
    ) -> Result<Self, nbody::Error> {
        // Lists are built by the look before which the fastest has moved by more than half of the skin.
        let way = 0.5 * liquid.skin.max(LEAST * liquid.cutoff);
        let dt = way / (f64::from(INTERVAL) - 0.5) / liquid.fastest;
        let untyped = device.untyped();
        let particles = untyped.upload(&liquid.rows, options.precision)?;
        Ok(Self {
            lists: lists(device, liquid, liquid.skin, &law)?,
            motion: Motion::new(device, liquid.dimensions, dt)?,
            out: law.results(particles.len())?,
            particles,
            law,
        })
    }

    fn update(&mut self) -> Result<(), nbody::Error> {
        update(&mut *self.lists, &*self.particles, &self.law)
    }

    fn evaluate(&mut self) -> Result<(), nbody::Error> {
        let Self { law, lists, particles, out, .. } = self;
        let sources = Sources::Same(&**particles);
        law.evaluate_over(&**lists, &**particles, sources, &mut **out, Store::Replace)
    }

    fn wait(&mut self) -> Result<(), nbody::Error> {
        self.motion.wait(&*self.particles)
    }

    fn steps(&mut self, sequence: &mut Sequence, steps: u32) -> Result<(), nbody::Error> {
        for _ in 0..steps {
            sequence.run(|| {
                self.update()?;
                self.evaluate()?;
                self.motion.drift(&mut *self.particles)
            })?;
        }
        self.wait()
    }

    /// Returns the mean time of a step.
    fn time(&mut self, sequence: &mut Sequence) -> Result<Duration, nbody::Error> {
        let start = Instant::now();
        self.steps(sequence, INTERVAL)?;
        Ok(start.elapsed() / INTERVAL)
    }

    /// Returns the times of the parts of a step, and figures of the lists.
    fn parts(&mut self) -> Result<(Parts, NeighbourStats), nbody::Error> {
        self.lists.set_timed(true);
        let mut updates = [Vec::new(), Vec::new()];
        for _ in 0..TIMED {
            self.wait()?;
            let (before, start) = (self.lists.rebuilds()?, Instant::now());
            self.update()?;
            // Ranks may learn only after an evaluation that lists are not valid.
            if !self.lists.is_valid()? {
                self.update()?;
            }
            let is_built = self.lists.rebuilds()? > before;
            updates[usize::from(is_built)].push(start.elapsed());
            self.evaluate()?;
            self.motion.drift(&mut *self.particles)?;
        }
        let stats = self.lists.stats()?;
        let times = stats.times.unwrap_or_default();
        Ok((Parts::of(&times, &updates, stats.ghosts > 0.0), stats))
    }

    /// Returns the number of pairs of a particle within the cutoff, by lists without a skin.
    fn within(&self, device: &Device, liquid: &Liquid) -> Result<f64, nbody::Error> {
        let mut lists = lists(device, liquid, 0.0, &self.law)?;
        update(&mut *lists, &*self.particles, &self.law)?;
        Ok(lists.stats()?.neighbours)
    }
}

fn lists(
    device: &Device,
    liquid: &Liquid,
    skin: f64,
    law: &Listed,
) -> Result<Box<dyn Neighbours>, nbody::Error> {
    let (origin, options) = (Origin::Found(Skin::Length(skin)), law.options());
    device.untyped().neighbours(liquid.domain, origin, options.precision)
}

fn update(
    lists: &mut dyn Neighbours,
    particles: &dyn Buffer,
    law: &Listed,
) -> Result<(), nbody::Error> {
    lists.update(particles, Sources::Same(particles), vec![law.cutoff().clone()])
}

#[cfg(test)]
mod tests {
    use nbody_interactions::buckingham::Buckingham;
    use nbody_mpi::{Ranks, threads};

    use super::*;

    /// Looks of 1 ms, each after an exchange of 2 ms. A rebuild takes 13 ms more: 3 for particles that
    /// migrate, 4 for the order and 6 for the lists.
    #[test]
    fn parts_add_up_to_the_updates() {
        let ms = Duration::from_millis;
        let mut times = NeighbourTimes::default();
        (times.look, times.force) = (ms(1) * TIMED, ms(7) * TIMED);
        (times.order, times.list) = (ms(4) * 2, ms(6) * 2);
        let updates = [vec![ms(3); TIMED as usize - 2], vec![ms(16); 2]];
        let parts = Parts::of(&times, &updates, true);
        let steps = f64::from(TIMED);
        let found = parts.all().map(|part| part.as_secs_f64() * 1e3);
        let expected = [2.0, 1.0, 6.0 / steps, 8.0 / steps, 12.0 / steps, 7.0];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(parts.rest(parts.all().iter().sum::<Duration>() + ms(5)), ms(5));
        let alone = Parts::of(&times, &updates, false);
        assert!(alone.exchange.is_zero() && alone.migrate.is_zero() && alone.list == parts.list);
    }

    /// Ranks share out even a small liquid here, on the CPU and by kernels.
    #[test]
    fn ranks_measure_one_liquid() {
        let law = Buckingham { a: 64.0, rho: 0.25, c: 1.0, cutoff: 1.0 };
        let chosen = Chosen::new(law);
        let space = Space { density: Some(8.0), neighbours: 0.0, skin: Some(0.125) };
        for device in [Device::cpu(), Device::emulator().unwrap()] {
            let alone = measure(&device, &chosen, 400, (&space, Options::default())).unwrap();
            assert_eq!((alone.ghosts, alone.interval), (0.0, f64::from(INTERVAL)));
            let rows = threads(2, |all| {
                let device = Ranks::new(all, &device).unwrap().share_from(0).device();
                measure(&device, &chosen, 400, (&space, Options::default())).unwrap()
            });
            for row in rows {
                // At most all particles of the other rank; particles that are summed in another
                // order are the same ones.
                assert!(row.ghosts > 0.0 && row.ghosts <= 1.0, "{}", row.ghosts);
                assert_eq!((row.interval, row.pairs[0]), (alone.interval, alone.pairs[0]));
                assert_eq!(row.pairs[1], alone.pairs[1]);
                // Exchange and migration are differences of times, which other work may hide.
                let Parts { look, order, list, force, .. } = row.parts;
                assert!([look, order, list, force].iter().all(|it| !it.is_zero()), "{device}");
            }
        }
    }
}
