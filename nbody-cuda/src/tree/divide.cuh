// A kernel that divides keys alone, for tests.
namespace nbody {

struct Keys {
    u32 n, dimensions;
};

extern "C" __global__ void __launch_bounds__(BLOCK, 2) divide(
    const Cells cells, const u64 *keys, Extent *extent, const Keys of, u32 *arrived,
    const u32 first_phase, const u32 end_phase)
{
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) {
        if (phase == 0) {
            find_levels(cells, keys, of.n, of.dimensions, extent);
        } else if (phase == 1) {
            find_depths(cells, of.n, of.dimensions, extent);
        } else if (phase == 2) {
            write_cells(cells, keys, of.n, of.dimensions, extent);
        } else if (!extent->is_short) {
            link_cells(cells, of.n, extent->cells);
        }
    });
}

} // namespace nbody
