// Calls everything that loops call of a law or of a program.
template <class Law, class Space>
void check_in(const Setting &setting, const Line *lines, Line *out)
{
    using F = typename Law::F;
    const Space space = Space::in_domain(setting.domain);
    const auto self = broadcast<typename Law::Parameters>(lines, 0);
    const auto i = load<typename Law::I>(lines, 0);
    const auto j = broadcast<typename Law::J>(lines, 0);
    const Mask within = Law::within(self, space, i, j);
    F f = load<F>(lines, 0), g, lost;
    Law::pair(self, space, i, j, U32{}, f);
    if constexpr (Law::CUTOFF) Law::cutoff(self, space, i, j).store(*out);
    if constexpr (Law::SYMMETRIC) Law::pair_symmetric(self, space, i, j, f, g);
    f = F::select(within, f, g);
    F::template compensate<Space>(f, g, lost);
    store(f, out);
    g.visit(Reduce{out, 0});
}

template <class Law> void check_Law(const Setting &setting, const Line *lines, Line *out)
{
    check_in<Law, Open>(setting, lines, out);
    check_in<Law, Periodic>(setting, lines, out);
    check_in<Law, Triclinic>(setting, lines, out);
}

template <class Program> void check_Program(const Setting &setting, const Line *lines, Line *out)
{
    const Either space = Either::in_domain(setting.domain);
    const auto self = broadcast<typename Program::Parameters>(lines, 0);
    auto p = load<typename Program::P>(lines, 0);
    const auto q = load<typename Program::Q>(lines, 0);
    const auto f = load<typename Program::F>(lines, 0);
    if constexpr (Program::UPDATES) {
        Program::update(self, space, p, q, f);
        p.visit(Load{lines, 0});
    } else {
        typename Program::T total;
        Program::measure(self, space, p, q, f, U32{}, total);
        store(total, out);
    }
}

