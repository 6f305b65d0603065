//! Faults of ranks: each rank gets an error that names the rank and the reason, and none hangs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nbody::prelude::*;
use nbody::{Csr, Error, Neighbours, Opening, ShortRange, Tree};
use nbody_interactions::ewald::{Charge, Ewald};
use nbody_interactions::gravity::Gravity;
use nbody_mpi::{Alone, Communicator, Error as RankError, Ranks, Threads, threads};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Uniform};

use super::{distributed, over};

fn of_ranks(error: &Error) -> &RankError {
    error.device().unwrap_or_else(|| panic!("{error}"))
}

/// A rank that fails in a shared evaluation by a tree is named, and no rank keeps lengths of results
/// that the others do not have.
#[test]
fn a_rank_that_fails_in_a_tree_is_named() {
    let tree = |device: &Device| {
        Tree::with_options(device, GRAVITY, Opening::relative(0.01), Options::default()).unwrap()
    };
    let bodies = bodies(300);
    let first = tree(&Device::cpu()).evaluate_self(&bodies).unwrap();
    // Each rank by itself, and together.
    for least in [0, u64::MAX] {
        let all = threads(3, |all| {
            let rank = all.rank();
            let device = Ranks::new(all, &Device::cpu()).unwrap().share_from(least).device();
            let mut tree = tree(&device);
            let particles = tree.upload(&bodies).unwrap();
            let mut out = tree.results(300).unwrap();
            tree.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            let options = Options::default().accumulation(Accumulation::Direct);
            let other = AllPairs::with_options(&Device::cpu(), GRAVITY, options).unwrap();
            let mut wrong = other.results(300).unwrap();
            let results = if rank == 1 { &mut wrong } else { &mut out };
            let failed = tree.evaluate_self_into(&particles, &particles, results).unwrap_err();
            tree.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            (failed, out.download::<f64>().unwrap())
        });
        for (rank, (failed, results)) in all.iter().enumerate() {
            assert_eq!(results, &first, "rank {rank}");
            match rank {
                1 => assert!(failed.device::<RankError>().is_none(), "{failed}"),
                _ => assert!(matches!(of_ranks(failed), RankError::OtherRank { rank: 1, .. })),
            }
        }
    }
}

/// A position that a tree refuses is named by the number of its particle, whose rank does not matter,
/// and results stay; wrong results on one rank are refused on all.
#[test]
fn a_tree_of_distributed_particles_names_what_it_refuses() {
    let good = bodies(301);
    let mut bad = good.clone();
    bad[7].pos.0[1] = f64::NAN;
    let tree = |device: &Device| Tree::new(device, GRAVITY, Opening::theta(0.6)).unwrap();
    let expected = tree(&Device::cpu()).evaluate_self(&good).unwrap();
    let all = threads(3, |all| {
        let rank = all.rank();
        let mut tree = tree(&distributed(all, &Device::cpu()));
        let [good, bad] = [&good, &bad].map(|bodies| tree.upload(bodies).unwrap());
        let mut out = tree.results(301).unwrap();
        tree.evaluate_self_into(&good, &good, &mut out).unwrap();
        let before = out.download::<f64>().unwrap();
        let refused = tree.evaluate_self_into(&bad, &bad, &mut out).unwrap_err();
        let direct = Options::default().accumulation(Accumulation::Direct);
        let other = AllPairs::with_options(&Device::cpu(), GRAVITY, direct).unwrap();
        let mut wrong = other.results(301).unwrap();
        let results = if rank == 1 { &mut wrong } else { &mut out };
        tree.evaluate_self_into(&good, &good, results).unwrap_err();
        assert_eq!(out.download::<f64>().unwrap(), before);
        tree.evaluate_self_into(&good, &good, &mut out).unwrap();
        (refused, before, out.download::<f64>().unwrap())
    });
    let names = |refused: &Error| matches!(refused, Error::NotFinite { index: 7, .. });
    assert_eq!(all.iter().filter(|(refused, ..)| names(refused)).count(), 1);
    for (rank, (refused, before, after)) in all.iter().enumerate() {
        let is_of_other = matches!(refused.device(), Some(RankError::OtherRank { .. }));
        assert!(names(refused) || is_of_other, "rank {rank}: {refused}");
        assert_eq!(before, &all[0].1, "rank {rank}");
        assert_eq!(after.len(), 301);
    }
    for (found, expected) in all[0].2.iter().zip(&expected) {
        let off = (0..3).map(|axis| (found.acc.0[axis] - expected.acc.0[axis]).powi(2));
        assert!(off.sum::<f64>().sqrt() < 0.05 * expected.acc.norm2().sqrt());
    }
}

/// Ranks with other particles, another number or other parameters are told so.
#[test]
fn ranks_that_differ_are_refused() {
    let other_particles = threads(3, |all| {
        let rank = all.rank();
        let device = over(all, &Device::cpu());
        let mut bodies = bodies(100);
        if rank == 2 {
            bodies[99].mass += 1e-9;
        }
        AllPairs::new(&device, GRAVITY).unwrap().evaluate_self(&bodies).unwrap_err()
    });
    for error in &other_particles {
        let what = "an upload of 100 particles".to_owned();
        let expected = RankError::Diverged { rank: 2, found: what.clone(), expected: what };
        assert_eq!(of_ranks(error), &expected);
    }
    let other_numbers = threads(2, |all| {
        let n = 10 + all.rank();
        let device = over(all, &Device::cpu());
        AllPairs::new(&device, GRAVITY).unwrap().evaluate_self(&bodies(n)).unwrap_err()
    });
    let message = of_ranks(&other_numbers[0]).to_string();
    assert_eq!(
        message,
        "rank 1 calls an upload of 11 particles, rank 0 calls an upload of 10 particles, or their \
         values differ; call the same operations with the same particles, parameters and options \
         on every rank"
    );
    let other_parameters = threads(2, |all| {
        let eps2 = 1.0 + all.rank() as f64;
        AllPairs::new(&over(all, &Device::cpu()), Gravity { eps2 }).unwrap_err()
    });
    assert!(other_parameters.iter().all(|error| of_ranks(error).to_string().contains("rank 1")));
    let set_later = threads(2, |all| {
        let rank = all.rank();
        let mut direct = AllPairs::new(&over(all, &Device::cpu()), GRAVITY).unwrap();
        direct.set_parameters(Gravity { eps2: 1.0 + rank as f64 });
        direct.evaluate_self(&bodies(50)).unwrap_err()
    });
    assert!(set_later.iter().all(|error| matches!(of_ranks(error), RankError::Diverged { .. })));
}

/// Ranks with other given or excluded pairs are told so.
#[test]
fn pairs_that_differ_are_refused() {
    let is_told = |error: &Error| {
        assert!(matches!(of_ranks(error), RankError::Diverged { rank: 1, .. }), "{error}");
    };
    let given = threads(2, |all| {
        let pairs = [[0, 1 + all.rank() as u32]];
        let device = over(all, &Device::cpu());
        Neighbours::new(&device, Csr::from_pairs(3, &pairs).unwrap()).unwrap_err()
    });
    given.iter().for_each(is_told);
    let balls = Random(1).balls(200);
    for (by_law, by_all) in [(false, true), (true, true), (true, false)] {
        let excluded = threads(2, |all| {
            let pairs = [[0, 1 + all.rank() as u32]];
            let pairs = if by_all || all.rank() == 0 { &pairs[..] } else { &[] };
            let device = over(all, &Device::cpu());
            let mut lists = Neighbours::new(&device, Skin::Auto).unwrap();
            let mut law = ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap();
            if by_law {
                law.exclude(pairs);
            } else {
                lists.exclude(pairs);
            }
            let particles = lists.upload(&balls).unwrap();
            let mut out = law.results(200).unwrap();
            let done = lists.update(&particles, &[&law]);
            done.and_then(|()| law.evaluate_over(&lists, &particles, &mut out)).unwrap_err()
        });
        excluded.iter().for_each(is_told);
    }
}

/// Ranks with another skin, other options, parameters or excluded pairs of a law over lists are told so,
/// where the host waits for looks and where it does not.
#[test]
fn laws_over_lists_that_differ_are_refused() {
    let is_told = |error: &Error| {
        assert!(matches!(of_ranks(error), RankError::Diverged { rank: 1, .. }), "{error}");
    };
    let skins = threads(2, |all| {
        let skin = Skin::Length(0.125 + 0.125 * all.rank() as f64);
        Neighbours::new(&over(all, &Device::cpu()), skin).unwrap_err()
    });
    skins.iter().for_each(is_told);
    let place =
        |k: usize| Point([7919, 104_729, 1_299_709].map(|p| (k * p % 1009) as f64 / 1009.0));
    let charges: Vec<_> = (0..200).map(|k| Charge { pos: place(k), charge: 1.0 }).collect();
    for device in nbody_tests::all_devices() {
        for other in ["options", "parameters", "excluded"] {
            let run = |all: Arc<dyn Communicator>| {
                let is_other = all.rank() == 1;
                let device = over(all, &device);
                let mut options = Options::default();
                if is_other && other == "options" {
                    options = options.accumulation(Accumulation::Direct);
                }
                let law = Ewald { alpha: 1.0, cutoff: 0.25 };
                let mut law = ShortRange::with_options(&device, law, options).unwrap();
                law.exclude(&[[1, 2]]);
                let mut lists = Neighbours::new(&device, Skin::Length(0.25)).unwrap();
                let particles = lists.upload(&charges).unwrap();
                let mut out = law.results(200).unwrap();
                let mut evaluate = |law: &mut ShortRange<Ewald>, rebuilds: bool| {
                    if rebuilds {
                        lists.rebuild();
                    }
                    lists.update(&particles, &[&*law])?;
                    law.evaluate_over(&lists, &particles, &mut out)
                };
                if other == "options" {
                    return evaluate(&mut law, false).unwrap_err();
                }
                // Lists that have lasted are expected to last again.
                for k in 0..10 {
                    evaluate(&mut law, k == 8).unwrap();
                }
                match other {
                    "excluded" if is_other => law.exclude(&[[3, 4]]),
                    "parameters" if is_other => {
                        law.set_parameters(Ewald { alpha: 1.5, cutoff: 0.25 });
                    }
                    _ => {}
                }
                evaluate(&mut law, false).unwrap_err()
            };
            threads(2, run).iter().for_each(is_told);
        }
    }
}

/// A refusal that all ranks share is the refusal of the engine; a rank that fails alone is named.
#[test]
fn a_failed_rank_is_named() {
    let alike = threads(2, |all| {
        let device = over(all, &Device::cpu());
        AllPairs::new(&device, Gravity { eps2: f64::NAN })?.evaluate_self(&bodies(9))
    });
    assert!(alike.iter().all(|it| matches!(it, Err(Error::NanParameter { .. }))), "{alike:?}");
    // Results of another engine on one rank alone.
    let alone = threads(3, |all| {
        let rank = all.rank();
        let mut direct = AllPairs::new(&over(all, &Device::cpu()), GRAVITY).unwrap();
        let particles = direct.upload(&bodies(40)).unwrap();
        let options = Options::default().accumulation(Accumulation::Direct);
        let other = AllPairs::with_options(&Device::cpu(), GRAVITY, options).unwrap();
        let mut out = if rank == 1 { other.results(40) } else { direct.results(40) }.unwrap();
        let failed = direct.evaluate_self_into(&particles, &particles, &mut out).unwrap_err();
        // All ranks can go on.
        let mut out = direct.results(40).unwrap();
        direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        failed
    });
    assert!(matches!(alone[1], Error::PrecisionMismatch { .. }), "{}", alone[1]);
    for rank in [0, 2] {
        let error = of_ranks(&alone[rank]);
        let RankError::OtherRank { rank: 1, message } = error else { panic!("{error}") };
        assert_eq!(*message, alone[1].to_string());
    }
}

/// A rank that ends early ends the others, which name it.
#[test]
fn a_rank_that_ends_early_is_named() {
    let done = threads(3, |all| {
        if all.rank() == 1 {
            return Ok(Vec::new());
        }
        let mut direct = AllPairs::new(&Ranks::new(all, &Device::cpu())?.device(), GRAVITY)?;
        direct.evaluate_self(&bodies(100))
    });
    assert_eq!(done[1], Ok(Vec::new()));
    for rank in [0, 2] {
        let error = done[rank].as_ref().unwrap_err();
        assert_eq!(of_ranks(error), &RankError::RankEnded { rank: 1 });
    }
    let panicked = std::panic::catch_unwind(|| {
        threads(2, |all| {
            assert_ne!(all.rank(), 1, "this rank panics");
            Ranks::new(all, &Device::cpu()).map(|_| ()).unwrap_err()
        })
    });
    panicked.unwrap_err();
}

/// Devices of different kinds would give different bits.
#[test]
fn devices_of_different_kinds_are_refused() {
    let errors = threads(2, |all| {
        let device = if all.rank() == 0 { Device::cpu() } else { nbody_tests::emulator() };
        Ranks::new(all, &device).map(|_| ()).unwrap_err()
    });
    for error in &errors {
        let (found, expected) = ("emulator".to_owned(), "cpu".to_owned());
        assert_eq!(of_ranks(error), &RankError::OtherDevice { rank: 1, found, expected });
    }
    // Vector instructions may differ: they do not affect the bits.
    let levels: Vec<_> = nbody_tests::ways::levels();
    let [first, last] = [&levels[0], &levels[levels.len() - 1]];
    let results = threads(2, |all| {
        let device = over(all.clone(), if all.rank() == 0 { first } else { last });
        let options = Options::default().math(Math::Exact);
        AllPairs::with_options(&device, GRAVITY, options).unwrap().evaluate_self(&bodies(90))
    });
    assert_eq!(results[0].as_ref().unwrap(), results[1].as_ref().unwrap());
}

/// Messages of sizes that the ranks do not agree on are refused.
#[test]
fn messages_of_other_sizes_are_refused() {
    let gather = |all: &dyn Communicator, mine: usize, sizes: &[usize]| {
        let mut to = vec![0; sizes.iter().sum()];
        all.gather(&vec![7; mine], sizes, &mut to).map(|()| to)
    };
    assert_eq!(gather(&Alone, 3, &[3]).unwrap(), [7; 3]);
    let error = gather(&Alone, 3, &[2]).unwrap_err();
    assert_eq!(of_ranks(&error), &RankError::OtherSize { rank: 0, found: 3, expected: 2 });
    // Rank 1 expects another size of rank 0.
    let errors = threads(2, |all| {
        let sizes = [[2, 1], [3, 1]][all.rank()];
        gather(&*all, [2, 1][all.rank()], &sizes)
    });
    assert_eq!(errors[0].as_ref().unwrap(), &[7; 3]);
    let error = errors[1].as_ref().unwrap_err();
    assert_eq!(of_ranks(error), &RankError::OtherSize { rank: 0, found: 2, expected: 3 });
}

/// Messages of many sizes arrive in the order of ranks. A rank alone has the device as it is.
#[test]
fn messages_arrive_in_the_order_of_ranks() {
    for ranks in 1..6 {
        let all = threads(ranks, |all| {
            let mine = vec![all.rank() as u8; 3 * all.rank()];
            (0..50).map(|_| all.gather_all(&mine).unwrap()).collect::<Vec<_>>()
        });
        let expected: Vec<_> = (0..ranks).map(|rank| vec![rank as u8; 3 * rank]).collect();
        assert!(all.iter().flatten().all(|found| *found == expected));
        // To each rank another message: from rank a to rank b, a + 2 b bytes.
        let all = threads(ranks, |all| {
            let rank = all.rank();
            let message = |to: usize| vec![(8 * rank + to) as u8; rank + 2 * to];
            let sent: Vec<_> = (0..ranks).map(message).collect();
            let sent: Vec<_> = sent.iter().map(Vec::as_slice).collect();
            let sizes: Vec<_> = (0..ranks).map(|from| from + 2 * rank).collect();
            let mut wrong = sizes.clone();
            wrong[ranks - 1] += usize::from(rank == 0);
            let first = all.exchange(&sent, &sizes).unwrap();
            (first, all.exchange(&sent, &wrong).is_err(), all.exchange(&sent, &sizes[1..]).is_err())
        });
        for (to, (found, refused, short)) in all.into_iter().enumerate() {
            let message = |from: usize| vec![(8 * from + to) as u8; from + 2 * to];
            assert_eq!(found, (0..ranks).flat_map(message).collect::<Vec<_>>());
            assert_eq!((refused, short), (to == 0, true));
        }
    }
    let two = Threads::new(2);
    assert_eq!([two[0].rank(), two[1].rank(), two[1].size()], [0, 1, 2]);
    assert_eq!(two[1].on_host().rank, 1);
    let alone: Arc<dyn Communicator> = Arc::new(Alone);
    let device = over(alone, &Device::cpu());
    assert_eq!(device.name(), Device::cpu().name());
}

/// A particle that lists refuse is named by its number on the rank that has it; the other ranks
/// name it, or that rank. Afterwards the lists are as before.
#[test]
fn a_position_that_lists_refuse_is_named_by_its_number() {
    let balls = Random(1).balls(200);
    for bad in [0, 77, 199] {
        let all = threads(3, |all| {
            let device = over(all, &Device::cpu());
            let mut lists = Neighbours::new(&device, Skin::Auto).unwrap();
            let mut law = ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap();
            let mut particles = lists.upload(&balls).unwrap();
            let mut evaluate = |particles: &_| {
                lists.update(particles, &[&law])?;
                let mut out = law.results(200)?;
                law.evaluate_over(&lists, particles, &mut out)?;
                out.download::<f64>()
            };
            let first = evaluate(&particles).unwrap();
            let wrong = Ball { pos: Point::new(0.5, f64::NAN, 0.5), ..balls[bad] };
            particles.write_at(&[bad as u32], &[wrong]).unwrap();
            let refused = evaluate(&particles).unwrap_err();
            particles.write_at(&[bad as u32], &balls[bad..=bad]).unwrap();
            assert_eq!(evaluate(&particles).unwrap(), first);
            refused
        });
        let is_own =
            |error: &Error| matches!(error, Error::NotFinite { index, .. } if *index == bad);
        assert!(all.iter().any(is_own), "{all:?}");
        for error in all.iter().filter(|error| !is_own(error)) {
            let RankError::OtherRank { message, .. } = of_ranks(error) else { panic!("{error}") };
            assert!(message.contains(&bad.to_string()), "{message}");
        }
    }
}

/// A particle with given pairs that is refused leaves all results as they are, on every device.
#[test]
fn a_position_with_given_pairs_that_is_refused_changes_no_results() {
    let balls = Random(1).balls(200);
    let pairs: Vec<_> = (0..200).map(|k| [k, (7 * k + 3) % 200]).collect();
    for device in [&[Device::cpu()][..], &nbody_tests::cuda_devices()].concat() {
        let all = threads(3, |all| {
            let device = over(all, &device);
            let mut near = Neighbours::new(&device, Skin::Auto).unwrap();
            let rows = Csr::from_pairs(200, &pairs).unwrap();
            let mut given = Neighbours::new(&device, rows).unwrap();
            let [near_law, mut law] =
                [(); 2].map(|()| ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap());
            let mut particles = near.upload(&balls).unwrap();
            near.update(&particles, &[&near_law]).unwrap();
            let mut out = law.results(200).unwrap();
            let mut evaluate = |particles: &_, out: &mut _, adds| {
                given.update(particles, &[&law])?;
                if adds {
                    law.add_over(&given, particles, out)
                } else {
                    law.evaluate_over(&given, particles, out)
                }
            };
            evaluate(&particles, &mut out, false).unwrap();
            let first = out.download::<f64>().unwrap();
            for adds in [false, true] {
                let wrong = Ball { pos: Point::new(0.5, f64::NAN, 0.5), ..balls[77] };
                particles.write_at(&[77], &[wrong]).unwrap();
                evaluate(&particles, &mut out, adds).unwrap_err();
                assert_eq!(out.download::<f64>().unwrap(), first);
                particles.write_at(&[77], &balls[77..78]).unwrap();
            }
            evaluate(&particles, &mut out, false).unwrap();
            assert_eq!(out.download::<f64>().unwrap(), first);
            near.update(&particles, &[&near_law]).unwrap();
            let wrong = Ball { pos: Point::new(0.5, f64::NAN, 0.5), ..balls[77] };
            particles.write_at(&[77], &[wrong]).unwrap();
            evaluate(&particles, &mut out, false).unwrap_err()
        });
        let is_own = |error: &Error| matches!(error, Error::NotFinite { index: 77, .. });
        assert!(all.iter().any(is_own), "{device}: {all:?}");
    }
}

/// Balls that move.
#[nbody::interaction]
mod moving {
    pub struct Ball {
        pub pos: Point,
        pub h: Real,
        pub mass: Real,
    }
    pub struct Shift {
        pub by: Vector,
    }
    impl Update for Shift {
        type P = Ball;
        fn update(&self, p: &mut Ball) {
            p.pos += self.by;
        }
    }
}

/// A communicator with an exchange of rows that fails once on this rank, after the others have done it,
/// as a rank without memory fails. Exchanges of counts succeed.
#[derive(Debug)]
struct Failing {
    all: Arc<dyn Communicator>,
    left: Arc<AtomicUsize>,
}

impl Communicator for Failing {
    passes_on!();

    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, Error> {
        let received = self.all.exchange(sent, sizes)?;
        let are_counts = sizes.iter().all(|size| *size == size_of::<u64>());
        if !are_counts && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            return Err(RankError::NotNow { reason: "the exchange fails" }.into());
        }
        Ok(received)
    }
}

/// Each exchange fails once, of numbers, rows and ghosts. Rows that moved on one rank and not on another
/// are never read; others are as they were.
#[test]
fn rows_that_a_failure_has_lost_are_not_read() {
    use moving::{Ball, Shift};
    let by = [0.375, 0.25, -0.125];
    let ball =
        |it: &nbody_tests::contacts::contact::Ball| Ball { pos: it.pos, h: it.h, mass: it.mass };
    let balls: Vec<_> = Random(3).balls(200).iter().map(ball).collect();
    let options = Options::default().precision(Precision::Double);
    let [mut lost, mut kept] = [0; 2];
    for count in 1..16 {
        let all = threads(2, |all| {
            let left = Arc::new(AtomicUsize::new(if all.rank() == 1 { count } else { usize::MAX }));
            let failing = Failing { all, left: left.clone() };
            let device = over(Arc::new(failing), &Device::cpu());
            let skin = Skin::Length(0.0625);
            let mut lists = Neighbours::with_options(&device, skin, options).unwrap();
            let law = ShortRange::with_options(&device, Uniform { cutoff: 0.25 }, options).unwrap();
            let mut shift = PerParticle::new(&device, Shift { by: Vector(by) }).unwrap();
            let mut particles = lists.upload(&balls).unwrap();
            let mut expected: Vec<_> = balls.iter().map(|it| it.pos.0).collect();
            for _ in 0..3 {
                let _ = lists.update(&particles, &[&law]).and_then(|()| lists.rebuilds());
                if shift.update(&mut particles, ()).is_ok() {
                    expected
                        .iter_mut()
                        .flatten()
                        .zip(by.iter().cycle())
                        .for_each(|(x, by)| *x += by);
                }
            }
            left.store(usize::MAX, Ordering::Relaxed);
            let again = lists.upload(&balls).unwrap();
            lists.update(&again, &[&law]).unwrap();
            assert_eq!(again.download().unwrap().len(), balls.len());
            let found = particles.download();
            found.map(|found| {
                assert_eq!(found.iter().map(|it| it.pos.0).collect::<Vec<_>>(), expected);
            })
        });
        match &all[..] {
            [Ok(()), Ok(())] => kept += 1,
            [Err(one), Err(other)] => {
                assert_eq!([of_ranks(one), of_ranks(other)], [&RankError::RowsLost; 2]);
                lost += 1;
            }
            _ => panic!("exchange {count}: {all:?}"),
        }
    }
    assert!(lost > 1 && kept > 1, "{lost} {kept}");
}

/// Rank 0 alone reads particles that are distributed: every rank gets an error.
#[test]
fn reading_by_one_rank_alone_is_refused() {
    let balls = Random(2).balls(100);
    let all = threads(2, |all| {
        let rank = all.rank();
        let device = over(all, &Device::cpu());
        let mut lists = Neighbours::new(&device, Skin::Auto).unwrap();
        let law = ShortRange::new(&device, Uniform { cutoff: 0.25 }).unwrap();
        let particles = lists.upload(&balls).unwrap();
        lists.update(&particles, &[&law]).unwrap();
        if rank == 0 {
            particles.download().map(|_| ()).unwrap_err()
        } else {
            lists.update(&particles, &[&law]).unwrap_err()
        }
    });
    for error in &all {
        let text = of_ranks(error).to_string();
        assert!(
            text.contains("gathering 100 rows") && text.contains("an update of lists"),
            "{text}"
        );
    }
}
