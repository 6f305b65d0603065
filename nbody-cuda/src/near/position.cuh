// Positions, and the frame of the cells of the curve.
namespace nbody {

struct Position {
    double x[3];
};

// The lengths of the box in units of the caller, 0 along open axes, and the cells of the curve.
struct Frame {
    double length[3], origin[3], scale;
    u32 dimensions;
};

} // namespace nbody
