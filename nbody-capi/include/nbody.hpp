// nbody for C++11 and later: objects that free themselves, and exceptions. nbody.h has the rules.
#ifndef NBODY_HPP
#define NBODY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nbody.h"

namespace nbody {

/// The failure of a call: its status and its message.
class error : public std::runtime_error {
public:
    error(nbody_status status, const char *message) : std::runtime_error(message), status_(status) {}
    nbody_status status() const noexcept { return status_; }

private:
    nbody_status status_;
};

inline void check(nbody_status status) {
    if (status != NBODY_OK) throw error(status, nbody_last_message());
}

namespace detail {

/// Owns a handle; moved, not copied.
template <class Handle, nbody_status (*Free)(Handle)>
class owner {
public:
    owner() noexcept : handle_() {}
    explicit owner(Handle handle) noexcept : handle_(handle) {}
    owner(owner &&other) noexcept : handle_(other.release()) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) {
            Free(handle_);
            handle_ = other.release();
        }
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    ~owner() { Free(handle_); }

    /// Returns the handle, which stays with its owner.
    Handle get() const noexcept { return handle_; }
    /// Returns the handle, and gives it up.
    Handle release() noexcept {
        Handle handle = handle_;
        handle_ = Handle();
        return handle;
    }
    explicit operator bool() const noexcept { return handle_.id != 0; }

private:
    Handle handle_;
};

template <class T> struct type_of;
template <> struct type_of<float> { enum { value = NBODY_F32 }; };
template <> struct type_of<double> { enum { value = NBODY_F64 }; };
template <> struct type_of<std::int32_t> { enum { value = NBODY_I32 }; };
template <> struct type_of<std::uint32_t> { enum { value = NBODY_U32 }; };
template <> struct type_of<std::int64_t> { enum { value = NBODY_I64 }; };
template <> struct type_of<std::uint64_t> { enum { value = NBODY_U64 }; };

} // namespace detail

namespace detail {

/// A column, and the number of its records: the greatest number if only its address is known.
struct field {
    nbody_column column;
    std::size_t records;
};

template <class T>
field field_of(const char *name, const T *data, std::ptrdiff_t record_stride,
               std::ptrdiff_t component_stride, std::size_t records) {
    field field = {};
    field.column.field = name;
    // The library only reads the data of inputs.
    field.column.data = const_cast<T *>(data);
    field.column.type = type_of<T>::value;
    field.column.record_stride = record_stride;
    field.column.component_stride = component_stride;
    field.records = records;
    return field;
}

const std::size_t unknown = static_cast<std::size_t>(-1);

} // namespace detail

/// A field of particles that a call reads: its name and a vector with a number or an array of numbers
/// for each particle, or the address of the first number and strides in bytes, from record to record
/// and from component to component, 0 without gaps.
class input {
public:
    template <class T>
    input(const char *field, const T *data, std::ptrdiff_t record_stride = 0,
          std::ptrdiff_t component_stride = 0)
        : field_(detail::field_of(field, data, record_stride, component_stride, detail::unknown)) {}
    template <class T>
    input(const char *field, const std::vector<T> &numbers)
        : field_(detail::field_of(field, numbers.data(), 0, 0, numbers.size())) {}
    template <class T, std::size_t N>
    input(const char *field, const std::vector<std::array<T, N>> &arrays)
        : field_(detail::field_of(field, arrays.empty() ? nullptr : arrays[0].data(),
                                  sizeof(std::array<T, N>), 0, arrays.size())) {}
    /// The same numbers in memory of the device: data is an address there.
    input on_device() const {
        input column = *this;
        column.field_.column.memory = NBODY_DEVICE_MEMORY;
        return column;
    }
    const detail::field &get() const noexcept { return field_; }

private:
    detail::field field_;
};

/// A field of records that a call writes; as `input`.
class output {
public:
    template <class T>
    output(const char *field, T *data, std::ptrdiff_t record_stride = 0,
           std::ptrdiff_t component_stride = 0)
        : field_(detail::field_of(field, data, record_stride, component_stride, detail::unknown)) {}
    template <class T>
    output(const char *field, std::vector<T> &numbers)
        : field_(detail::field_of(field, numbers.data(), 0, 0, numbers.size())) {}
    template <class T, std::size_t N>
    output(const char *field, std::vector<std::array<T, N>> &arrays)
        : field_(detail::field_of(field, arrays.empty() ? nullptr : arrays[0].data(),
                                  sizeof(std::array<T, N>), 0, arrays.size())) {}
    /// The same numbers in memory of the device: data is an address there.
    output on_device() const {
        output column = *this;
        column.field_.column.memory = NBODY_DEVICE_MEMORY;
        return column;
    }
    const detail::field &get() const noexcept { return field_; }

private:
    detail::field field_;
};

namespace detail {

/// Returns the columns of a call of n records; refuses vectors that are shorter.
template <class T>
std::vector<nbody_column> columns(std::initializer_list<T> list, std::size_t n) {
    std::vector<nbody_column> columns;
    columns.reserve(list.size());
    for (const T &it : list) {
        const field &field = it.get();
        if (field.records < n) {
            const std::string message = std::string("column `") + field.column.field +
                                        "`: a vector of " + std::to_string(field.records) +
                                        " records, expected " + std::to_string(n);
            throw error(NBODY_ERROR_ARGUMENT, message.c_str());
        }
        columns.push_back(field.column);
    }
    return columns;
}

} // namespace detail

using inputs = std::initializer_list<input>;
using outputs = std::initializer_list<output>;
/// The parameters of a law or a program in their order.
using parameters = std::vector<double>;

/// Options of engines, all with their defaults.
inline nbody_options options() {
    nbody_options options = NBODY_OPTIONS;
    return options;
}

/// A law. It is never freed, and may be copied.
class law {
public:
    static law ready(const std::string &name) {
        law law;
        check(nbody_law_ready(name.c_str(), &law.handle_));
        return law;
    }
    static law declare(const std::string &text) {
        law law;
        check(nbody_law_declare(text.data(), text.size(), nullptr, &law.handle_));
        return law;
    }
    static law declare(const std::string &text, const std::string &name) {
        law law;
        check(nbody_law_declare(text.data(), text.size(), name.c_str(), &law.handle_));
        return law;
    }
    static law read(const std::string &path) {
        law law;
        check(nbody_law_read(path.c_str(), nullptr, &law.handle_));
        return law;
    }
    static law read(const std::string &path, const std::string &name) {
        law law;
        check(nbody_law_read(path.c_str(), name.c_str(), &law.handle_));
        return law;
    }
    /// Returns the fields of a record.
    std::vector<nbody_field> fields(std::int32_t record) const {
        std::size_t n = 0;
        check(nbody_law_fields(handle_, record, nullptr, 0, &n));
        std::vector<nbody_field> fields(n);
        check(nbody_law_fields(handle_, record, fields.data(), n, &n));
        return fields;
    }
    nbody_law get() const noexcept { return handle_; }

private:
    law() noexcept : handle_() {}
    nbody_law handle_;
};

/// Returns the numbers of a spline with these values at knots at equal distances, for parameters of laws:
/// NBODY_SPLINE_LINEAR or NBODY_SPLINE_CUBIC.
inline std::vector<double> spline(
    double first, double last, const std::vector<double> &values, std::int32_t kind = NBODY_SPLINE_CUBIC) {
    std::vector<double> numbers(4 * (values.size() + 2));
    check(nbody_spline_numbers(kind, first, last, values.data(), nullptr, values.size(), numbers.data(),
                       numbers.size()));
    return numbers;
}
/// Returns the numbers of the cubic spline with these values and slopes.
inline std::vector<double> hermite_spline(
    double first, double last, const std::vector<double> &values,
    const std::vector<double> &slopes) {
    std::vector<double> numbers(4 * (values.size() + 2));
    if (slopes.size() != values.size()) {
        throw std::invalid_argument("a slope for each value of a spline");
    }
    check(nbody_spline_numbers(NBODY_SPLINE_HERMITE, first, last, values.data(), slopes.data(), values.size(),
                       numbers.data(), numbers.size()));
    return numbers;
}

/// A program per particle or per tuple. It is never freed, and may be copied.
class program {
public:
    /// Finds a bond, an angle or a dihedral of the library.
    static program ready(const std::string &name) {
        program program;
        check(nbody_program_ready(name.c_str(), &program.handle_));
        return program;
    }
    static program declare(const std::string &text) {
        program program;
        check(nbody_program_declare(text.data(), text.size(), nullptr, &program.handle_));
        return program;
    }
    static program declare(const std::string &text, const std::string &name) {
        program program;
        check(nbody_program_declare(text.data(), text.size(), name.c_str(), &program.handle_));
        return program;
    }
    static program read(const std::string &path) {
        program program;
        check(nbody_program_read(path.c_str(), nullptr, &program.handle_));
        return program;
    }
    static program read(const std::string &path, const std::string &name) {
        program program;
        check(nbody_program_read(path.c_str(), name.c_str(), &program.handle_));
        return program;
    }
    /// Returns the fields of a record.
    std::vector<nbody_field> fields(std::int32_t record) const {
        std::size_t n = 0;
        check(nbody_program_fields(handle_, record, nullptr, 0, &n));
        std::vector<nbody_field> fields(n);
        check(nbody_program_fields(handle_, record, fields.data(), n, &n));
        return fields;
    }
    /// Returns the number of particles of a tuple; 0 for a program per particle.
    std::size_t members() const {
        std::size_t members;
        check(nbody_program_members(handle_, &members));
        return members;
    }
    nbody_program get() const noexcept { return handle_; }

private:
    program() noexcept : handle_() {}
    nbody_program handle_;
};

/// A device by its name: "best", "cpu", "cuda:1" and others.
class device : public detail::owner<nbody_device, nbody_device_free> {
public:
    explicit device(const std::string &name = "best") : owner(open(name)) {}
    /// Connects the devices of all ranks of an MPI communicator: MPI_Comm_c2f(communicator).
    /// Each rank has all particles of trees, or with NBODY_DISTRIBUTED those in its region.
    static device over_mpi(std::int32_t communicator, const std::string &name = "best",
                           std::int32_t trees = NBODY_REPLICATED) {
        nbody_device handle;
        check(nbody_device_over_mpi(name.c_str(), communicator, trees, &handle));
        return device(handle);
    }
    std::string name() const {
        char text[256];
        check(nbody_device_name(get(), text, sizeof text));
        return text;
    }

private:
    explicit device(nbody_device handle) noexcept : owner(handle) {}
    static nbody_device open(const std::string &name) {
        nbody_device device;
        check(nbody_device_open(name.c_str(), &device));
        return device;
    }
};

/// Particles or results in the memory of a device.
class buffer : public detail::owner<nbody_buffer, nbody_buffer_free> {
public:
    buffer() noexcept {}
    explicit buffer(nbody_buffer handle) noexcept : owner(handle) {}
    std::size_t count() const {
        std::size_t n;
        check(nbody_buffer_count(get(), &n));
        return n;
    }
    void resize(std::size_t n) { check(nbody_buffer_resize(get(), n)); }
    void write(std::size_t n, inputs list) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        check(nbody_buffer_write(get(), n, columns.data(), columns.size()));
    }
    void write_at(std::size_t n, const std::uint32_t *addresses, inputs list) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        check(nbody_buffer_write_at(get(), n, addresses, columns.data(), columns.size()));
    }
    /// Appends copies of all particles of another buffer.
    void append(const buffer &others) { check(nbody_buffer_append(get(), others.get())); }
    /// Keeps the particles where a field of unsigned integers is not zero, and returns their number.
    std::size_t retain(const std::string &field) {
        std::size_t n;
        check(nbody_buffer_retain(get(), nbody_buffer(), field.c_str(), &n));
        return n;
    }
    /// Keeps the particles where the field of the same record of another buffer is not zero.
    std::size_t retain(const buffer &by, const std::string &field) {
        std::size_t n;
        check(nbody_buffer_retain(get(), by.get(), field.c_str(), &n));
        return n;
    }
    void read(std::size_t first, std::size_t n, outputs list) const {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        check(nbody_buffer_read(get(), first, n, columns.data(), columns.size()));
    }
    /// Reads all records.
    void read(outputs list) const { read(0, count(), list); }
};

/// A law with its parameters on a device. It is moved, not copied, as every object that owns a handle.
class engine : public detail::owner<nbody_engine, nbody_engine_free> {
public:
    static engine all_pairs(const device &device, const law &law, const parameters &parameters,
                            const nbody_options &options = nbody::options()) {
        nbody_engine made;
        check(nbody_engine_all_pairs(device.get(), law.get(), parameters.data(),
                                     parameters.size(), &options, &made));
        return engine(made);
    }
    /// Creates an engine that opens a cell that is seen at a larger angle than theta.
    static engine tree(const device &device, const law &law, const parameters &parameters,
                       double theta, const nbody_options &options = nbody::options()) {
        nbody_engine made;
        check(nbody_engine_tree(device.get(), law.get(), parameters.data(), parameters.size(),
                                NBODY_THETA, theta, NBODY_SECOND, &options, &made));
        return engine(made);
    }
    /// Creates an engine with neighbour lists; a periodic box is in the options.
    static engine lists(const device &device, const law &law, const parameters &parameters,
                        double skin = NBODY_AUTO_SKIN,
                        const nbody_options &options = nbody::options()) {
        nbody_engine made;
        check(nbody_engine_lists(device.get(), law.get(), parameters.data(), parameters.size(),
                                 skin, &options, &made));
        return engine(made);
    }
    void set_parameters(const parameters &parameters) {
        check(nbody_engine_set_parameters(get(), parameters.data(), parameters.size()));
    }
    /// Sets a periodic box of three lengths, or open space for nullptr.
    void set_domain(const double *lengths) { check(nbody_engine_set_domain(get(), lengths)); }
    /// Sets a triclinic box of nine components: its vectors a, b and c.
    void set_triclinic(const double *vectors) {
        check(nbody_engine_set_triclinic(get(), vectors));
    }
    void set_opening(std::int32_t criterion, double value,
                     std::int32_t expansion = NBODY_SECOND) {
        check(nbody_engine_set_opening(get(), criterion, value, expansion));
    }
    /// Leaves out pairs: i and j of each, one after the other.
    void exclude(std::size_t n, const std::uint32_t *pairs) {
        check(nbody_engine_exclude(get(), n, pairs));
    }
    /// Copies n particles to the device: a column for each field of the law.
    buffer upload_i(std::size_t n, inputs list) { return upload(NBODY_I, n, list); }
    buffer upload_j(std::size_t n, inputs list) { return upload(NBODY_J, n, list); }
    buffer results(std::size_t n) {
        nbody_buffer results;
        check(nbody_engine_results(get(), n, &results));
        return buffer(results);
    }
    /// Evaluates the pairs of two sets.
    void evaluate(const buffer &i, const buffer &j, buffer &results,
                  std::int32_t store = NBODY_REPLACE) {
        check(nbody_engine_evaluate(get(), i.get(), j.get(), NBODY_OTHERS, results.get(), store));
    }
    /// Evaluates the pairs of one set.
    void evaluate_self(const buffer &particles, buffer &results,
                       std::int32_t store = NBODY_REPLACE) {
        check(nbody_engine_evaluate(get(), particles.get(), particles.get(), NBODY_SAME,
                                    results.get(), store));
    }
    /// Evaluates the pairs of the first particles of one set with all: one for each result.
    void evaluate_first(const buffer &particles, buffer &results,
                        std::int32_t store = NBODY_REPLACE) {
        check(nbody_engine_evaluate(get(), particles.get(), particles.get(), NBODY_FIRST,
                                    results.get(), store));
    }
    /// Measures the time of an evaluation of one set, in seconds.
    double time_self(const buffer &particles, buffer &results) {
        double seconds;
        check(nbody_engine_time(get(), particles.get(), particles.get(), NBODY_SAME,
                                results.get(), &seconds));
        return seconds;
    }

private:
    explicit engine(nbody_engine handle) noexcept : owner(handle) {}
    buffer upload(std::int32_t record, std::size_t n, inputs list) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        nbody_buffer particles;
        check(nbody_engine_upload(get(), record, n, columns.data(), columns.size(), &particles));
        return buffer(particles);
    }
};

/// A program per particle with its parameters on a device.
class runner : public detail::owner<nbody_runner, nbody_runner_free> {
public:
    runner(const device &device, const program &program, const parameters &parameters)
        : owner(create(device, program, parameters)) {}
    void set_parameters(const parameters &parameters) {
        check(nbody_runner_set_parameters(get(), parameters.data(), parameters.size()));
    }
    void set_domain(const double *lengths, bool wraps) {
        check(nbody_runner_set_domain(get(), lengths, wraps ? 1 : 0));
    }
    void set_triclinic(const double *vectors, bool wraps) {
        check(nbody_runner_set_triclinic(get(), vectors, wraps ? 1 : 0));
    }
    buffer upload(std::int32_t record, std::int32_t precision, std::size_t n, inputs list) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        nbody_buffer particles;
        check(nbody_runner_upload(get(), record, precision, n, columns.data(), columns.size(),
                                  &particles));
        return buffer(particles);
    }
    /// Updates particles. The inputs are the buffers that the program reads besides them, in the order
    /// of its function: second particles, results, totals.
    template <class... Inputs> void update(buffer &particles, const Inputs &...inputs) {
        const std::array<nbody_buffer, sizeof...(inputs)> all{{inputs.get()...}};
        check(nbody_runner_update(get(), particles.get(), all.data(), all.size()));
    }
    /// Allocates the total of a measure on the device.
    buffer total() {
        nbody_buffer total;
        check(nbody_runner_total(get(), &total));
        return buffer(total);
    }
    /// Writes the total of a measure to a buffer of `total`, without the host.
    template <class... Inputs>
    void measure_into(buffer &total, const buffer &particles, const Inputs &...inputs) {
        const std::array<nbody_buffer, sizeof...(inputs)> all{{inputs.get()...}};
        check(nbody_runner_measure_into(get(), particles.get(), all.data(), all.size(),
                                        total.get()));
    }
    /// Returns the total of a measure, of this number of numbers.
    template <class... Inputs>
    std::vector<double> measure(std::size_t count, const buffer &particles,
                                const Inputs &...inputs) {
        const std::array<nbody_buffer, sizeof...(inputs)> all{{inputs.get()...}};
        std::vector<double> total(count);
        check(nbody_runner_measure(get(), particles.get(), all.data(), all.size(), total.data(),
                                   count));
        return total;
    }

private:
    static nbody_runner create(const device &device, const program &program,
                               const parameters &parameters) {
        nbody_runner runner;
        check(nbody_runner_create(device.get(), program.get(), parameters.data(),
                                  parameters.size(), &runner));
        return runner;
    }
};

/// Bonds, angles, dihedrals or other tuples of given particles on a device.
class tuples : public detail::owner<nbody_tuples, nbody_tuples_free> {
public:
    /// Creates an engine without tuples. The options give the precision of `upload` and `results`, and
    /// the box.
    tuples(const device &device, const program &program, const parameters &parameters,
           const nbody_options &options = nbody::options())
        : owner(create(device, program, parameters, options)) {}
    void set_parameters(const parameters &parameters) {
        check(nbody_tuples_set_parameters(get(), parameters.data(), parameters.size()));
    }
    /// Sets a periodic box of three lengths, or open space for nullptr.
    void set_domain(const double *lengths) { check(nbody_tuples_set_domain(get(), lengths)); }
    /// Replaces the tuples: the indices of the members of each, among this number of particles, and a
    /// column for each field of the record.
    template <std::size_t N>
    void set(std::size_t particles, const std::vector<std::array<std::uint32_t, N>> &members,
             inputs list = {}) {
        set(particles, members.size(), N, members.empty() ? nullptr : members[0].data(),
            sizeof(std::array<std::uint32_t, N>), list);
    }
    /// The same for n tuples whose indices begin `stride` bytes apart, 0 without gaps.
    void set(std::size_t particles, std::size_t n, std::size_t members, const std::uint32_t *indices,
             std::ptrdiff_t stride, inputs list = {}) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        check(nbody_tuples_set(get(), particles, n, members, indices, stride, columns.data(),
                               columns.size()));
    }
    /// Returns the number of tuples.
    std::size_t count() const {
        std::size_t n;
        check(nbody_tuples_count(get(), &n));
        return n;
    }
    /// Copies n particles to the device: a column for each field of the program.
    buffer upload(std::size_t n, inputs list) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        nbody_buffer particles;
        check(nbody_tuples_upload(get(), n, columns.data(), columns.size(), &particles));
        return buffer(particles);
    }
    buffer results(std::size_t n) {
        nbody_buffer results;
        check(nbody_tuples_results(get(), n, &results));
        return buffer(results);
    }
    /// Evaluates the tuples; particles and results of other engines serve, if they have the fields.
    void evaluate(const buffer &particles, buffer &results, std::int32_t store = NBODY_REPLACE) {
        check(nbody_tuples_evaluate(get(), particles.get(), results.get(), store));
    }
    /// Measures the time of an evaluation, in seconds.
    double time(const buffer &particles, buffer &results, std::int32_t store = NBODY_REPLACE) {
        double seconds;
        check(nbody_tuples_time(get(), particles.get(), results.get(), store, &seconds));
        return seconds;
    }

private:
    static nbody_tuples create(const device &device, const program &program,
                               const parameters &parameters, const nbody_options &options) {
        nbody_tuples tuples;
        check(nbody_tuples_create(device.get(), program.get(), parameters.data(), parameters.size(),
                                  &options, &tuples));
        return tuples;
    }
};

/// The method and the steps of an integrator, with the defaults of the rest.
inline nbody_steps steps(std::int32_t method, double step = 0, double eta = 0) {
    nbody_steps steps = NBODY_STEPS;
    steps.method = method;
    steps.step = step;
    steps.eta = eta;
    return steps;
}

/// An engine, its particles and their motions, and the time.
class integrator : public detail::owner<nbody_integrator, nbody_integrator_free> {
public:
    /// Begins with a column for each field of the law's particles, and `pos`, `vel` and `mass`.
    integrator(const engine &engine, std::size_t n, inputs list, const nbody_steps &steps)
        : owner(create(engine, n, list, steps)), n_(n) {}
    void advance() { check(nbody_integrator_advance(get())); }
    void advance_to(double time) { check(nbody_integrator_advance_to(get(), time)); }
    double time() const {
        double time, next;
        check(nbody_integrator_time(get(), &time, &next));
        return time;
    }
    double next_time() const {
        double time, next;
        check(nbody_integrator_time(get(), &time, &next));
        return next;
    }
    std::uint64_t count() const {
        std::uint64_t steps, particle_steps;
        check(nbody_integrator_count(get(), &steps, &particle_steps));
        return steps;
    }
    std::uint64_t particle_steps() const {
        std::uint64_t steps, particle_steps;
        check(nbody_integrator_count(get(), &steps, &particle_steps));
        return particle_steps;
    }
    /// Reads the motions of all particles at a time within the next step.
    void read(double time, outputs list) const {
        const std::vector<nbody_column> columns = detail::columns(list, n_);
        check(nbody_integrator_read(get(), time, n_, columns.data(), columns.size()));
    }
    /// Returns the kinetic and the potential energy.
    std::pair<double, double> energies() {
        std::pair<double, double> energies;
        check(nbody_integrator_energies(get(), &energies.first, &energies.second));
        return energies;
    }
    void set_step(double step) { check(nbody_integrator_set_step(get(), step)); }
    void set_wrap(bool wraps) { check(nbody_integrator_set_wrap(get(), wraps ? 1 : 0)); }
    /// Saves the run to a file, from which `resume` goes on with the same bits.
    void save(const std::string &path) const { check(nbody_integrator_save(get(), path.c_str())); }
    /// Resumes a run from its file, with an engine of its law.
    static integrator resume(const engine &engine, const std::string &path) {
        nbody_integrator resumed;
        std::size_t n;
        check(nbody_integrator_resume(engine.get(), path.c_str(), &resumed, &n));
        return integrator(resumed, n);
    }
    /// Returns the number of particles.
    std::size_t size() const noexcept { return n_; }

private:
    integrator(nbody_integrator handle, std::size_t n) noexcept : owner(handle), n_(n) {}
    static nbody_integrator create(const engine &engine, std::size_t n, inputs list,
                                   const nbody_steps &steps) {
        const std::vector<nbody_column> columns = detail::columns(list, n);
        nbody_integrator made;
        check(nbody_integrator_create(engine.get(), n, columns.data(), columns.size(), &steps, &made));
        return made;
    }
    std::size_t n_;
};

} // namespace nbody

#endif
