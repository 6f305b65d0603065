//! The kernel configurations of a law.

use nbody_core::{Law, Options};

use super::{ordered, rules};
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::schedule::resources;

impl KernelConfig {
    /// Returns the configurations of a schedule for some numbers of particles, that for most
    /// particles first; none if the law or the options exclude the schedule.
    pub fn of(schedule: Schedule, law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        rules(schedule).configs(law, options)
    }

    /// Returns the configurations of all schedules; the first is [`widest`](Self::widest).
    pub fn all(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let each = Schedule::ALL.into_iter().map(|schedule| Self::of(schedule, law, options));
        each.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    /// Returns the configuration of ordered pairs for many particles.
    pub fn widest(law: &Law, options: Options) -> Result<Self, Error> {
        ordered::widest(law, options)
    }

    /// Returns a configuration with more registers per thread or fewer i-particles, which engines
    /// use if this one makes the compiler spill registers; `None` if there is no narrower one.
    pub fn narrower(&self, law: &Law, options: Options) -> Option<Self> {
        rules(self.schedule).narrower(self, law, options)
    }

    /// Returns the configurations to measure.
    pub(crate) fn trials(law: &Law, options: Options) -> Vec<Self> {
        let each = Schedule::ALL.into_iter().map(|it| rules(it).trials(law, options));
        each.flatten().flat_map(|config| config.residencies(law, options)).collect()
    }

    /// Returns the configuration with several numbers of resident blocks.
    fn residencies(self, law: &Law, options: Options) -> impl Iterator<Item = Self> {
        const FEWEST_OTHER_REGISTERS: usize = 24;
        let needed = rules(self.schedule).registers(&self, law, options) + FEWEST_OTHER_REGISTERS;
        let most = resources::REGISTERS / (self.block * needed);
        let fitting = move |&resident: &usize| resident <= most && resident + 3 >= most.min(8);
        let each = move |resident| Self { resident, ..self };
        [0, 2, 3, 4, 5, 6, 8].into_iter().filter(fitting).map(each)
    }

    /// Refuses a configuration that no kernel can be compiled for.
    pub(crate) fn check(&self, law: &Law, options: Options) -> Result<(), Error> {
        let Self { schedule, block, i_per_thread, bag, unroll, resident } = *self;
        let whole = block.is_multiple_of(32) && block <= 1024;
        let bounded = i_per_thread <= 64 && bag <= 1 << 16 && unroll <= 256 && resident <= 32;
        let some = ![block, i_per_thread, bag, unroll].contains(&0);
        if whole && bounded && some && rules(schedule).is_possible(self, law, options) {
            Ok(())
        } else {
            Err(Error::ImpossibleKernelConfig(*self))
        }
    }
}
