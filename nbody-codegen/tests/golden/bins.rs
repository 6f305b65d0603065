/// Counts and sums at indices from the data.
pub mod bins {
    pub const BINS: u32 = 64u32;
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Pairs<Real: ::nbody::__private::Lane = f64> {
        pub width: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Pairs<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                width: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Pairs<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Pairs<__M>;
        type Host = Pairs<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "width",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { width: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.width);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Pairs<f32> {}
    unsafe impl ::nbody::__private::Pod for Pairs<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Pairs<f64> {}
    unsafe impl ::nbody::__private::Pod for Pairs<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Atom<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub mass: Real,
        pub kind: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Atom<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                mass: ::core::default::Default::default(),
                kind: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Atom<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Atom<__M>;
        type Host = Atom<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "mass",
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
                mass: __from.real(),
                kind: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.mass);
            __to.index(self.kind);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Atom<f32> {}
    unsafe impl ::nbody::__private::Pod for Atom<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Bins<Real: ::nbody::__private::Lane = f64> {
        pub all: Real::U32,
        /// By distance.
        pub shells: [Real::U32; 64usize],
        pub weight: [Real; 3usize],
        pub kinds: [Real::U32; 3usize],
        pub last: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Bins<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                all: ::core::default::Default::default(),
                shells: [Real::splat_u32(0); 64usize],
                weight: [Real::default(); 3usize],
                kinds: [Real::splat_u32(0); 3usize],
                last: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Bins<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Bins<__M>;
        type Host = Bins<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "all",
                kind: ::nbody::__private::FieldKind::Count,
            },
            ::nbody::__private::Field {
                name: "shells",
                kind: ::nbody::__private::FieldKind::Counts(64usize),
            },
            ::nbody::__private::Field {
                name: "weight",
                kind: ::nbody::__private::FieldKind::Array(3usize),
            },
            ::nbody::__private::Field {
                name: "kinds",
                kind: ::nbody::__private::FieldKind::Counts(3usize),
            },
            ::nbody::__private::Field {
                name: "last",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                all: __from.index(),
                shells: {
                    let mut __counts = [Real::splat_u32(0); 64usize];
                    for __n in &mut __counts {
                        *__n = __from.index();
                    }
                    __counts
                },
                weight: {
                    let mut __array = [Real::default(); 3usize];
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                },
                kinds: {
                    let mut __counts = [Real::splat_u32(0); 3usize];
                    for __n in &mut __counts {
                        *__n = __from.index();
                    }
                    __counts
                },
                last: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.index(self.all);
            for __n in self.shells {
                __to.index(__n);
            }
            for __x in self.weight {
                __to.real(__x);
            }
            for __n in self.kinds {
                __to.index(__n);
            }
            __to.real(self.last);
        }
    }
    impl ::nbody::__private::Output for Bins {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Bins<__L>,
            __no: &Bins<__L>,
        ) -> Bins<__L> {
            Bins {
                all: __L::select_u32(__mask, __yes.all, __no.all),
                shells: ::nbody::__private::select_counts::<
                    __L,
                    _,
                >(__mask, __yes.shells, __no.shells),
                weight: ::nbody::__private::select_array::<
                    __L,
                    _,
                >(__mask, __yes.weight, __no.weight),
                kinds: ::nbody::__private::select_counts::<
                    __L,
                    _,
                >(__mask, __yes.kinds, __no.kinds),
                last: __L::select(__mask, __yes.last, __no.last),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Bins<__L>, __total: &mut Bins<__L>, __lost: &mut Bins<__L>) {
            __total.all = <__L as ::nbody::__private::Lane>::add_u32(
                __total.all,
                __term.all,
            );
            for (__n, __k) in __total.shells.iter_mut().zip(__term.shells) {
                *__n = <__L as ::nbody::__private::Lane>::add_u32(*__n, __k);
            }
            for (__k, __x) in __term.weight.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.weight[__k],
                    &mut __lost.weight[__k],
                );
            }
            for (__n, __k) in __total.kinds.iter_mut().zip(__term.kinds) {
                *__n = <__L as ::nbody::__private::Lane>::add_u32(*__n, __k);
            }
            ::nbody::__private::compensate(
                __term.last,
                &mut __total.last,
                &mut __lost.last,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Bins<f32> {}
    unsafe impl ::nbody::__private::Pod for Bins<f32> {}
    unsafe impl ::nbody::__private::Interaction for Pairs {
        type I = Atom;
        type J = Atom;
        type F = Bins;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "pairs",
            self_pairs: false,
            cutoff: false,
            cutoff_reads: [&[], &[]],
            reach: &[],
            charges: ::core::result::Result::Err("a result is no sum"),
            operations: ::nbody::__private::Operations {
                add: 12u32,
                mul: 6u32,
                div: 1u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 1u32,
            },
            most_counted: ::core::option::Option::Some(6u32),
            cuda: ::nbody::__private::CudaText {
                law: "struct Pairs {\n    real width;\n};\n\nstruct alignas(packing(3 * COORDINATE + 2)) Atom {\n    Point<3> pos;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Bins {\n    u32 all;\n    Counts<64, 0> shells; // By distance.\n    Array<3> weight;\n    Counts<3, 64> kinds;\n    real last;\n};\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Pairs &self, const Space &space, const Atom &i, const Atom &j, Bins &f)\n{\n    const real r = norm(space.difference(j.pos, i.pos));\n    f.all += 1u;\n    const u32 bin = to_u32(divide(r, self.width));\n    // By distance.\n    add_at(f.shells, bin, 1u);\n    if (r < real(4.0) * self.width) {\n        const real term = j.mass * i.mass;\n#pragma unroll\n        for (u32 k_2 = 0; k_2 < 3; ++k_2) {\n            if (j.kind == k_2) {\n                f.weight[k_2] += term;\n            }\n        }\n        const real term_2 = real(0.5) * r;\n#pragma unroll\n        for (u32 k_3 = 0; k_3 < 3; ++k_3) {\n            if (i.kind == k_3) {\n                f.weight[k_3] -= term_2;\n            }\n        }\n        add_at(f.kinds, j.kind, 1u);\n        f.kinds[2] += 3u;\n    }\n    f.last += r;\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Pairs;\nusing ParticleI = law::Atom;\nusing ParticleJ = law::Atom;\nusing Accumulators = law::Bins;\nconstexpr int IDIM = 3 * COORDINATE + 2;\nconstexpr int JDIM = 3 * COORDINATE + 2;\nconstexpr int FDIM = 5 + kept(67);\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] = word<backup>(integer(total[0]) + f.all);\n    fold_counts(f.shells, total + 1);\n    total[1 + kept(64)] += f.weight[0];\n    total[2 + kept(64)] += f.weight[1];\n    total[3 + kept(64)] += f.weight[2];\n    fold_counts(f.kinds, total + 4 + kept(64));\n    total[4 + kept(67)] += f.last;\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] = word<backup>(integer(total[0]) + integer(part[0]));\n    merge_counts<kept(64)>(part + 1, total + 1);\n    total[1 + kept(64)] += part[1 + kept(64)];\n    total[2 + kept(64)] += part[2 + kept(64)];\n    total[3 + kept(64)] += part[3 + kept(64)];\n    merge_counts<kept(3)>(part + 4 + kept(64), total + 4 + kept(64));\n    total[4 + kept(67)] += part[4 + kept(67)];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    f.all += term.all;\n    add_counts(term.shells, f.shells);\n    compensate(term.weight, f.weight, lost.weight);\n    add_counts(term.kinds, f.kinds);\n    compensate(term.last, f.last, lost.last);\n}\n\n",
            },
            third_law: ::core::option::Option::None,
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Pairs<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            _index: Real::U32,
            f: &mut Bins<Real>,
        ) {
            let r = space.difference(j.pos, i.pos).norm();
            f.all = Real::add_u32(f.all, Real::splat_u32(1u32));
            let bin = Real::to_u32(r / this.width);
            {
                let __entry = bin;
                let __mask = Real::splat_mask(true);
                ::nbody::__private::add_to_count::<
                    Real,
                >(
                    &mut f.shells[0usize..64usize],
                    __entry,
                    __mask,
                    Real::splat_u32(1u32),
                );
            }
            let __holds_1 = Real::lt(r, (Real::splat(4.0) * this.width));
            {
                let __when_1 = __holds_1;
                let term = j.mass * i.mass;
                {
                    let __entry = j.kind;
                    let __mask = (__when_1);
                    ::nbody::__private::add_to_entry(
                        &mut f.weight[0usize..3usize],
                        __entry,
                        __mask,
                        term,
                    );
                }
                let term_2 = Real::splat(0.5) * r;
                {
                    let __entry = i.kind;
                    let __mask = (__when_1);
                    ::nbody::__private::add_to_entry(
                        &mut f.weight[0usize..3usize],
                        __entry,
                        __mask,
                        -(term_2),
                    );
                }
                {
                    let __entry = j.kind;
                    let __mask = (__when_1);
                    ::nbody::__private::add_to_count::<
                        Real,
                    >(
                        &mut f.kinds[0usize..3usize],
                        __entry,
                        __mask,
                        Real::splat_u32(1u32),
                    );
                }
                f.kinds[2usize] = Real::add_u32(
                    f.kinds[2usize],
                    Real::select_u32(__when_1, Real::splat_u32(3u32), Real::splat_u32(0)),
                );
            }
            f.last = f.last + r;
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Pairs::scalars::Unit,
                    __units_of_Pairs::singles::Unit,
                    __units_of_Pairs::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Pairs {
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
