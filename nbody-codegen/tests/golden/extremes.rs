/// Results that are not sums, within a cutoff.
pub mod extremes {
    #[allow(clippy::approx_constant)]
    const LEAST: f64 = 0.0000000000000000000000000000000000000000000001f64;
    #[allow(clippy::approx_constant)]
    const MOST: f64 = -350000000000000000000000000000000000000f64;
    const FARTHEST: u32 = 24u32;
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Extremes<Real: ::nbody::__private::Lane = f64> {
        pub reach: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Extremes<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                reach: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Extremes<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Extremes<__M>;
        type Host = Extremes<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "reach",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { reach: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.reach);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Extremes<f32> {}
    unsafe impl ::nbody::__private::Pod for Extremes<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Extremes<f64> {}
    unsafe impl ::nbody::__private::Pod for Extremes<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Grain<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub charge: Real,
        pub kind: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Grain<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                charge: ::core::default::Default::default(),
                kind: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Grain<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Grain<__M>;
        type Host = Grain<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "charge",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                charge: __from.real(),
                kind: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.charge);
            __to.index(self.kind);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Grain<f32> {}
    unsafe impl ::nbody::__private::Pod for Grain<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Extent<Real: ::nbody::__private::Lane = f64> {
        pub charge: Real,
        pub shortest: Real,
        pub longest: Real,
        pub nearest: ::nbody::__private::ArgMin<Real>,
        pub farthest: ::nbody::__private::ArgMax<Real>,
        pub few: ::nbody::__private::Nearest<3usize, Real>,
        pub alike: Real::U32,
        /// Counts by distance.
        pub bins: [Real; 48usize],
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Extent<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                charge: ::core::default::Default::default(),
                shortest: Real::splat(f64::INFINITY),
                longest: Real::splat(f64::NEG_INFINITY),
                nearest: ::core::default::Default::default(),
                farthest: ::core::default::Default::default(),
                few: ::core::default::Default::default(),
                alike: ::core::default::Default::default(),
                bins: [Real::default(); 48usize],
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Extent<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Extent<__M>;
        type Host = Extent<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "charge",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "shortest",
                kind: ::nbody::__private::FieldKind::Min,
            },
            ::nbody::__private::Field {
                name: "longest",
                kind: ::nbody::__private::FieldKind::Max,
            },
            ::nbody::__private::Field {
                name: "nearest",
                kind: ::nbody::__private::FieldKind::ArgMin,
            },
            ::nbody::__private::Field {
                name: "farthest",
                kind: ::nbody::__private::FieldKind::ArgMax,
            },
            ::nbody::__private::Field {
                name: "few",
                kind: ::nbody::__private::FieldKind::Nearest(3usize),
            },
            ::nbody::__private::Field {
                name: "alike",
                kind: ::nbody::__private::FieldKind::Count,
            },
            ::nbody::__private::Field {
                name: "bins",
                kind: ::nbody::__private::FieldKind::Array(48usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                charge: __from.real(),
                shortest: __from.real(),
                longest: __from.real(),
                nearest: ::nbody::__private::ArgMin::read(__from),
                farthest: ::nbody::__private::ArgMax::read(__from),
                few: ::nbody::__private::Nearest::read(__from),
                alike: __from.index(),
                bins: {
                    let mut __array = [Real::default(); 48usize];
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                },
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.charge);
            __to.real(self.shortest);
            __to.real(self.longest);
            self.nearest.write(__to);
            self.farthest.write(__to);
            self.few.write(__to);
            __to.index(self.alike);
            for __x in self.bins {
                __to.real(__x);
            }
        }
    }
    impl ::nbody::__private::Output for Extent {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Extent<__L>,
            __no: &Extent<__L>,
        ) -> Extent<__L> {
            Extent {
                charge: __L::select(__mask, __yes.charge, __no.charge),
                shortest: __L::select(__mask, __yes.shortest, __no.shortest),
                longest: __L::select(__mask, __yes.longest, __no.longest),
                nearest: ::nbody::__private::ArgMin::select(
                    __mask,
                    __yes.nearest,
                    __no.nearest,
                ),
                farthest: ::nbody::__private::ArgMax::select(
                    __mask,
                    __yes.farthest,
                    __no.farthest,
                ),
                few: ::nbody::__private::Nearest::select(__mask, __yes.few, __no.few),
                alike: __L::select_u32(__mask, __yes.alike, __no.alike),
                bins: ::nbody::__private::select_array::<
                    __L,
                    _,
                >(__mask, __yes.bins, __no.bins),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Extent<__L>, __total: &mut Extent<__L>, __lost: &mut Extent<__L>) {
            ::nbody::__private::compensate(
                __term.charge,
                &mut __total.charge,
                &mut __lost.charge,
            );
            __total.shortest = ::nbody::__private::Lane::min(
                __total.shortest,
                __term.shortest,
            );
            __total.longest = ::nbody::__private::Lane::max(
                __total.longest,
                __term.longest,
            );
            __total.nearest.take::<__Space>(__term.nearest.value, __term.nearest.index);
            __total
                .farthest
                .take::<__Space>(__term.farthest.value, __term.farthest.index);
            __total.few.merge::<__Space>(&__term.few);
            __total.alike = <__L as ::nbody::__private::Lane>::add_u32(
                __total.alike,
                __term.alike,
            );
            for (__k, __x) in __term.bins.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.bins[__k],
                    &mut __lost.bins[__k],
                );
            }
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Extent<f32> {}
    unsafe impl ::nbody::__private::Pod for Extent<f32> {}
    unsafe impl ::nbody::__private::Interaction for Extremes {
        type I = Grain;
        type J = Grain;
        type F = Extent;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "extremes",
            self_pairs: false,
            cutoff: true,
            cutoff_reads: [&[], &[]],
            reach: {
                #[allow(unused_imports)]
                use ::nbody::__private::{Function::*, Role::*, Step::*};
                &[Number(Parameters, 0)]
            },
            charges: ::core::result::Result::Err(
                "it has a cutoff, within which neighbour lists find every pair",
            ),
            operations: ::nbody::__private::Operations {
                add: 65u32,
                mul: 4u32,
                div: 0u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 59u32,
            },
            most_counted: ::core::option::Option::Some(1u32),
            cuda: ::nbody::__private::CudaText {
                law: "struct Extremes {\n    real reach;\n};\n\nstruct alignas(packing(3 * COORDINATE + 2)) Grain {\n    Point<3> pos;\n    real charge;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Extent {\n    real charge;\n    real shortest;\n    real longest;\n    ArgMin nearest;\n    ArgMax farthest;\n    Nearest<3> few;\n    u32 alike;\n    Array<48> bins; // Counts by distance.\n};\n\n__device__ __forceinline__ real LEAST() { return rounded(0.0f, 1e-46); }\n__device__ __forceinline__ real MOST() { return rounded(-infinity(), -3.5e38); }\nconstexpr u32 FARTHEST = 24u;\n\n// The distance beyond which a pair contributes nothing.\n__device__ __forceinline__ real cutoff(\n    const Extremes &self, const Space &, const Grain &i, const Grain &j)\n{\n    return self.reach;\n}\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Extremes &self, const Space &space, const Grain &i, const Grain &j, u32 index, Extent &f)\n{\n    const real r = norm(space.difference(j.pos, i.pos));\n    f.charge += j.charge;\n    f.shortest = min(f.shortest, r);\n    f.longest = max(f.longest, max(r, MOST()) + LEAST() + rounded(0.0f, 1e-300) + real(0.0));\n    take(f.nearest, r, index);\n    take(f.farthest, r, index);\n    take(f.few, r, index);\n    if (i.kind == j.kind) {\n        f.alike += 1u;\n    }\n    for (u32 k = 0; k < 48; ++k) {\n        if (r > real(k)) {\n            f.bins[k] += real(1.0);\n        }\n    }\n#pragma unroll\n    for (u32 k_2 = 0; k_2 < 4; ++k_2) {\n        f.bins[k_2 + FARTHEST] += r;\n    }\n    // One entry, selected by an index.\n#pragma unroll\n    for (u32 k_3 = 28; k_3 < 32; ++k_3) {\n        if (j.kind == k_3 && r < real(2.0)) {\n            f.bins[k_3] -= j.charge;\n        }\n    }\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Extremes;\nusing ParticleI = law::Grain;\nusing ParticleJ = law::Grain;\nusing Accumulators = law::Extent;\nconstexpr int IDIM = 3 * COORDINATE + 2;\nconstexpr int JDIM = 3 * COORDINATE + 2;\nconstexpr int FDIM = 62;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = true;\nconstexpr bool CUTOFF = true;\nconstexpr bool CUTOFF_READS_J = false;\n\n// Negative at the cutoff and beyond it.\n__device__ __forceinline__ real within(\n    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)\n{\n    const real reach = law::cutoff(self, space, i, j);\n    return within_reach(reach, space.difference(j.pos, i.pos));\n}\n\n// Whether a pair is at the cutoff or beyond it.\n__device__ __forceinline__ bool beyond(\n    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)\n{\n    const real reach = law::cutoff(self, space, i, j);\n    return beyond_reach(reach, space.difference(j.pos, i.pos));\n}\n\n// The cutoff of an i-particle.\n__device__ __forceinline__ real cutoff_of(\n    const Parameters &self, const Space &space, const ParticleI &i)\n{\n    return law::cutoff(self, space, i, ParticleJ{});\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {{}, infinity(), -infinity(), {infinity(), NONE}, {-infinity(), NONE}, no_neighbours<3, real>(), {}, {}};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n    total[1] = infinity();\n    total[2] = -infinity();\n    total[3] = infinity();\n    total[4] = word<backup>(NONE);\n    total[5] = -infinity();\n    total[6] = word<backup>(NONE);\n    reset_nearest<3>(total + 7);\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.charge;\n    if (f.shortest < total[1]) total[1] = f.shortest;\n    if (f.longest > total[2]) total[2] = f.longest;\n    if (comes_first<false>(f.nearest.value, f.nearest.index, total[3], integer(total[4]))) {\n        total[3] = f.nearest.value;\n        total[4] = word<backup>(f.nearest.index);\n    }\n    if (comes_first<true>(f.farthest.value, f.farthest.index, total[5], integer(total[6]))) {\n        total[5] = f.farthest.value;\n        total[6] = word<backup>(f.farthest.index);\n    }\n    fold_nearest<IN_ORDER>(f.few, total + 7);\n    total[13] = word<backup>(integer(total[13]) + f.alike);\n#pragma unroll\n    for (int k = 0; k < 48; ++k) total[14 + k] += f.bins[k];\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] += part[0];\n    if (part[1] < total[1]) total[1] = part[1];\n    if (part[2] > total[2]) total[2] = part[2];\n    if (part[3] < total[3] || (part[3] == total[3] && integer(part[4]) < integer(total[4]))) {\n        total[3] = part[3];\n        total[4] = part[4];\n    }\n    if (part[5] > total[5] || (part[5] == total[5] && integer(part[6]) < integer(total[6]))) {\n        total[5] = part[5];\n        total[6] = part[6];\n    }\n    merge_words_of_nearest<3>(part + 7, total + 7);\n    total[13] = word<backup>(integer(total[13]) + integer(part[13]));\n#pragma unroll\n    for (int k = 0; k < 48; ++k) total[14 + k] += part[14 + k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.charge, f.charge, lost.charge);\n    f.shortest = min(f.shortest, term.shortest);\n    f.longest = max(f.longest, term.longest);\n    take(f.nearest, term.nearest.value, term.nearest.index);\n    take(f.farthest, term.farthest.value, term.farthest.index);\n    merge_nearest<IN_ORDER>(term.few, f.few);\n    f.alike += term.alike;\n    compensate(term.bins, f.bins, lost.bins);\n}\n\n",
            },
            third_law: ::core::option::Option::None,
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn cutoff<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Extremes<Real>,
            space: &__Space,
            i: &Grain<Real>,
            j: &Grain<Real>,
        ) -> Real {
            this.reach
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn within<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Extremes<Real>,
            space: &__Space,
            i: &Grain<Real>,
            j: &Grain<Real>,
        ) -> Real::Mask {
            let __reach = <Self as ::nbody::__private::Interaction>::cutoff(
                this,
                space,
                i,
                j,
            );
            let __distance = space.difference(i.pos, j.pos);
            Real::within_reach(__reach, __distance.norm2())
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Extremes<Real>,
            space: &__Space,
            i: &Grain<Real>,
            j: &Grain<Real>,
            index: Real::U32,
            f: &mut Extent<Real>,
        ) {
            let mut __on = <Self as ::nbody::__private::Interaction>::within(
                this,
                space,
                i,
                j,
            );
            if Real::ENDS_EARLY && !Real::any(__on) {
                return;
            }
            let r = space.difference(j.pos, i.pos).norm();
            f.charge = f.charge.plus_where(__on, j.charge);
            f.shortest = Real::min(
                f.shortest,
                Real::select(__on, r, Real::splat(f64::INFINITY)),
            );
            f.longest = Real::max(
                f.longest,
                Real::select(
                    __on,
                    r.max(Real::splat(MOST)) + Real::splat(LEAST) + Real::splat(1e-300)
                        + Real::splat(1e-400),
                    Real::splat(f64::NEG_INFINITY),
                ),
            );
            f.nearest
                .take::<
                    __Space,
                >(Real::select(__on, r, Real::splat(f64::INFINITY)), index);
            f.farthest
                .take::<
                    __Space,
                >(Real::select(__on, r, Real::splat(f64::NEG_INFINITY)), index);
            f.few
                .take::<
                    __Space,
                >(Real::select(__on, r, Real::splat(f64::INFINITY)), index);
            let __holds_1 = Real::eq_u32(i.kind, j.kind);
            {
                let __when_1 = __holds_1;
                f.alike = Real::add_u32(
                    f.alike,
                    Real::select_u32(
                        (__when_1 & __on),
                        Real::splat_u32(1u32),
                        Real::splat_u32(0),
                    ),
                );
            }
            for k in 0u32..48u32 {
                let __holds_2 = Real::lt(Real::from_u32(Real::splat_u32(k)), r);
                {
                    let __when_2 = __holds_2;
                    f.bins[(k) as usize] = f
                        .bins[(k) as usize]
                        .plus_where((__when_2 & __on), Real::splat(1.0));
                }
            }
            for k_2 in 0u32..4u32 {
                f.bins[((k_2 + FARTHEST)) as usize] = f
                    .bins[((k_2 + FARTHEST)) as usize]
                    .plus_where(__on, r);
            }
            {
                let __entry = Real::sub_u32(j.kind, Real::splat_u32(28u32));
                let __mask = (Real::lt(r, Real::splat(2.0))) & (__on);
                ::nbody::__private::add_to_entry(
                    &mut f.bins[28usize..32usize],
                    __entry,
                    __mask,
                    -(j.charge),
                );
            }
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Extremes::scalars::Unit,
                    __units_of_Extremes::singles::Unit,
                    __units_of_Extremes::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Extremes {
        pub mod scalars {
            pub struct Unit;
        }
        pub mod singles {
            pub struct Unit;
        }
        pub mod doubles {
            pub struct Unit;
        }
    }
}
