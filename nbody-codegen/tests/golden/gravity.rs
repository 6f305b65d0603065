pub mod gravity {
    /// Newtonian gravity with Plummer softening; G = 1.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Gravity<Real: ::nbody::__private::Lane = f64> {
        /// Squared softening length.
        pub eps2: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Gravity<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                eps2: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Gravity<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Gravity<__M>;
        type Host = Gravity<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "eps2",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { eps2: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.eps2);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Gravity<f32> {}
    unsafe impl ::nbody::__private::Pod for Gravity<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Gravity<f64> {}
    unsafe impl ::nbody::__private::Pod for Gravity<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Body<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub mass: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Body<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                mass: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Body<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Body<__M>;
        type Host = Body<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "mass",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                mass: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.real(self.mass);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Body<f32> {}
    unsafe impl ::nbody::__private::Pod for Body<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Body<f64> {}
    unsafe impl ::nbody::__private::Pod for Body<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Field<Real: ::nbody::__private::Lane = f64> {
        pub acc: ::nbody::__private::Vector<Real>,
        pub pot: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Field<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                acc: ::nbody::__private::Vector::default(),
                pot: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Field<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Field<__M>;
        type Host = Field<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "acc",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "pot",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                acc: ::nbody::__private::Vector::read(__from),
                pot: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.acc.write(__to);
            __to.real(self.pot);
        }
    }
    impl ::nbody::__private::Output for Field {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Field<__L>,
            __no: &Field<__L>,
        ) -> Field<__L> {
            Field {
                acc: ::nbody::__private::Vector::select(__mask, __yes.acc, __no.acc),
                pot: __L::select(__mask, __yes.pot, __no.pot),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Field<__L>, __total: &mut Field<__L>, __lost: &mut Field<__L>) {
            for (__k, __x) in __term.acc.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.acc.0[__k],
                    &mut __lost.acc.0[__k],
                );
            }
            ::nbody::__private::compensate(
                __term.pot,
                &mut __total.pot,
                &mut __lost.pot,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Field<f32> {}
    unsafe impl ::nbody::__private::Pod for Field<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Field<f64> {}
    unsafe impl ::nbody::__private::Pod for Field<f64> {}
    unsafe impl ::nbody::__private::Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "gravity",
            self_pairs: false,
            cutoff: false,
            cutoff_reads: [&[], &[]],
            reach: &[],
            charges: ::core::result::Result::Ok(::nbody::__private::Charges {
                products: &[&[3usize]],
                carried: &[
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Zero,
                    ::nbody::__private::Carried::Charge(0usize),
                ],
                sums: &[
                    ::nbody::__private::ChargeSum {
                        charges: &[0usize],
                        depends_on_i: false,
                    },
                    ::nbody::__private::ChargeSum {
                        charges: &[0usize],
                        depends_on_i: false,
                    },
                ],
            }),
            operations: ::nbody::__private::Operations {
                add: 10u32,
                mul: 9u32,
                div: 0u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 0u32,
            },
            most_counted: ::core::option::Option::Some(0u32),
            cuda: ::nbody::__private::CudaText {
                law: "// Newtonian gravity with Plummer softening; G = 1.\nstruct Gravity {\n    real eps2; // Squared softening length.\n};\n\nstruct alignas(packing(3 * COORDINATE + 1)) Body {\n    Point<3> pos;\n    real mass;\n};\n\nstruct Field {\n    Vector<3> acc;\n    real pot;\n};\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f)\n{\n    const Vector<3> d = space.difference(j.pos, i.pos);\n    // Softening keeps close encounters finite.\n    const real rinv = rsqrt(norm2_plus(d, self.eps2));\n    const real mr = j.mass * rinv; // the potential of j\n    f.acc += mr * rinv * rinv * d;\n    f.pot -= mr;\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Gravity;\nusing ParticleI = law::Body;\nusing ParticleJ = law::Body;\nusing Accumulators = law::Field;\nconstexpr int IDIM = 3 * COORDINATE + 1;\nconstexpr int JDIM = 3 * COORDINATE + 1;\nconstexpr int FDIM = 4;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.acc.x;\n    total[1] += f.acc.y;\n    total[2] += f.acc.z;\n    total[3] += f.pot;\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.acc, f.acc, lost.acc);\n    compensate(term.pot, f.pot, lost.pot);\n}\n\n",
            },
            third_law: ::core::option::Option::Some(::nbody::__private::ThirdLaw {
                cuda: "// Adds to f what j does to i, and to g what i does to j.\n__device__ __forceinline__ void pair_symmetric(\n    const Gravity &self, const Space &space, const Body &i, const Body &j, Field &f, Field &g)\n{\n    const Vector<3> d = space.difference(j.pos, i.pos);\n    // Softening keeps close encounters finite.\n    const real rinv = rsqrt(norm2_plus(d, self.eps2));\n    const real rinv3 = rinv * rinv * rinv;\n    f.acc += j.mass * rinv3 * d;\n    g.acc -= i.mass * rinv3 * d;\n    f.pot -= j.mass * rinv;\n    g.pot -= i.mass * rinv;\n}\n\n",
                operations: ::nbody::__private::Operations {
                    add: 14u32,
                    mul: 15u32,
                    div: 0u32,
                    sqrt: 1u32,
                    special: 0u32,
                    compare: 0u32,
                },
            }),
        }
            .law::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Gravity<Real>,
            space: &__Space,
            i: &Body<Real>,
            j: &Body<Real>,
            _index: Real::U32,
            f: &mut Field<Real>,
        ) {
            let d = space.difference(j.pos, i.pos);
            let rinv = (d.norm2_plus(this.eps2)).rsqrt();
            let mr = j.mass * rinv;
            f.acc = f.acc.plus_product(mr * rinv * rinv, d);
            f.pot = f.pot - mr;
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair_symmetric<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Gravity<Real>,
            space: &__Space,
            i: &Body<Real>,
            j: &Body<Real>,
            f: &mut Field<Real>,
            g: &mut Field<Real>,
        ) {
            let d = space.difference(j.pos, i.pos);
            let rinv = (d.norm2_plus(this.eps2)).rsqrt();
            let rinv3 = rinv * rinv * rinv;
            f.acc = f.acc.plus_product(j.mass * rinv3, d);
            g.acc = g.acc.minus_product(i.mass * rinv3, d);
            f.pot = f.pot.minus_product(j.mass, rinv);
            g.pot = g.pot.minus_product(i.mass, rinv);
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Gravity::scalars::Unit,
                    __units_of_Gravity::singles::Unit,
                    __units_of_Gravity::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Gravity {
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
