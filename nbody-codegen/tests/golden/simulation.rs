pub mod simulation {
    /// Newtonian gravity with Plummer softening; G = 1.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Gravity<Real: ::nbody::__private::Lane = f64> {
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
        pub vel: ::nbody::__private::Vector<Real>,
        pub mass: Real,
        pub kind: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Body<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                vel: ::nbody::__private::Vector::default(),
                mass: ::core::default::Default::default(),
                kind: ::core::default::Default::default(),
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
                name: "vel",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
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
                vel: ::nbody::__private::Vector::read(__from),
                mass: __from.real(),
                kind: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            self.vel.write(__to);
            __to.real(self.mass);
            __to.index(self.kind);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Body<f32> {}
    unsafe impl ::nbody::__private::Pod for Body<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Field<Real: ::nbody::__private::Lane = f64> {
        pub acc: ::nbody::__private::Vector<Real>,
        pub pot: Real,
        pub nearest: ::nbody::__private::ArgMin<Real>,
        pub near: Real::U32,
        pub closest: Real,
        pub few: ::nbody::__private::Nearest<2usize, Real>,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Field<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                acc: ::nbody::__private::Vector::default(),
                pot: ::core::default::Default::default(),
                nearest: ::core::default::Default::default(),
                near: ::core::default::Default::default(),
                closest: Real::splat(f64::INFINITY),
                few: ::core::default::Default::default(),
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
            ::nbody::__private::Field {
                name: "nearest",
                kind: ::nbody::__private::FieldKind::ArgMin,
            },
            ::nbody::__private::Field {
                name: "near",
                kind: ::nbody::__private::FieldKind::Count,
            },
            ::nbody::__private::Field {
                name: "closest",
                kind: ::nbody::__private::FieldKind::Min,
            },
            ::nbody::__private::Field {
                name: "few",
                kind: ::nbody::__private::FieldKind::Nearest(2usize),
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                acc: ::nbody::__private::Vector::read(__from),
                pot: __from.real(),
                nearest: ::nbody::__private::ArgMin::read(__from),
                near: __from.index(),
                closest: __from.real(),
                few: ::nbody::__private::Nearest::read(__from),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.acc.write(__to);
            __to.real(self.pot);
            self.nearest.write(__to);
            __to.index(self.near);
            __to.real(self.closest);
            self.few.write(__to);
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
                nearest: ::nbody::__private::ArgMin::select(
                    __mask,
                    __yes.nearest,
                    __no.nearest,
                ),
                near: __L::select_u32(__mask, __yes.near, __no.near),
                closest: __L::select(__mask, __yes.closest, __no.closest),
                few: ::nbody::__private::Nearest::select(__mask, __yes.few, __no.few),
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
            __total.nearest.take::<__Space>(__term.nearest.value, __term.nearest.index);
            __total.near = <__L as ::nbody::__private::Lane>::add_u32(
                __total.near,
                __term.near,
            );
            __total.closest = ::nbody::__private::Lane::min(
                __total.closest,
                __term.closest,
            );
            __total.few.merge::<__Space>(&__term.few);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Field<f32> {}
    unsafe impl ::nbody::__private::Pod for Field<f32> {}
    /// Changes velocities by accelerations.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Kick<Real: ::nbody::__private::Lane = f64> {
        /// The step.
        pub dt: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Kick<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                dt: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Kick<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Kick<__M>;
        type Host = Kick<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "dt",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { dt: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.dt);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Kick<f32> {}
    unsafe impl ::nbody::__private::Pod for Kick<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Kick<f64> {}
    unsafe impl ::nbody::__private::Pod for Kick<f64> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Drift<Real: ::nbody::__private::Lane = f64> {
        pub dt: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Drift<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                dt: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Drift<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Drift<__M>;
        type Host = Drift<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "dt",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { dt: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.dt);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Drift<f32> {}
    unsafe impl ::nbody::__private::Pod for Drift<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Drift<f64> {}
    unsafe impl ::nbody::__private::Pod for Drift<f64> {}
    /// A particle that takes part or not, with a table of powers.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Star<Real: ::nbody::__private::Lane = f64> {
        pub pos: ::nbody::__private::Point<Real>,
        pub acc: ::nbody::__private::Vector<Real>,
        pub dt: Real,
        pub powers: [Real; 3usize],
        pub active: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Star<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                pos: ::nbody::__private::Point::default(),
                acc: ::nbody::__private::Vector::default(),
                dt: ::core::default::Default::default(),
                powers: [Real::default(); 3usize],
                active: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Star<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Star<__M>;
        type Host = Star<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "pos",
                kind: ::nbody::__private::FieldKind::Point(3usize),
            },
            ::nbody::__private::Field {
                name: "acc",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "dt",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "powers",
                kind: ::nbody::__private::FieldKind::Array(3usize),
            },
            ::nbody::__private::Field {
                name: "active",
                kind: ::nbody::__private::FieldKind::U32,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                pos: ::nbody::__private::Point::read(__from),
                acc: ::nbody::__private::Vector::read(__from),
                dt: __from.real(),
                powers: {
                    let mut __array = [Real::default(); 3usize];
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                },
                active: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            self.pos.write(__to);
            self.acc.write(__to);
            __to.real(self.dt);
            for __x in self.powers {
                __to.real(__x);
            }
            __to.index(self.active);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Star<f32> {}
    unsafe impl ::nbody::__private::Pod for Star<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Predict<Real: ::nbody::__private::Lane = f64> {
        pub time: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Predict<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                time: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Predict<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Predict<__M>;
        type Host = Predict<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "time",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { time: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.time);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Predict<f32> {}
    unsafe impl ::nbody::__private::Pod for Predict<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Predict<f64> {}
    unsafe impl ::nbody::__private::Pod for Predict<f64> {}
    /// The conserved quantities of a system.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Total<Real: ::nbody::__private::Lane = f64> {
        pub kinetic: Real,
        pub potential: Real,
        pub momentum: ::nbody::__private::Vector<Real>,
        pub slowest: ::nbody::__private::ArgMin<Real>,
        pub fastest: ::nbody::__private::ArgMax<Real>,
        pub fixed: Real::U32,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Total<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                kinetic: ::core::default::Default::default(),
                potential: ::core::default::Default::default(),
                momentum: ::nbody::__private::Vector::default(),
                slowest: ::core::default::Default::default(),
                fastest: ::core::default::Default::default(),
                fixed: ::core::default::Default::default(),
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
                name: "kinetic",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "potential",
                kind: ::nbody::__private::FieldKind::Real,
            },
            ::nbody::__private::Field {
                name: "momentum",
                kind: ::nbody::__private::FieldKind::Vector(3usize),
            },
            ::nbody::__private::Field {
                name: "slowest",
                kind: ::nbody::__private::FieldKind::ArgMin,
            },
            ::nbody::__private::Field {
                name: "fastest",
                kind: ::nbody::__private::FieldKind::ArgMax,
            },
            ::nbody::__private::Field {
                name: "fixed",
                kind: ::nbody::__private::FieldKind::Count,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self {
                kinetic: __from.real(),
                potential: __from.real(),
                momentum: ::nbody::__private::Vector::read(__from),
                slowest: ::nbody::__private::ArgMin::read(__from),
                fastest: ::nbody::__private::ArgMax::read(__from),
                fixed: __from.index(),
            }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.kinetic);
            __to.real(self.potential);
            self.momentum.write(__to);
            self.slowest.write(__to);
            self.fastest.write(__to);
            __to.index(self.fixed);
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
                kinetic: __L::select(__mask, __yes.kinetic, __no.kinetic),
                potential: __L::select(__mask, __yes.potential, __no.potential),
                momentum: ::nbody::__private::Vector::select(
                    __mask,
                    __yes.momentum,
                    __no.momentum,
                ),
                slowest: ::nbody::__private::ArgMin::select(
                    __mask,
                    __yes.slowest,
                    __no.slowest,
                ),
                fastest: ::nbody::__private::ArgMax::select(
                    __mask,
                    __yes.fastest,
                    __no.fastest,
                ),
                fixed: __L::select_u32(__mask, __yes.fixed, __no.fixed),
            }
        }
        #[inline(always)]
        fn compensate<
            __L: ::nbody::__private::Lane,
            __Space: ::nbody::__private::Space<__L>,
        >(__term: &Total<__L>, __total: &mut Total<__L>, __lost: &mut Total<__L>) {
            ::nbody::__private::compensate(
                __term.kinetic,
                &mut __total.kinetic,
                &mut __lost.kinetic,
            );
            ::nbody::__private::compensate(
                __term.potential,
                &mut __total.potential,
                &mut __lost.potential,
            );
            for (__k, __x) in __term.momentum.0.into_iter().enumerate() {
                ::nbody::__private::compensate(
                    __x,
                    &mut __total.momentum.0[__k],
                    &mut __lost.momentum.0[__k],
                );
            }
            __total.slowest.take::<__Space>(__term.slowest.value, __term.slowest.index);
            __total.fastest.take::<__Space>(__term.fastest.value, __term.fastest.index);
            __total.fixed = <__L as ::nbody::__private::Lane>::add_u32(
                __total.fixed,
                __term.fixed,
            );
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Total<f32> {}
    unsafe impl ::nbody::__private::Pod for Total<f32> {}
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Energy<Real: ::nbody::__private::Lane = f64> {
        #[doc(hidden)]
        pub __real: ::core::marker::PhantomData<Real>,
    }
    #[doc(hidden)]
    #[allow(non_upper_case_globals)]
    pub const Energy: Energy = Energy {
        __real: ::core::marker::PhantomData,
    };
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Energy<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                __real: ::core::marker::PhantomData,
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Energy<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Energy<__M>;
        type Host = Energy<f64>;
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
    unsafe impl ::nbody::__private::Zeroable for Energy<f32> {}
    unsafe impl ::nbody::__private::Pod for Energy<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Energy<f64> {}
    unsafe impl ::nbody::__private::Pod for Energy<f64> {}
    /// Scales velocities to a kinetic energy.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Rescale<Real: ::nbody::__private::Lane = f64> {
        pub kinetic: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Rescale<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                kinetic: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Rescale<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Rescale<__M>;
        type Host = Rescale<f64>;
        const FIELDS: &'static [::nbody::__private::Field] = &[
            ::nbody::__private::Field {
                name: "kinetic",
                kind: ::nbody::__private::FieldKind::Real,
            },
        ];
        const DIM: usize = ::nbody::__private::dim(Self::FIELDS);
        #[inline(always)]
        fn read<__R: ::nbody::__private::Reader<Real>>(__from: &mut __R) -> Self {
            Self { kinetic: __from.real() }
        }
        #[inline(always)]
        fn write<__W: ::nbody::__private::Writer<Real>>(&self, __to: &mut __W) {
            __to.real(self.kinetic);
        }
    }
    unsafe impl ::nbody::__private::Zeroable for Rescale<f32> {}
    unsafe impl ::nbody::__private::Pod for Rescale<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Rescale<f64> {}
    unsafe impl ::nbody::__private::Pod for Rescale<f64> {}
    /// Draws each body towards another one, the body of its kind.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub struct Draw<Real: ::nbody::__private::Lane = f64> {
        pub rate: Real,
    }
    impl<Real: ::nbody::__private::Lane> ::core::default::Default for Draw<Real> {
        #[inline(always)]
        fn default() -> Self {
            Self {
                rate: ::core::default::Default::default(),
            }
        }
    }
    unsafe impl<Real: ::nbody::__private::Lane> ::nbody::__private::Record
    for Draw<Real> {
        type Lane = Real;
        type With<__M: ::nbody::__private::Lane> = Draw<__M>;
        type Host = Draw<f64>;
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
    unsafe impl ::nbody::__private::Zeroable for Draw<f32> {}
    unsafe impl ::nbody::__private::Pod for Draw<f32> {}
    unsafe impl ::nbody::__private::Zeroable for Draw<f64> {}
    unsafe impl ::nbody::__private::Pod for Draw<f64> {}
    #[inline(always)]
    #[allow(clippy::all, clippy::pedantic)]
    fn half<Real: ::nbody::__private::Lane>(x: Real) -> Real {
        Real::splat(0.5) * x
    }
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
            charges: ::core::result::Result::Err("a result is no sum"),
            operations: ::nbody::__private::Operations {
                add: 10u32,
                mul: 10u32,
                div: 0u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 4u32,
            },
            most_counted: ::core::option::Option::Some(1u32),
            cuda: ::nbody::__private::CudaText {
                law: "// Newtonian gravity with Plummer softening; G = 1.\nstruct Gravity {\n    real eps2;\n};\n\nstruct alignas(packing(3 * COORDINATE + 5)) Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Field {\n    Vector<3> acc;\n    real pot;\n    ArgMin nearest;\n    u32 near;\n    real closest;\n    Nearest<2> few;\n};\n\n// Adds to f what j does to i.\n__device__ __forceinline__ void pair(\n    const Gravity &self, const Space &space, const Body &i, const Body &j, u32 index, Field &f)\n{\n    const Vector<3> d = space.difference(j.pos, i.pos);\n    const real r2 = norm2_plus(d, self.eps2);\n    const real rinv = rsqrt(r2);\n    f.acc += j.mass * powi<3>(rinv) * d;\n    f.pot -= j.mass * rinv;\n    take(f.nearest, r2, index);\n    f.closest = min(f.closest, r2);\n    take(f.few, r2, index);\n    if (r2 < real(1.0)) {\n        f.near += 1u;\n    }\n}\n\n",
                sums: "// The names by which kernels know the law.\nusing Parameters = law::Gravity;\nusing ParticleI = law::Body;\nusing ParticleJ = law::Body;\nusing Accumulators = law::Field;\nconstexpr int IDIM = 3 * COORDINATE + 5;\nconstexpr int JDIM = 3 * COORDINATE + 5;\nconstexpr int FDIM = 12;\nconstexpr bool SELF_PAIRS = false;\nconstexpr bool LOOKS_UP = false;\nconstexpr bool KEEPS_INDEX = true;\nconstexpr bool CUTOFF = false;\nconstexpr bool CUTOFF_READS_J = false;\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {{}, {}, {infinity(), NONE}, {}, infinity(), no_neighbours<2, real>()};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n    total[4] = infinity();\n    total[5] = word<backup>(NONE);\n    total[7] = infinity();\n    reset_nearest<2>(total + 8);\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.acc.x;\n    total[1] += f.acc.y;\n    total[2] += f.acc.z;\n    total[3] += f.pot;\n    if (comes_first<false>(f.nearest.value, f.nearest.index, total[4], integer(total[5]))) {\n        total[4] = f.nearest.value;\n        total[5] = word<backup>(f.nearest.index);\n    }\n    total[6] = word<backup>(integer(total[6]) + f.near);\n    if (f.closest < total[7]) total[7] = f.closest;\n    fold_nearest<IN_ORDER>(f.few, total + 8);\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] += part[0];\n    total[1] += part[1];\n    total[2] += part[2];\n    total[3] += part[3];\n    if (part[4] < total[4] || (part[4] == total[4] && integer(part[5]) < integer(total[5]))) {\n        total[4] = part[4];\n        total[5] = part[5];\n    }\n    total[6] = word<backup>(integer(total[6]) + integer(part[6]));\n    if (part[7] < total[7]) total[7] = part[7];\n    merge_words_of_nearest<2>(part + 8, total + 8);\n}\n\n",
                compensated: "// Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.\n__device__ __forceinline__ void add(const Accumulators &term, Accumulators &f, Accumulators &lost)\n{\n    compensate(term.acc, f.acc, lost.acc);\n    compensate(term.pot, f.pot, lost.pot);\n    take(f.nearest, term.nearest.value, term.nearest.index);\n    f.near += term.near;\n    f.closest = min(f.closest, term.closest);\n    merge_nearest<IN_ORDER>(term.few, f.few);\n}\n\n",
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
            this: &Gravity<Real>,
            space: &__Space,
            i: &Body<Real>,
            j: &Body<Real>,
            index: Real::U32,
            f: &mut Field<Real>,
        ) {
            let d = space.difference(j.pos, i.pos);
            let r2 = d.norm2_plus(this.eps2);
            let rinv = r2.rsqrt();
            f.acc = f.acc.plus_product(j.mass * rinv.powi(3i32), d);
            f.pot = f.pot.minus_product(j.mass, rinv);
            f.nearest.take::<__Space>(r2, index);
            f.closest = Real::min(f.closest, r2);
            f.few.take::<__Space>(r2, index);
            let __holds_1 = Real::lt(r2, Real::splat(1.0));
            {
                let __when_1 = __holds_1;
                f.near = Real::add_u32(
                    f.near,
                    Real::select_u32(__when_1, Real::splat_u32(1u32), Real::splat_u32(0)),
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
    unsafe impl ::nbody::__private::Update for Kick {
        type P = Body;
        type Q = ::nbody::__private::Nothing;
        type F = Field;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "kick",
            operations: ::nbody::__private::Operations {
                add: 3u32,
                mul: 3u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Field {\n    Vector<3> acc;\n    real pot;\n    ArgMin nearest;\n    u32 near;\n    real closest;\n    Nearest<2> few;\n};\n\n// Changes velocities by accelerations.\nstruct Kick {\n    real dt; // The step.\n};\n\n// Changes p.\n__device__ __forceinline__ void update(const Kick &self, const Space &, Body &p, const Field &f)\n{\n    p.vel += self.dt * f.acc; // a kick\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Kick;\nusing ParticleP = law::Body;\nusing ParticleQ = Nothing;\nusing ResultsF = law::Field;\nusing TotalG = Nothing;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 12;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, false, false};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Field &record, Visit &visit)\n{\n    visit.real(0, record.acc.x);\n    visit.real(1, record.acc.y);\n    visit.real(2, record.acc.z);\n    visit.real(3, record.pot);\n    visit.real(4, record.nearest.value);\n    visit.index(5, record.nearest.index);\n    visit.index(6, record.near);\n    visit.real(7, record.closest);\n#pragma unroll\n    for (u32 k = 0; k < 2; ++k) {\n        visit.real(8 + k, record.few.values[k]);\n        visit.index(10 + k, record.few.indices[k]);\n    }\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &f,\n    const TotalG &, const Others &)\n{\n    law::update(self, space, p, f);\n}\n\n",
            },
            changes: &[false, true, false, false],
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
            this: &Kick<Real>,
            _space: &__Space,
            p: &mut Body<Real>,
            _: &::nbody::__private::Nothing<Real>,
            f: &Field<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
        ) {
            p.vel = p.vel.plus_product(this.dt, f.acc);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Update for Drift {
        type P = Body;
        type Q = ::nbody::__private::Nothing;
        type F = ::nbody::__private::Nothing;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "drift",
            operations: ::nbody::__private::Operations {
                add: 3u32,
                mul: 3u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Drift {\n    real dt;\n};\n\n// Displaces free particles.\n__device__ __forceinline__ void update(const Drift &self, const Space &, Body &p)\n{\n    // Fixed particles stay.\n    if (p.kind == 1u) {\n        return;\n    }\n    p.pos += self.dt * p.vel;\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Drift;\nusing ParticleP = law::Body;\nusing ParticleQ = Nothing;\nusing ResultsF = Nothing;\nusing TotalG = Nothing;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 0;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {true, true, true, false, false, false, false, false};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &,\n    const TotalG &, const Others &)\n{\n    law::update(self, space, p);\n}\n\n",
            },
            changes: &[true, false, false, false],
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
            this: &Drift<Real>,
            _space: &__Space,
            p: &mut Body<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
        ) {
            let mut __on = Real::splat_mask(true);
            let __holds_1 = Real::eq_u32(p.kind, Real::splat_u32(1u32));
            {
                let __when_1 = __holds_1;
                __on = __on & !__when_1;
            }
            if !Real::any(__on) {
                return;
            }
            p.pos = ::nbody::__private::Point::select(
                __on,
                p.pos + (p.vel * (this.dt)),
                p.pos,
            );
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
    /// Predicts active particles.
    unsafe impl ::nbody::__private::Update for Predict {
        type P = Body;
        type Q = Star;
        type F = Field;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "predict",
            operations: ::nbody::__private::Operations {
                add: 12u32,
                mul: 9u32,
                div: 1u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 1u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Field {\n    Vector<3> acc;\n    real pot;\n    ArgMin nearest;\n    u32 near;\n    real closest;\n    Nearest<2> few;\n};\n\n// A particle that takes part or not, with a table of powers.\nstruct Star {\n    Point<3> pos;\n    Vector<3> acc;\n    real dt;\n    Array<3> powers;\n    alignas(sizeof(real)) u32 active;\n};\n\nstruct Predict {\n    real time;\n};\n\n__device__ __forceinline__ real half(real x)\n{\n    return real(0.5) * x;\n}\n\n// Changes body.\n__device__ __forceinline__ void update(\n    const Predict &self, const Space &, Body &body, const Star &star, const Field &field)\n{\n    body.kind = star.active;\n    if (star.active == 0u || field.near == 0u) {\n        body.pos = star.pos;\n    } else {\n        const real dt = self.time - star.dt;\n        body.pos -= dt * (body.vel - real(0.5) * dt * star.acc);\n#pragma unroll\n        for (u32 k = 0; k < 3; ++k) {\n            body.vel[k] += star.powers[k];\n        }\n        body.vel.x *= half(field.nearest.value);\n        body.mass = max(field.closest, real(1.0));\n    }\n#pragma unroll\n    for (u32 k_2 = 0; k_2 < 2; ++k_2) {\n        body.mass += field.few.values[k_2];\n        body.kind += field.few.indices[k_2];\n    }\n    if (field.nearest.index == 7u && field.few.indices[1] > 2u) {\n        body.kind |= 4u;\n        body.mass = divide(body.mass, real(2.0));\n    }\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Predict;\nusing ParticleP = law::Body;\nusing ParticleQ = law::Star;\nusing ResultsF = law::Field;\nusing TotalG = Nothing;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 11;\nconstexpr int RDIM = 12;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {true, true, true, true, true, true, true, true};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Star &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.acc.x);\n    visit.real(4, record.acc.y);\n    visit.real(5, record.acc.z);\n    visit.real(6, record.dt);\n#pragma unroll\n    for (u32 k = 0; k < 3; ++k) visit.real(7 + k, record.powers[k]);\n    visit.index(10, record.active);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Field &record, Visit &visit)\n{\n    visit.real(0, record.acc.x);\n    visit.real(1, record.acc.y);\n    visit.real(2, record.acc.z);\n    visit.real(3, record.pot);\n    visit.real(4, record.nearest.value);\n    visit.index(5, record.nearest.index);\n    visit.index(6, record.near);\n    visit.real(7, record.closest);\n#pragma unroll\n    for (u32 k = 0; k < 2; ++k) {\n        visit.real(8 + k, record.few.values[k]);\n        visit.index(10 + k, record.few.indices[k]);\n    }\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &q, const ResultsF &f,\n    const TotalG &, const Others &)\n{\n    law::update(self, space, p, q, f);\n}\n\n",
            },
            changes: &[true, true, true, true],
            gathers: 0usize,
        }
            .update::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn update<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
            __Others: ::nbody::__private::Others<Star<Real>, Real::U32>,
        >(
            this: &Predict<Real>,
            _space: &__Space,
            body: &mut Body<Real>,
            star: &Star<Real>,
            field: &Field<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
        ) {
            body.kind = star.active;
            let __holds_1 = Real::eq_u32(star.active, Real::splat_u32(0u32))
                | Real::eq_u32(field.near, Real::splat_u32(0u32));
            {
                let __when_1 = __holds_1;
                body.pos = ::nbody::__private::Point::select(
                    __when_1,
                    star.pos,
                    body.pos,
                );
            }
            {
                let __unless_1 = !__holds_1;
                let dt = this.time - star.dt;
                body.pos = ::nbody::__private::Point::select(
                    __unless_1,
                    body.pos
                        - ((body.vel.minus_product(Real::splat(0.5) * dt, star.acc))
                            * (dt)),
                    body.pos,
                );
                for k in 0u32..3u32 {
                    body.vel[(k) as usize] = Real::select(
                        __unless_1,
                        body.vel[(k) as usize] + star.powers[(k) as usize],
                        body.vel[(k) as usize],
                    );
                }
                body.vel[0usize] = Real::select(
                    __unless_1,
                    body.vel[0usize] * half::<Real>(field.nearest.value),
                    body.vel[0usize],
                );
                body.mass = Real::select(
                    __unless_1,
                    field.closest.max(Real::splat(1.0)),
                    body.mass,
                );
            }
            for k_2 in 0u32..2u32 {
                body.mass = body.mass + field.few.values[(k_2) as usize];
                body.kind = Real::add_u32(body.kind, field.few.indices[(k_2) as usize]);
            }
            let __holds_2 = Real::eq_u32(field.nearest.index, Real::splat_u32(7u32))
                & Real::lt_u32(Real::splat_u32(2u32), field.few.indices[1usize]);
            {
                let __when_2 = __holds_2;
                body.kind = Real::select_u32(
                    __when_2,
                    body.kind | Real::splat_u32(4u32),
                    body.kind,
                );
                body.mass = Real::select(
                    __when_2,
                    body.mass / Real::splat(2.0),
                    body.mass,
                );
            }
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Measure for Energy {
        type P = Body;
        type Q = ::nbody::__private::Nothing;
        type F = Field;
        type G = ::nbody::__private::Nothing;
        type T = Total;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "energy",
            operations: ::nbody::__private::Operations {
                add: 7u32,
                mul: 10u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 2u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\nstruct Field {\n    Vector<3> acc;\n    real pot;\n    ArgMin nearest;\n    u32 near;\n    real closest;\n    Nearest<2> few;\n};\n\n// The conserved quantities of a system.\nstruct Total {\n    real kinetic;\n    real potential;\n    Vector<3> momentum;\n    ArgMin slowest;\n    ArgMax fastest;\n    u32 fixed;\n};\n\nstruct Energy {\n};\n\n// Adds to t what p contributes.\n__device__ __forceinline__ void measure(\n    const Energy &self, const Space &, const Body &p, const Field &f, u32 index, Total &t)\n{\n    const real v2 = norm2(p.vel);\n    t.kinetic += real(0.5) * p.mass * v2;\n    t.potential += real(0.5) * p.mass * f.pot;\n    t.momentum += p.mass * p.vel;\n    take(t.slowest, v2, index);\n    take(t.fastest, v2, index);\n    if (p.kind == 1u) {\n        t.fixed += 1u;\n    }\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Energy;\nusing ParticleP = law::Body;\nusing ParticleQ = Nothing;\nusing ResultsF = law::Field;\nusing TotalG = Nothing;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 12;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 0; // of second particles by an index\nusing Accumulators = law::Total;\nconstexpr int FDIM = 10;\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Field &record, Visit &visit)\n{\n    visit.real(0, record.acc.x);\n    visit.real(1, record.acc.y);\n    visit.real(2, record.acc.z);\n    visit.real(3, record.pot);\n    visit.real(4, record.nearest.value);\n    visit.index(5, record.nearest.index);\n    visit.index(6, record.near);\n    visit.real(7, record.closest);\n#pragma unroll\n    for (u32 k = 0; k < 2; ++k) {\n        visit.real(8 + k, record.few.values[k]);\n        visit.index(10 + k, record.few.indices[k]);\n    }\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, const ParticleP &p, const ParticleQ &,\n    const ResultsF &f, const TotalG &, const Others &, u32 index, Accumulators &t)\n{\n    law::measure(self, space, p, f, index, t);\n}\n\n// The accumulators before the first pair.\n__device__ __forceinline__ Accumulators nothing()\n{\n    return {{}, {}, {}, {infinity(), NONE}, {-infinity(), NONE}, {}};\n}\n\n// The backup accumulators before the first bag.\n__device__ __forceinline__ void reset(backup (&total)[FDIM])\n{\n    for (backup &sum : total) sum = 0;\n    total[5] = infinity();\n    total[6] = word<backup>(NONE);\n    total[7] = -infinity();\n    total[8] = word<backup>(NONE);\n}\n\n// Folds the accumulators of one bag into the backup accumulators.\n__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])\n{\n    total[0] += f.kinetic;\n    total[1] += f.potential;\n    total[2] += f.momentum.x;\n    total[3] += f.momentum.y;\n    total[4] += f.momentum.z;\n    if (comes_first<false>(f.slowest.value, f.slowest.index, total[5], integer(total[6]))) {\n        total[5] = f.slowest.value;\n        total[6] = word<backup>(f.slowest.index);\n    }\n    if (comes_first<true>(f.fastest.value, f.fastest.index, total[7], integer(total[8]))) {\n        total[7] = f.fastest.value;\n        total[8] = word<backup>(f.fastest.index);\n    }\n    total[9] = word<backup>(integer(total[9]) + f.fixed);\n}\n\n// Merges the backup accumulators of a later split.\n__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])\n{\n    total[0] += part[0];\n    total[1] += part[1];\n    total[2] += part[2];\n    total[3] += part[3];\n    total[4] += part[4];\n    if (part[5] < total[5] || (part[5] == total[5] && integer(part[6]) < integer(total[6]))) {\n        total[5] = part[5];\n        total[6] = part[6];\n    }\n    if (part[7] > total[7] || (part[7] == total[7] && integer(part[8]) < integer(total[8]))) {\n        total[7] = part[7];\n        total[8] = part[8];\n    }\n    total[9] = word<backup>(integer(total[9]) + integer(part[9]));\n}\n\n",
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
            this: &Energy<Real>,
            _space: &__Space,
            p: &Body<Real>,
            _: &::nbody::__private::Nothing<Real>,
            f: &Field<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _others: &__Others,
            index: Real::U32,
            t: &mut Total<Real>,
        ) {
            let v2 = p.vel.norm2();
            t.kinetic = t.kinetic.plus_product(Real::splat(0.5) * p.mass, v2);
            t.potential = t.potential.plus_product(Real::splat(0.5) * p.mass, f.pot);
            t.momentum = t.momentum.plus_product(p.mass, p.vel);
            t.slowest.take::<__Space>(v2, index);
            t.fastest.take::<__Space>(v2, index);
            let __holds_1 = Real::eq_u32(p.kind, Real::splat_u32(1u32));
            {
                let __when_1 = __holds_1;
                t.fixed = Real::add_u32(
                    t.fixed,
                    Real::select_u32(__when_1, Real::splat_u32(1u32), Real::splat_u32(0)),
                );
            }
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_measure::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Update for Rescale {
        type P = Body;
        type Q = ::nbody::__private::Nothing;
        type F = ::nbody::__private::Nothing;
        type G = Total;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "rescale",
            operations: ::nbody::__private::Operations {
                add: 3u32,
                mul: 3u32,
                div: 4u32,
                sqrt: 1u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\n// The conserved quantities of a system.\nstruct Total {\n    real kinetic;\n    real potential;\n    Vector<3> momentum;\n    ArgMin slowest;\n    ArgMax fastest;\n    u32 fixed;\n};\n\n// Scales velocities to a kinetic energy.\nstruct Rescale {\n    real kinetic;\n};\n\n// Changes p.\n__device__ __forceinline__ void update(\n    const Rescale &self, const Space &, Body &p, const Total &all)\n{\n    p.vel -= all.momentum / all.kinetic;\n    p.vel *= sqrt(divide(self.kinetic, all.kinetic));\n    p.kind = all.slowest.index + all.fixed;\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Rescale;\nusing ParticleP = law::Body;\nusing ParticleQ = Nothing;\nusing ResultsF = Nothing;\nusing TotalG = law::Total;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 0;\nconstexpr int RDIM = 0;\nconstexpr int GDIM = 10;\nconstexpr int GATHERS = 0; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {false, false, false, true, true, true, false, true};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Total &record, Visit &visit)\n{\n    visit.real(0, record.kinetic);\n    visit.real(1, record.potential);\n    visit.real(2, record.momentum.x);\n    visit.real(3, record.momentum.y);\n    visit.real(4, record.momentum.z);\n    visit.real(5, record.slowest.value);\n    visit.index(6, record.slowest.index);\n    visit.real(7, record.fastest.value);\n    visit.index(8, record.fastest.index);\n    visit.index(9, record.fixed);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &, const ResultsF &,\n    const TotalG &g, const Others &)\n{\n    law::update(self, space, p, g);\n}\n\n",
            },
            changes: &[false, true, false, true],
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
            this: &Rescale<Real>,
            _space: &__Space,
            p: &mut Body<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            all: &Total<Real>,
            _others: &__Others,
        ) {
            p.vel = p.vel - (all.momentum / all.kinetic);
            p.vel = p.vel * (this.kinetic / all.kinetic).sqrt();
            p.kind = Real::add_u32(all.slowest.index, all.fixed);
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
    unsafe impl ::nbody::__private::Update for Draw {
        type P = Body;
        type Q = Body;
        type F = ::nbody::__private::Nothing;
        type G = ::nbody::__private::Nothing;
        const PROGRAM: &'static ::nbody::__private::ParticleProgram = &::nbody::__private::ParticleDeclaration {
            name: "draw",
            operations: ::nbody::__private::Operations {
                add: 7u32,
                mul: 4u32,
                div: 0u32,
                sqrt: 0u32,
                special: 0u32,
                compare: 0u32,
            },
            cuda: ::nbody::__private::ParticleText {
                law: "struct Body {\n    Point<3> pos;\n    Vector<3> vel;\n    real mass;\n    alignas(sizeof(real)) u32 kind;\n};\n\n// Draws each body towards another one, the body of its kind.\nstruct Draw {\n    real rate;\n};\n\n// Changes p.\ntemplate <typename Others>\n__device__ __forceinline__ void update(\n    const Draw &self, const Space &space, Body &p, const Body &q, const Others &others)\n{\n    const real others_2 = others.at(p.kind + 1u).mass - q.mass;\n    p.pos += self.rate * others_2 * space.difference(others.at(p.kind).pos, p.pos);\n    p.kind = others.at(0u).kind;\n}\n\n",
                names: "// The names by which kernels know the program.\nusing Parameters = law::Draw;\nusing ParticleP = law::Body;\nusing ParticleQ = law::Body;\nusing ResultsF = Nothing;\nusing TotalG = Nothing;\nconstexpr int PDIM = 8;\nconstexpr int QDIM = 8;\nconstexpr int RDIM = 0;\nconstexpr int GDIM = 0;\nconstexpr int GATHERS = 3; // of second particles by an index\n// Whether the update assigns each number of the particle.\nconstexpr bool CHANGES[PDIM] = {true, true, true, false, false, false, false, true};\n\n// Calls a function of `visit` with each number of a record, and its place.\ntemplate <typename Visit>\n__device__ __forceinline__ void each_number(law::Body &record, Visit &visit)\n{\n    visit.coordinate(0, record.pos.x);\n    visit.coordinate(1, record.pos.y);\n    visit.coordinate(2, record.pos.z);\n    visit.real(3, record.vel.x);\n    visit.real(4, record.vel.y);\n    visit.real(5, record.vel.z);\n    visit.real(6, record.mass);\n    visit.index(7, record.kind);\n}\n\n// Runs the program for one particle.\ntemplate <typename Others>\n__device__ __forceinline__ void act(\n    const Parameters &self, const Space &space, ParticleP &p, const ParticleQ &q, const ResultsF &,\n    const TotalG &, const Others &others)\n{\n    law::update(self, space, p, q, others);\n}\n\n",
            },
            changes: &[true, false, false, true],
            gathers: 3usize,
        }
            .update::<Self>();
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        fn update<
            Real: ::nbody::__private::Lane<Coordinate = Real>,
            __Space: ::nbody::__private::Space<Real>,
            __Others: ::nbody::__private::Others<Body<Real>, Real::U32>,
        >(
            this: &Draw<Real>,
            space: &__Space,
            p: &mut Body<Real>,
            q: &Body<Real>,
            _: &::nbody::__private::Nothing<Real>,
            _: &::nbody::__private::Nothing<Real>,
            others: &__Others,
        ) {
            let others_2 = others.at(Real::add_u32(p.kind, Real::splat_u32(1u32))).mass
                - q.mass;
            p.pos = p.pos
                + (space.difference(others.at(p.kind).pos, p.pos)
                    * (this.rate * others_2));
            p.kind = others.at(Real::splat_u32(0u32)).kind;
        }
        #[inline(never)]
        fn cpu_loop() -> ::nbody::__private::ParticleLoop {
            ::nbody::__private::ParticleLoop::of_update::<Self>()
        }
    }
}
