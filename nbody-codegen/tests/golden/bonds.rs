/// Bonds with a record, and angles without one.
mod bonds {
    /// A bond that breaks.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Bond<Real: ::nbody::__private::Lane = f64> {
        /// Extent at which it breaks.
        pub extent: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Bond<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                extent: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Bond<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Bond<__M>;
        type Host = Bond<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "extent",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { extent: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.extent);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Bond<f32> {}
    unsafe impl ::nbody::__private::Pod for Bond<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Bond<f64> {}
    unsafe impl ::nbody::__private::Pod for Bond<f64> {}
    /// A bend towards a right angle.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Bend<Real: ::nbody::__private::Lane = f64> {
        pub k: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Bend<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                k: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Bend<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Bend<__M>;
        type Host = Bend<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "k",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { k: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.k);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Bend<f32> {}
    unsafe impl ::nbody::__private::Pod for Bend<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Bend<f64> {}
    unsafe impl ::nbody::__private::Pod for Bend<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Atom<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub kind: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Atom<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
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
                name: "kind",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                kind: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            __to.index(self.kind);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Atom<f32> {}
    unsafe impl ::nbody::__private::Pod for Atom<f32> {}
    /// The parameters of a bond.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Spring<Real: ::nbody::__private::Lane = f64> {
        pub k: Real,
        pub length: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Spring<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                k: ::core::default::Default::default(),
                length: ::core::default::Default::default(),
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
                name: "length",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                k: __from.real(),
                length: __from.real(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.k);
            __to.real(self.length);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Spring<f32> {}
    unsafe impl ::nbody::__private::Pod for Spring<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Spring<f64> {}
    unsafe impl ::nbody::__private::Pod for Spring<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Force<Real: ::nbody::__private::Lane = f64> {
        pub force: ::nbody::__private::Vector<Real>,
        pub pot: Real,
        pub broken: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Force<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                force: ::nbody::__private::Vector::default(),
                pot: ::core::default::Default::default(),
                broken: ::core::default::Default::default(),
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
                name: "pot",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "broken",
                kind: ::nbody::__private::FieldKind::Count,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                force: ::nbody::__private::Vector::read(__from),
                pot: __from.real(),
                broken: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.force.write(__to);
            __to.real(self.pot);
            __to.index(self.broken);
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
                pot: __L::select(__mask, __yes.pot, __no.pot),
                broken: __L::select_u32(__mask, __yes.broken, __no.broken),
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
            ::nbody::__private::compensate(
                __term.pot,
                &mut __total.pot,
                &mut __lost.pot,
            );
            __total.broken = <__L as ::nbody::__private::Lane>::add_u32(
                __total.broken,
                __term.broken,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Force<f32> {}
    unsafe impl ::nbody::__private::Pod for Force<f32> {}
    unsafe impl ::nbody::__private::Tuple for Bond {
        type P = Atom;
        type T = Spring;
        type F = Force;
        type Members = [u32; 2usize];
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "bond",
            operations: ::nbody::__private::Operations {
                add: 16u32,
                mul: 20u32,
                div: 2u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 1u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "// A bond that breaks.\nstruct Bond {\n    real extent; // Extent at which it breaks.\n};\n\nstruct Atom {\n    Point<3> pos;\n    alignas(sizeof(real)) u32 kind;\n};\n\n// The parameters of a bond.\nstruct Spring {\n    real k;\n    real length;\n};\n\nstruct Force {\n    Vector<3> force;\n    real pot;\n    u32 broken;\n};\n\n// Pulls both atoms.\n__device__ __forceinline__ void tuple(\n    const Bond &self, const Space &space, const Spring &t, const Atom &a, const Atom &b, Force &f,\n    Force &g)\n{\n    const Vector<3> d = space.difference(a.pos, b.pos);\n    const real r = norm(d);\n    if (r > self.extent) {\n        f.broken += 1u;\n        g.broken += b.kind;\n        return;\n    }\n    const real e = real(0.5) * t.k * powi<2>(r - t.length);\n    f.force -= divide(real(2.0) * (real(0.5) * t.k) * (r - t.length), r) * d;\n    g.force -= -(divide(real(2.0) * (real(0.5) * t.k) * (r - t.length), r) * d);\n    f.pot += real(0.5) * e;\n    g.pot += real(0.5) * e;\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Bond;\nusing ParticleP = law::Atom;\nusing TupleT = law::Spring;\nconstexpr int PDIM = 4;\nconstexpr int TDIM = 2;\nusing Accumulators = law::Force;\nconstexpr int FDIM = 5;\nconstexpr int MEMBERS = 2; // particles of a tuple\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Spring &record, Visit &visit)\n{\n    visit.real(0, record.k);\n    visit.real(1, record.length);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.index(3, record.kind);\n}\n\n// Runs the program for one tuple.\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, const TupleT &t, const ParticleP (&p)[MEMBERS],\n    Accumulators (&f)[MEMBERS])\n{\n    law::tuple(self, space, t, p[0], p[1], f[0], f[1]);\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.force.x;\n    total[1] += f.force.y;\n    total[2] += f.force.z;\n    total[3] += f.pot;\n    total[4] = word<backup>(integer(total[4]) + f.broken);\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] += part[0];\n    total[1] += part[1];\n    total[2] += part[2];\n    total[3] += part[3];\n    total[4] = word<backup>(integer(total[4]) + integer(part[4]));\n}\n\n",
            },
            changes: &[],
            gathers: 0usize,
        }
            .tuple::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn tuple<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Bond<Real>,
            space: &__Space,
            t: &Spring<Real>,
            __members: &[Atom<Real>],
            __results: &mut [Force<Real>],
        ) {
            let ([a, b], [f, g]) = (__members, __results) else {
                ::core::unreachable!("checked: a tuple of 2 particles")
            };
            let mut __on = Real::splat_mask(true);
            let d = space.difference(a.pos, b.pos);
            let r = d.norm();
            let __holds_1 = Real::lt(this.extent, r);
            {
                let __when_1 = __holds_1;
                f.broken = Real::add_u32(
                    f.broken,
                    Real::select_u32(__when_1, Real::splat_u32(1u32), Real::splat_u32(0)),
                );
                g.broken = Real::add_u32(
                    g.broken,
                    Real::select_u32(__when_1, b.kind, Real::splat_u32(0)),
                );
                __on = __on & !__when_1;
            }
            if !Real::any(__on) {
                return;
            }
            let e = Real::splat(0.5) * t.k * (r - t.length).powi(2i32);
            f.force = ::nbody::__private::Vector::select(
                __on,
                f
                    .force
                    .minus_product(
                        Real::splat(2.0) * (Real::splat(0.5) * t.k) * (r - t.length) / r,
                        d,
                    ),
                f.force,
            );
            g.force = g
                .force
                .minus_where(
                    __on,
                    -(d
                        * (Real::splat(2.0) * (Real::splat(0.5) * t.k) * (r - t.length)
                            / r)),
                );
            f.pot = Real::select(__on, f.pot.plus_product(Real::splat(0.5), e), f.pot);
            g.pot = Real::select(__on, g.pot.plus_product(Real::splat(0.5), e), g.pot);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_tuple::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Tuple for Bend {
        type P = Atom;
        type T = ::nbody::__private::Nothing;
        type F = Force;
        type Members = [u32; 3usize];
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "bend",
            operations: ::nbody::__private::Operations {
                add: 29u32,
                mul: 37u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "// A bend towards a right angle.\nstruct Bend {\n    real k;\n};\n\nstruct Atom {\n    Point<3> pos;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Force {\n    Vector<3> force;\n    real pot;\n    u32 broken;\n};\n\n// Adds the results of the particles of a tuple: fa, fb, fc.\n__device__ __forceinline__ void tuple(\n    const Bend &self, const Space &space, const Atom &a, const Atom &b, const Atom &c, Force &fa,\n    Force &fb, Force &fc)\n{\n    const Vector<3> p = space.difference(a.pos, b.pos);\n    const Vector<3> q = space.difference(c.pos, b.pos);\n    const real e = self.k * powi<2>(dot(p, q));\n    fa.force -= real(2.0) * self.k * dot(p, q) * q;\n    fc.force -= real(2.0) * self.k * dot(p, q) * p;\n    fb.force += real(2.0) * self.k * dot(p, q) * q + real(2.0) * self.k * dot(p, q) * p;\n    fb.pot += e;\n    fb.broken += 1u;\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Bend;\nusing ParticleP = law::Atom;\nusing TupleT = Nothing;\nconstexpr int PDIM = 4;\nconstexpr int TDIM = 0;\nusing Accumulators = law::Force;\nconstexpr int FDIM = 5;\nconstexpr int MEMBERS = 3; // particles of a tuple\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Atom &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.index(3, record.kind);\n}\n\n// Runs the program for one tuple.\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, const TupleT &, const ParticleP (&p)[MEMBERS],\n    Accumulators (&f)[MEMBERS])\n{\n    law::tuple(self, space, p[0], p[1], p[2], f[0], f[1], f[2]);\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.force.x;\n    total[1] += f.force.y;\n    total[2] += f.force.z;\n    total[3] += f.pot;\n    total[4] = word<backup>(integer(total[4]) + f.broken);\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] += part[0];\n    total[1] += part[1];\n    total[2] += part[2];\n    total[3] += part[3];\n    total[4] = word<backup>(integer(total[4]) + integer(part[4]));\n}\n\n",
            },
            changes: &[],
            gathers: 0usize,
        }
            .tuple::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn tuple<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
        >(
            this: &Bend<Real>,
            space: &__Space,
            _: &::nbody::__private::Nothing<Real>,
            __members: &[Atom<Real>],
            __results: &mut [Force<Real>],
        ) {
            let ([a, b, c], [fa, fb, fc]) = (__members, __results) else {
                ::core::unreachable!("checked: a tuple of 3 particles")
            };
            let p = space.difference(a.pos, b.pos);
            let q = space.difference(c.pos, b.pos);
            let e = this.k * p.dot(q).powi(2i32);
            fa.force = fa.force.minus_product(Real::splat(2.0) * this.k * p.dot(q), q);
            fc.force = fc.force.minus_product(Real::splat(2.0) * this.k * p.dot(q), p);
            fb.force = fb.force
                + ((q * (Real::splat(2.0) * this.k * p.dot(q)))
                    .plus_product(Real::splat(2.0) * this.k * p.dot(q), p));
            fb.pot = fb.pot + e;
            fb.broken = Real::add_u32(fb.broken, Real::splat_u32(1u32));
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_tuple::<Self>()
        }
    }
}
