/// Symmetric tensors.
pub mod tensors {
    /// Harmonic repulsion; a shear that particles feel.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Spring<Real: ::nbody::__private::Lane = f64> {
        pub k: Real,
        pub shear: ::nbody::__private::Tensor<Real>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Spring<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                k: ::core::default::Default::default(),
                shear: ::nbody::__private::Tensor::<Real, 3usize>::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Spring<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Spring<__M>;
        type Host = Spring<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "k",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "shear",
                kind: ::nbody::__private::FieldKind::Tensor(3usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                k: __from.real(),
                shear: ::nbody::__private::Tensor::<Real, 3usize>::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.k);
            self.shear.write(__to);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Spring<f32> {}
    unsafe impl ::nbody::__private::Pod for Spring<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Spring<f64> {}
    unsafe impl ::nbody::__private::Pod for Spring<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Atom<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub strain: ::nbody::__private::Tensor<Real>,
        pub flat: ::nbody::__private::Vector<Real, 2usize>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Atom<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                strain: ::nbody::__private::Tensor::<Real, 3usize>::default(),
                flat: ::nbody::__private::Vector::default(),
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
                name: "strain",
                kind: ::nbody::__private::FieldKind::Tensor(3usize),
            },
            ::nbody::__private::Field {
                name: "flat",
                kind: ::nbody::__private::FieldKind::Vector(2usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                strain: ::nbody::__private::Tensor::<Real, 3usize>::read(__from),
                flat: ::nbody::__private::Vector::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            self.strain.write(__to);
            self.flat.write(__to);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Atom<f32> {}
    unsafe impl ::nbody::__private::Pod for Atom<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Atom<f64> {}
    unsafe impl ::nbody::__private::Pod for Atom<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Force<Real: ::nbody::__private::Lane = f64> {
        pub force: ::nbody::__private::Vector<Real>,
        pub virial: ::nbody::__private::Tensor<Real>,
        pub flat: ::nbody::__private::Tensor<Real, 2usize>,
        pub line: ::nbody::__private::Tensor<Real, 1usize>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Force<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                force: ::nbody::__private::Vector::default(),
                virial: ::nbody::__private::Tensor::<Real, 3usize>::default(),
                flat: ::nbody::__private::Tensor::<Real, 2usize>::default(),
                line: ::nbody::__private::Tensor::<Real, 1usize>::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Force<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Force<__M>;
        type Host = Force<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "force",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "virial",
                kind: ::nbody::__private::FieldKind::Tensor(3usize),
            },
            ::nbody::__private::Field {
                name: "flat",
                kind: ::nbody::__private::FieldKind::Tensor(2usize),
            },
            ::nbody::__private::Field {
                name: "line",
                kind: ::nbody::__private::FieldKind::Tensor(1usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                force: ::nbody::__private::Vector::read(__from),
                virial: ::nbody::__private::Tensor::<Real, 3usize>::read(__from),
                flat: ::nbody::__private::Tensor::<Real, 2usize>::read(__from),
                line: ::nbody::__private::Tensor::<Real, 1usize>::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.force.write(__to);
            self.virial.write(__to);
            self.flat.write(__to);
            self.line.write(__to);
        }
    }
    impl ::nbody::__private::Output for Force {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Force<__L>,
            __no: &Force<__L>,
        ) -> Force<__L> {
            Force {
                force: ::nbody::__private::Vector::select(
                    __mask,
                    __yes.force,
                    __no.force,
                ),
                virial: ::nbody::__private::Tensor::<
                    __L,
                    3usize,
                >::select(__mask, __yes.virial, __no.virial),
                flat: ::nbody::__private::Tensor::<
                    __L,
                    2usize,
                >::select(__mask, __yes.flat, __no.flat),
                line: ::nbody::__private::Tensor::<
                    __L,
                    1usize,
                >::select(__mask, __yes.line, __no.line),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Force<__L>, __total: &mut Force<__L>, __lost: &mut Force<__L>) {
            for (__k, __x) in __term.force.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.force.0[__k],
                    &mut __lost.force.0[__k],
                );
            }
            for (__k, __x) in __term.virial.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.virial.0[__k],
                    &mut __lost.virial.0[__k],
                );
            }
            for (__k, __x) in __term.flat.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.flat.0[__k],
                    &mut __lost.flat.0[__k],
                );
            }
            for (__k, __x) in __term.line.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.line.0[__k],
                    &mut __lost.line.0[__k],
                );
            }
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Force<f32> {}
    unsafe impl ::nbody::__private::Pod for Force<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Force<f64> {}
    unsafe impl ::nbody::__private::Pod for Force<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Relax<Real: ::nbody::__private::Lane = f64> {
        pub rate: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Relax<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                rate: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Relax<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Relax<__M>;
        type Host = Relax<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "rate",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { rate: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.rate);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Relax<f32> {}
    unsafe impl ::nbody::__private::Pod for Relax<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Relax<f64> {}
    unsafe impl ::nbody::__private::Pod for Relax<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Total<Real: ::nbody::__private::Lane = f64> {
        pub pressure: ::nbody::__private::Tensor<Real>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Total<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pressure: ::nbody::__private::Tensor::<Real, 3usize>::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Total<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Total<__M>;
        type Host = Total<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pressure",
                kind: ::nbody::__private::FieldKind::Tensor(3usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pressure: ::nbody::__private::Tensor::<Real, 3usize>::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pressure.write(__to);
        }
    }
    impl ::nbody::__private::Output for Total {
        #[inline(always)]
        fn select<__L: ::nbody::__private::Lane>(
            __mask: __L::Mask,
            __yes: &Total<__L>,
            __no: &Total<__L>,
        ) -> Total<__L> {
            Total {
                pressure: ::nbody::__private::Tensor::<
                    __L,
                    3usize,
                >::select(__mask, __yes.pressure, __no.pressure),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Total<__L>, __total: &mut Total<__L>, __lost: &mut Total<__L>) {
            for (__k, __x) in __term.pressure.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.pressure.0[__k],
                    &mut __lost.pressure.0[__k],
                );
            }
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Total<f32> {}
    unsafe impl ::nbody::__private::Pod for Total<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Total<f64> {}
    unsafe impl ::nbody::__private::Pod for Total<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Pressure<Real: ::nbody::__private::Lane = f64> {
        #[doc(hidden)]
        pub __real: ::core::marker::PhantomData<Real>,
    }
    #[doc(hidden)]
    #[allow(non_upper_case_globals)]
    pub const Pressure: Pressure = Pressure {
        __real: ::core::marker::PhantomData,
    };
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Pressure<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                __real: ::core::marker::PhantomData,
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Pressure<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Pressure<__M>;
        type Host = Pressure<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                __real: ::core::marker::PhantomData,
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {}
    }
    unsafe impl ::nbody::__private::Zeroable for Pressure<f32> {}
    unsafe impl ::nbody::__private::Pod for Pressure<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Pressure<f64> {}
    unsafe impl ::nbody::__private::Pod for Pressure<f64> {}
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    /// The part of a tensor without a trace.
    fn deviator<Real: ::nbody::__private::Lane>(
        t: ::nbody::__private::Tensor<Real>,
    ) -> ::nbody::__private::Tensor<Real> {
        let p = (t[0usize] + t[1usize] + t[2usize]) / Real::splat(3.0);
        ::nbody::__private::Tensor::<
            Real,
            3usize,
        >([
            t[0usize] - p,
            t[1usize] - p,
            t[2usize] - p,
            t[3usize] - Real::splat(0.0),
            t[4usize] - Real::splat(0.0),
            t[5usize] - Real::splat(0.0),
        ])
    }
    unsafe impl ::nbody::__private::Interaction for Spring {
        type I = Atom;
        type J = Atom;
        type F = Force;
        const LAW: &'static ::nbody::__private::Law = &::nbody::__private::Declaration {
            name: "spring",
            self_pairs: false,
            cutoff: false,
            cutoff_reads: [&[], &[]],
            reach: &[],
            charges: ::core::result::Result::Err(
                "`0.5 * d.x * push.x` is added for every j alike, not by a charge of j",
            ),
            operations: ::nbody::__private::Operations {
                add: 60u32,
                mul: 48u32,
                div: 7u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 7u32,
            },
            most_counted: ::core::option::Option::Some(0u32),
            cuda: ::nbody::__private::CudaText {
                law: "// Harmonic repulsion; a shear that particles feel.\nstruct Spring {\n    real k;\n    Array<6> shear;\n};\n\nstruct alignas(packing(3 * COORDINATE + 8)) Atom {\n    Point<3> pos;\n    Array<6> strain;\n    Vector<2> flat;\n};\n\nstruct Force {\n    Vector<3> force;\n    Array<6> virial;\n    Array<3> flat;\n    Array<1> line;\n};\n\n// The part of a tensor without a trace.\n__device__ __forceinline__ Array<6> deviator(Array<6> t)\n{\n    const real p = divide(t[0] + t[1] + t[2], real(3.0));\n    return Array<6>{t[0] - p, t[1] - p, t[2] - p, t[3] - real(0.0), t[4] - real(0.0), t[5]\n        - real(0.0)};\n}\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f)\n{\n    const Vector<3> d = space.difference(i.pos, j.pos);\n    const Vector<3> push = self.k * d\n        + Vector<3>{self.shear[0] * d.x + self.shear[3] * d.y + self.shear[4] * d.z, self.shear[3]\n        * d.x + self.shear[1] * d.y + self.shear[5] * d.z, self.shear[4] * d.x + self.shear[5] * d.y\n        + self.shear[2] * d.z};\n    // Half for each particle.\n    f.virial[0] += real(0.5) * (d.x * push.x);\n    f.virial[1] += real(0.5) * (d.y * push.y);\n    f.virial[2] += real(0.5) * (d.z * push.z);\n    f.virial[3] += real(0.25) * (d.x * push.y + d.y * push.x);\n    f.virial[4] += real(0.25) * (d.x * push.z + d.z * push.x);\n    f.virial[5] += real(0.25) * (d.y * push.z + d.z * push.y);\n    f.force += push;\n    Array<6> t = norm2(d) < real(1.0) ? i.strain : deviator(j.strain);\n    t[3] += d.x;\n    t = Array<6>{t[0] * real(2.0), t[1] * real(2.0), t[2] * real(2.0), t[3] * real(2.0), t[4]\n        * real(2.0), t[5] * real(2.0)};\n    t = Array<6>{t[0] - divide(-j.strain[0], self.k), t[1] - divide(-j.strain[1], self.k), t[2]\n        - divide(-j.strain[2], self.k), t[3] - divide(-j.strain[3], self.k), t[4]\n        - divide(-j.strain[4], self.k), t[5] - divide(-j.strain[5], self.k)};\n    f.virial[0] -= t[0];\n    f.virial[1] -= t[1];\n    f.virial[2] -= t[2];\n    f.virial[3] -= t[3];\n    f.virial[4] -= t[4];\n    f.virial[5] -= t[5];\n    f.virial[5] += Vector<3>{t[0] * d.x + t[3] * d.y + t[4] * d.z, t[3] * d.x + t[1] * d.y + t[5]\n        * d.z, t[4] * d.x + t[5] * d.y + t[2] * d.z}.z;\n    const Vector<2> side = i.flat - j.flat;\n    f.flat[0] += side.x * side.x;\n    f.flat[1] += side.y * side.y;\n    f.flat[2] += side.x * side.y;\n    f.line[0] += d.y;\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Spring;\nusing ParticleI = law::Atom;\nusing ParticleJ = law::Atom;\nusing Accumulators = law::Force;\nconstexpr int IDIM = 3 * COORDINATE + 8;\nconstexpr int JDIM = 3 * COORDINATE + 8;\nconstexpr int FDIM = 13;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = false;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.force.x;\n    total[1] += f.force.y;\n    total[2] += f.force.z;\n    total[3] += f.virial[0];\n    total[4] += f.virial[1];\n    total[5] += f.virial[2];\n    total[6] += f.virial[3];\n    total[7] += f.virial[4];\n    total[8] += f.virial[5];\n    total[9] += f.flat[0];\n    total[10] += f.flat[1];\n    total[11] += f.flat[2];\n    total[12] += f.line[0];\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.force, f.force, lost.force);\n    compensate(term.virial, f.virial, lost.virial);\n    compensate(term.flat, f.flat, lost.flat);\n    compensate(term.line, f.line, lost.line);\n}\n\n",
            },
            third_law: ::core::option::Option::Some(::nbody::__private::ThirdLaw {
                cuda: "// Adds to f what j does to i, and to g what i does to j.\n__device__ __forceinline__ void pair_symmetric(\n    const Spring &self, const Space &space, const Atom &i, const Atom &j, Force &f, Force &g)\n{\n    const Vector<3> d = space.difference(i.pos, j.pos);\n    const Vector<3> push = self.k * d\n        + Vector<3>{self.shear[0] * d.x + self.shear[3] * d.y + self.shear[4] * d.z, self.shear[3]\n        * d.x + self.shear[1] * d.y + self.shear[5] * d.z, self.shear[4] * d.x + self.shear[5] * d.y\n        + self.shear[2] * d.z};\n    // Half for each particle.\n    const real virial_factor = real(0.5) * d.x;\n    f.virial[0] += virial_factor * push.x;\n    g.virial[0] += virial_factor * push.x;\n    const real virial_factor_2 = real(0.5) * d.y;\n    f.virial[1] += virial_factor_2 * push.y;\n    g.virial[1] += virial_factor_2 * push.y;\n    const real virial_factor_3 = real(0.5) * d.z;\n    f.virial[2] += virial_factor_3 * push.z;\n    g.virial[2] += virial_factor_3 * push.z;\n    const real virial_factor_4 = d.x * push.y + d.y * push.x;\n    f.virial[3] += real(0.25) * virial_factor_4;\n    g.virial[3] += real(0.25) * virial_factor_4;\n    const real virial_factor_5 = d.x * push.z + d.z * push.x;\n    f.virial[4] += real(0.25) * virial_factor_5;\n    g.virial[4] += real(0.25) * virial_factor_5;\n    const real virial_factor_6 = d.y * push.z + d.z * push.y;\n    f.virial[5] += real(0.25) * virial_factor_6;\n    g.virial[5] += real(0.25) * virial_factor_6;\n    f.force += push;\n    g.force -= push;\n    Array<6> t = norm2(d) < real(1.0) ? i.strain : deviator(j.strain);\n    Array<6> t_back = norm2(d) < real(1.0) ? j.strain : deviator(i.strain);\n    t[3] += d.x;\n    t_back[3] -= d.x;\n    t = Array<6>{t[0] * real(2.0), t[1] * real(2.0), t[2] * real(2.0), t[3] * real(2.0), t[4]\n        * real(2.0), t[5] * real(2.0)};\n    t_back = Array<6>{t_back[0] * real(2.0), t_back[1] * real(2.0), t_back[2] * real(2.0), t_back[3]\n        * real(2.0), t_back[4] * real(2.0), t_back[5] * real(2.0)};\n    const real inverse_k = divide(real(1.0), self.k);\n    t = Array<6>{t[0] + j.strain[0] * inverse_k, t[1] + j.strain[1] * inverse_k, t[2] + j.strain[2]\n        * inverse_k, t[3] + j.strain[3] * inverse_k, t[4] + j.strain[4] * inverse_k, t[5]\n        + j.strain[5] * inverse_k};\n    t_back = Array<6>{t_back[0] + i.strain[0] * inverse_k, t_back[1] + i.strain[1]\n        * inverse_k, t_back[2] + i.strain[2] * inverse_k, t_back[3] + i.strain[3]\n        * inverse_k, t_back[4] + i.strain[4] * inverse_k, t_back[5] + i.strain[5] * inverse_k};\n    f.virial[0] -= t[0];\n    g.virial[0] -= t_back[0];\n    f.virial[1] -= t[1];\n    g.virial[1] -= t_back[1];\n    f.virial[2] -= t[2];\n    g.virial[2] -= t_back[2];\n    f.virial[3] -= t[3];\n    g.virial[3] -= t_back[3];\n    f.virial[4] -= t[4];\n    g.virial[4] -= t_back[4];\n    f.virial[5] -= t[5];\n    g.virial[5] -= t_back[5];\n    f.virial[5] += Vector<3>{t[0] * d.x + t[3] * d.y + t[4] * d.z, t[3] * d.x + t[1] * d.y + t[5]\n        * d.z, t[4] * d.x + t[5] * d.y + t[2] * d.z}.z;\n    g.virial[5] -= Vector<3>{t_back[0] * d.x + t_back[3] * d.y + t_back[4] * d.z, t_back[3] * d.x\n        + t_back[1] * d.y + t_back[5] * d.z, t_back[4] * d.x + t_back[5] * d.y + t_back[2] * d.z}.z;\n    const Vector<2> side = i.flat - j.flat;\n    f.flat[0] += side.x * side.x;\n    g.flat[0] += side.x * side.x;\n    f.flat[1] += side.y * side.y;\n    g.flat[1] += side.y * side.y;\n    f.flat[2] += side.x * side.y;\n    g.flat[2] += side.x * side.y;\n    f.line[0] += d.y;\n    g.line[0] -= d.y;\n}\n\n",
                operations: ::nbody::__private::Operations {
                    add: 103u32,
                    mul: 87u32,
                    div: 3u32,
                    sqrt: 0u32,
                    special: 0u32,
                    compare: 14u32,
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
            this: &Spring<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            _index: Real::U32,
            f: &mut Force<Real>,
        ) {
            let d = space.difference(i.pos, j.pos);
            let push = ::nbody::__private::Vector([
                    ((this.shear[0usize] * d[0usize])
                        .plus_product(this.shear[3usize], d[1usize]))
                        .plus_product(this.shear[4usize], d[2usize]),
                    ((this.shear[3usize] * d[0usize])
                        .plus_product(this.shear[1usize], d[1usize]))
                        .plus_product(this.shear[5usize], d[2usize]),
                    ((this.shear[4usize] * d[0usize])
                        .plus_product(this.shear[5usize], d[1usize]))
                        .plus_product(this.shear[2usize], d[2usize]),
                ])
                .plus_product(this.k, d);
            f.virial[0usize] = f
                .virial[0usize]
                .plus_product(Real::splat(0.5), d[0usize] * push[0usize]);
            f.virial[1usize] = f
                .virial[1usize]
                .plus_product(Real::splat(0.5), d[1usize] * push[1usize]);
            f.virial[2usize] = f
                .virial[2usize]
                .plus_product(Real::splat(0.5), d[2usize] * push[2usize]);
            f.virial[3usize] = f
                .virial[3usize]
                .plus_product(
                    Real::splat(0.25),
                    (d[0usize] * push[1usize]).plus_product(d[1usize], push[0usize]),
                );
            f.virial[4usize] = f
                .virial[4usize]
                .plus_product(
                    Real::splat(0.25),
                    (d[0usize] * push[2usize]).plus_product(d[2usize], push[0usize]),
                );
            f.virial[5usize] = f
                .virial[5usize]
                .plus_product(
                    Real::splat(0.25),
                    (d[1usize] * push[2usize]).plus_product(d[2usize], push[1usize]),
                );
            f.force = f.force + push;
            let mut t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >::select(
                Real::lt(d.norm2(), Real::splat(1.0)),
                i.strain,
                deviator::<Real>(j.strain),
            );
            t[3usize] = t[3usize] + d[0usize];
            t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t[0usize] * Real::splat(2.0),
                t[1usize] * Real::splat(2.0),
                t[2usize] * Real::splat(2.0),
                t[3usize] * Real::splat(2.0),
                t[4usize] * Real::splat(2.0),
                t[5usize] * Real::splat(2.0),
            ]);
            t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t[0usize] - ((-j.strain[0usize]) / this.k),
                t[1usize] - ((-j.strain[1usize]) / this.k),
                t[2usize] - ((-j.strain[2usize]) / this.k),
                t[3usize] - ((-j.strain[3usize]) / this.k),
                t[4usize] - ((-j.strain[4usize]) / this.k),
                t[5usize] - ((-j.strain[5usize]) / this.k),
            ]);
            f.virial[0usize] = f.virial[0usize] - t[0usize];
            f.virial[1usize] = f.virial[1usize] - t[1usize];
            f.virial[2usize] = f.virial[2usize] - t[2usize];
            f.virial[3usize] = f.virial[3usize] - t[3usize];
            f.virial[4usize] = f.virial[4usize] - t[4usize];
            f.virial[5usize] = f.virial[5usize] - t[5usize];
            f.virial[5usize] = f.virial[5usize]
                + ::nbody::__private::Vector([
                    ((t[0usize] * d[0usize]).plus_product(t[3usize], d[1usize]))
                        .plus_product(t[4usize], d[2usize]),
                    ((t[3usize] * d[0usize]).plus_product(t[1usize], d[1usize]))
                        .plus_product(t[5usize], d[2usize]),
                    ((t[4usize] * d[0usize]).plus_product(t[5usize], d[1usize]))
                        .plus_product(t[2usize], d[2usize]),
                ])[2usize];
            let side = i.flat - j.flat;
            f.flat[0usize] = f.flat[0usize].plus_product(side[0usize], side[0usize]);
            f.flat[1usize] = f.flat[1usize].plus_product(side[1usize], side[1usize]);
            f.flat[2usize] = f.flat[2usize].plus_product(side[0usize], side[1usize]);
            f.line[0usize] = f.line[0usize] + d[1usize];
        }
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        fn pair_symmetric<
            Real: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Spring<Real>,
            space: &__Space,
            i: &Atom<Real>,
            j: &Atom<Real>,
            f: &mut Force<Real>,
            g: &mut Force<Real>,
        ) {
            let d = space.difference(i.pos, j.pos);
            let push = ::nbody::__private::Vector([
                    ((this.shear[0usize] * d[0usize])
                        .plus_product(this.shear[3usize], d[1usize]))
                        .plus_product(this.shear[4usize], d[2usize]),
                    ((this.shear[3usize] * d[0usize])
                        .plus_product(this.shear[1usize], d[1usize]))
                        .plus_product(this.shear[5usize], d[2usize]),
                    ((this.shear[4usize] * d[0usize])
                        .plus_product(this.shear[5usize], d[1usize]))
                        .plus_product(this.shear[2usize], d[2usize]),
                ])
                .plus_product(this.k, d);
            let virial_factor = Real::splat(0.5) * d[0usize];
            f.virial[0usize] = f
                .virial[0usize]
                .plus_product(virial_factor, push[0usize]);
            g.virial[0usize] = g
                .virial[0usize]
                .plus_product(virial_factor, push[0usize]);
            let virial_factor_2 = Real::splat(0.5) * d[1usize];
            f.virial[1usize] = f
                .virial[1usize]
                .plus_product(virial_factor_2, push[1usize]);
            g.virial[1usize] = g
                .virial[1usize]
                .plus_product(virial_factor_2, push[1usize]);
            let virial_factor_3 = Real::splat(0.5) * d[2usize];
            f.virial[2usize] = f
                .virial[2usize]
                .plus_product(virial_factor_3, push[2usize]);
            g.virial[2usize] = g
                .virial[2usize]
                .plus_product(virial_factor_3, push[2usize]);
            let virial_factor_4 = (d[0usize] * push[1usize])
                .plus_product(d[1usize], push[0usize]);
            f.virial[3usize] = f
                .virial[3usize]
                .plus_product(Real::splat(0.25), virial_factor_4);
            g.virial[3usize] = g
                .virial[3usize]
                .plus_product(Real::splat(0.25), virial_factor_4);
            let virial_factor_5 = (d[0usize] * push[2usize])
                .plus_product(d[2usize], push[0usize]);
            f.virial[4usize] = f
                .virial[4usize]
                .plus_product(Real::splat(0.25), virial_factor_5);
            g.virial[4usize] = g
                .virial[4usize]
                .plus_product(Real::splat(0.25), virial_factor_5);
            let virial_factor_6 = (d[1usize] * push[2usize])
                .plus_product(d[2usize], push[1usize]);
            f.virial[5usize] = f
                .virial[5usize]
                .plus_product(Real::splat(0.25), virial_factor_6);
            g.virial[5usize] = g
                .virial[5usize]
                .plus_product(Real::splat(0.25), virial_factor_6);
            f.force = f.force + push;
            g.force = g.force - push;
            let mut t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >::select(
                Real::lt(d.norm2(), Real::splat(1.0)),
                i.strain,
                deviator::<Real>(j.strain),
            );
            let mut t_back = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >::select(
                Real::lt(d.norm2(), Real::splat(1.0)),
                j.strain,
                deviator::<Real>(i.strain),
            );
            t[3usize] = t[3usize] + d[0usize];
            t_back[3usize] = t_back[3usize] - d[0usize];
            t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t[0usize] * Real::splat(2.0),
                t[1usize] * Real::splat(2.0),
                t[2usize] * Real::splat(2.0),
                t[3usize] * Real::splat(2.0),
                t[4usize] * Real::splat(2.0),
                t[5usize] * Real::splat(2.0),
            ]);
            t_back = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t_back[0usize] * Real::splat(2.0),
                t_back[1usize] * Real::splat(2.0),
                t_back[2usize] * Real::splat(2.0),
                t_back[3usize] * Real::splat(2.0),
                t_back[4usize] * Real::splat(2.0),
                t_back[5usize] * Real::splat(2.0),
            ]);
            let inverse_k = Real::splat(1.0) / this.k;
            t = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t[0usize].plus_product(j.strain[0usize], inverse_k),
                t[1usize].plus_product(j.strain[1usize], inverse_k),
                t[2usize].plus_product(j.strain[2usize], inverse_k),
                t[3usize].plus_product(j.strain[3usize], inverse_k),
                t[4usize].plus_product(j.strain[4usize], inverse_k),
                t[5usize].plus_product(j.strain[5usize], inverse_k),
            ]);
            t_back = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                t_back[0usize].plus_product(i.strain[0usize], inverse_k),
                t_back[1usize].plus_product(i.strain[1usize], inverse_k),
                t_back[2usize].plus_product(i.strain[2usize], inverse_k),
                t_back[3usize].plus_product(i.strain[3usize], inverse_k),
                t_back[4usize].plus_product(i.strain[4usize], inverse_k),
                t_back[5usize].plus_product(i.strain[5usize], inverse_k),
            ]);
            f.virial[0usize] = f.virial[0usize] - t[0usize];
            g.virial[0usize] = g.virial[0usize] - t_back[0usize];
            f.virial[1usize] = f.virial[1usize] - t[1usize];
            g.virial[1usize] = g.virial[1usize] - t_back[1usize];
            f.virial[2usize] = f.virial[2usize] - t[2usize];
            g.virial[2usize] = g.virial[2usize] - t_back[2usize];
            f.virial[3usize] = f.virial[3usize] - t[3usize];
            g.virial[3usize] = g.virial[3usize] - t_back[3usize];
            f.virial[4usize] = f.virial[4usize] - t[4usize];
            g.virial[4usize] = g.virial[4usize] - t_back[4usize];
            f.virial[5usize] = f.virial[5usize] - t[5usize];
            g.virial[5usize] = g.virial[5usize] - t_back[5usize];
            f.virial[5usize] = f.virial[5usize]
                + ::nbody::__private::Vector([
                    ((t[0usize] * d[0usize]).plus_product(t[3usize], d[1usize]))
                        .plus_product(t[4usize], d[2usize]),
                    ((t[3usize] * d[0usize]).plus_product(t[1usize], d[1usize]))
                        .plus_product(t[5usize], d[2usize]),
                    ((t[4usize] * d[0usize]).plus_product(t[5usize], d[1usize]))
                        .plus_product(t[2usize], d[2usize]),
                ])[2usize];
            g.virial[5usize] = g.virial[5usize]
                - ::nbody::__private::Vector([
                    ((t_back[0usize] * d[0usize])
                        .plus_product(t_back[3usize], d[1usize]))
                        .plus_product(t_back[4usize], d[2usize]),
                    ((t_back[3usize] * d[0usize])
                        .plus_product(t_back[1usize], d[1usize]))
                        .plus_product(t_back[5usize], d[2usize]),
                    ((t_back[4usize] * d[0usize])
                        .plus_product(t_back[5usize], d[1usize]))
                        .plus_product(t_back[2usize], d[2usize]),
                ])[2usize];
            let side = i.flat - j.flat;
            f.flat[0usize] = f.flat[0usize].plus_product(side[0usize], side[0usize]);
            g.flat[0usize] = g.flat[0usize].plus_product(side[0usize], side[0usize]);
            f.flat[1usize] = f.flat[1usize].plus_product(side[1usize], side[1usize]);
            g.flat[1usize] = g.flat[1usize].plus_product(side[1usize], side[1usize]);
            f.flat[2usize] = f.flat[2usize].plus_product(side[0usize], side[1usize]);
            g.flat[2usize] = g.flat[2usize].plus_product(side[0usize], side[1usize]);
            f.line[0usize] = f.line[0usize] + d[1usize];
            g.line[0usize] = g.line[0usize] - d[1usize];
        }
        #[inline(never)]
        fn cpu_loops(
            __variant: ::nbody::__private::Variant,
        ) -> ::nbody::__private::Compiled {
            __variant
                .of::<
                    Self,
                    __units_of_Spring::scalars::Unit,
                    __units_of_Spring::singles::Unit,
                    __units_of_Spring::doubles::Unit,
                >()
        }
    }
    #[allow(non_snake_case)]
    mod __units_of_Spring {
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
    unsafe impl ::nbody::__private::Update for Relax {
        type P = Atom;
        type Q = ::nbody::__private::Nothing;
        type F = Force;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "relax",
            operations: ::nbody::__private::Operations {
                add: 6u32,
                mul: 7u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Atom {\n    Point<3> pos;\n    Array<6> strain;\n    Vector<2> flat;\n};\n\nstruct Force {\n    Vector<3> force;\n    Array<6> virial;\n    Array<3> flat;\n    Array<1> line;\n};\n\nstruct Relax {\n    real rate;\n};\n\n// Changes p.\n__device__ __forceinline__ void update(const Relax &self, const Space &, Atom &p, const Force &f)\n{\n    p.strain = Array<6>{p.strain[0] + self.rate * f.virial[0], p.strain[1] + self.rate\n        * f.virial[1], p.strain[2] + self.rate * f.virial[2], p.strain[3] + self.rate\n        * f.virial[3], p.strain[4] + self.rate * f.virial[4], p.strain[5] + self.rate\n        * f.virial[5]};\n    p.strain = Array<6>{p.strain[1], p.strain[0], p.strain[2], p.strain[3], p.strain[5], p.strain[4]};\n    p.strain[2] *= real(0.5);\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Relax;\nusing ParticleP = law::Atom;\nusing ParticleQ = Nothing;\nusing ResultsF = law::Force;\nusing TotalG = Nothing;\nconstexpr int PDIM = 11;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 13;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, true, true, true, false, false};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.strain[0]);\n    visit.real(4, record.strain[1]);\n    visit.real(5, record.strain[2]);\n    visit.real(6, record.strain[3]);\n    visit.real(7, record.strain[4]);\n    visit.real(8, record.strain[5]);\n    visit.real(9, record.flat.x);\n    visit.real(10, record.flat.y);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Force &record, Visit &visit)\n{\n    visit.real(0, record.force.x);\n    visit.real(1, record.force.y);\n    visit.real(2, record.force.z);\n    visit.real(3, record.virial[0]);\n    visit.real(4, record.virial[1]);\n    visit.real(5, record.virial[2]);\n    visit.real(6, record.virial[3]);\n    visit.real(7, record.virial[4]);\n    visit.real(8, record.virial[5]);\n    visit.real(9, record.flat[0]);\n    visit.real(10, record.flat[1]);\n    visit.real(11, record.flat[2]);\n    visit.real(12, record.line[0]);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &f,\n    const TotalG &, const Others &)\n{\n    law::update(self, space, p, f);\n}\n\n",
            },
            changes: &[false, true, false],
            gathers: 0usize,
        }
            .update::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn update<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
            __Others: ::nbody::__private::Others<
                    ::nbody::__private::Nothing<Real>,
                    Real::U32,
                >,
        >(
            this: &Relax<Real>,
            _space: &__Space,
            p: &mut Atom<Real>,
            _: &::nbody::__private::Nothing<Real>,
            f: &Force<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
        ) {
            p.strain = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                p.strain[0usize].plus_product(this.rate, f.virial[0usize]),
                p.strain[1usize].plus_product(this.rate, f.virial[1usize]),
                p.strain[2usize].plus_product(this.rate, f.virial[2usize]),
                p.strain[3usize].plus_product(this.rate, f.virial[3usize]),
                p.strain[4usize].plus_product(this.rate, f.virial[4usize]),
                p.strain[5usize].plus_product(this.rate, f.virial[5usize]),
            ]);
            p.strain = ::nbody::__private::Tensor::<
                Real,
                3usize,
            >([
                p.strain[1usize],
                p.strain[0usize],
                p.strain[2usize],
                p.strain[3usize],
                p.strain[5usize],
                p.strain[4usize],
            ]);
            p.strain[2usize] = p.strain[2usize] * Real::splat(0.5);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Measure for Pressure {
        type P = Atom;
        type Q = ::nbody::__private::Nothing;
        type F = Force;
        type G = ::nbody::__private::Nothing;
        type T = Total;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "pressure",
            operations: ::nbody::__private::Operations {
                add: 12u32,
                mul: 0u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Atom {\n    Point<3> pos;\n    Array<6> strain;\n    Vector<2> flat;\n};\n\nstruct Force {\n    Vector<3> force;\n    Array<6> virial;\n    Array<3> flat;\n    Array<1> line;\n};\n\nstruct Total {\n    Array<6> pressure;\n};\n\nstruct Pressure {\n};\n\n// Adds to t what p contributes.\n__device__ __forceinline__ void measure(\n    const Pressure &self, const Space &, const Atom &p, const Force &f, Total &t)\n{\n    t.pressure[0] += f.virial[0] + p.strain[0];\n    t.pressure[1] += f.virial[1] + p.strain[1];\n    t.pressure[2] += f.virial[2] + p.strain[2];\n    t.pressure[3] += f.virial[3] + p.strain[3];\n    t.pressure[4] += f.virial[4] + p.strain[4];\n    t.pressure[5] += f.virial[5] + p.strain[5];\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Pressure;\nusing ParticleP = law::Atom;\nusing ParticleQ = Nothing;\nusing ResultsF = law::Force;\nusing TotalG = Nothing;\nconstexpr int PDIM = 11;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 13;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\nusing Accumulators = law::Total;\nconstexpr int FDIM = 6;\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.strain[0]);\n    visit.real(4, record.strain[1]);\n    visit.real(5, record.strain[2]);\n    visit.real(6, record.strain[3]);\n    visit.real(7, record.strain[4]);\n    visit.real(8, record.strain[5]);\n    visit.real(9, record.flat.x);\n    visit.real(10, record.flat.y);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Force &record, Visit &visit)\n{\n    visit.real(0, record.force.x);\n    visit.real(1, record.force.y);\n    visit.real(2, record.force.z);\n    visit.real(3, record.virial[0]);\n    visit.real(4, record.virial[1]);\n    visit.real(5, record.virial[2]);\n    visit.real(6, record.virial[3]);\n    visit.real(7, record.virial[4]);\n    visit.real(8, record.virial[5]);\n    visit.real(9, record.flat[0]);\n    visit.real(10, record.flat[1]);\n    visit.real(11, record.flat[2]);\n    visit.real(12, record.line[0]);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, const ParticleP &p, const ParticleQ &,\n    const ResultsF &f, const TotalG &, const Others &, u32, Accumulators &t)\n{\n    law::measure(self, space, p, f, t);\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.pressure[0];\n    total[1] += f.pressure[1];\n    total[2] += f.pressure[2];\n    total[3] += f.pressure[3];\n    total[4] += f.pressure[4];\n    total[5] += f.pressure[5];\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    for (int k = 0; k < FDIM; ++k) total[k] += part[k];\n}\n\n",
            },
            changes: &[],
            gathers: 0usize,
        }
            .measure::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn measure<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
            __Others: ::nbody::__private::Others<
                    ::nbody::__private::Nothing<Real>,
                    Real::U32,
                >,
        >(
            this: &Pressure<Real>,
            _space: &__Space,
            p: &Atom<Real>,
            _: &::nbody::__private::Nothing<Real>,
            f: &Force<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
            _index: Real::U32,
            t: &mut Total<Real>,
        ) {
            t.pressure[0usize] = t.pressure[0usize]
                + (f.virial[0usize] + p.strain[0usize]);
            t.pressure[1usize] = t.pressure[1usize]
                + (f.virial[1usize] + p.strain[1usize]);
            t.pressure[2usize] = t.pressure[2usize]
                + (f.virial[2usize] + p.strain[2usize]);
            t.pressure[3usize] = t.pressure[3usize]
                + (f.virial[3usize] + p.strain[3usize]);
            t.pressure[4usize] = t.pressure[4usize]
                + (f.virial[4usize] + p.strain[4usize]);
            t.pressure[5usize] = t.pressure[5usize]
                + (f.virial[5usize] + p.strain[5usize]);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_measure::<Self>()
        }
    }
}
