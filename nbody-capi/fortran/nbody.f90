! nbody from Fortran 2008: nbody.h has the rules. Functions return a status, 0 if they succeeded;
! nbody_message() then says what was found, what was expected, and what to do.
!
!     type(nbody_device) :: device
!     type(nbody_law) :: law
!     type(nbody_engine) :: engine
!     type(nbody_buffer) :: bodies, field
!     real(c_double), target :: x(3, n), m(n), a(3, n)
!     if (nbody_device_open("best", device) /= nbody_ok) error stop "no device"
!     ...
!     status = nbody_engine_upload(engine, nbody_i, n, &
!         [nbody_column_of("pos", x), nbody_column_of("mass", m)], bodies)
!
! Arrays of columns have the attribute TARGET; sections such as x(:, 1:n:2) enter without a copy. An
! array with fewer records than the call is an error: x(n, 3) needs components_last = .true.
! Integers of columns have no sign in nbody: a negative one is an error, and the index of a minimum over
! no pairs is -1. Indices of particles begin with 0, in excluded pairs, tuples, addresses and `first` too.
module nbody
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int32_t), parameter, public :: nbody_abi = 1

    ! Statuses
    integer(c_int32_t), parameter, public :: nbody_ok = 0
    integer(c_int32_t), parameter, public :: nbody_error_argument = 1
    integer(c_int32_t), parameter, public :: nbody_error_declaration = 2
    integer(c_int32_t), parameter, public :: nbody_error_device = 3
    integer(c_int32_t), parameter, public :: nbody_error_memory = 4
    integer(c_int32_t), parameter, public :: nbody_error_unsupported = 5
    integer(c_int32_t), parameter, public :: nbody_error_compiler = 6
    integer(c_int32_t), parameter, public :: nbody_error_numbers = 7
    integer(c_int32_t), parameter, public :: nbody_error_fault = 99

    ! Records
    integer(c_int32_t), parameter, public :: nbody_parameters = 1
    integer(c_int32_t), parameter, public :: nbody_i = 2
    integer(c_int32_t), parameter, public :: nbody_j = 3
    integer(c_int32_t), parameter, public :: nbody_f = 4
    integer(c_int32_t), parameter, public :: nbody_p = 5
    integer(c_int32_t), parameter, public :: nbody_q = 6
    integer(c_int32_t), parameter, public :: nbody_total = 7
    integer(c_int32_t), parameter, public :: nbody_g = 9
    ! The distance between several records of one kind.
    integer(c_int32_t), parameter, public :: nbody_next = 16
    integer(c_int32_t), parameter, public :: nbody_tuple = 8

    ! Kinds of fields
    integer(c_int32_t), parameter, public :: nbody_real = 1
    integer(c_int32_t), parameter, public :: nbody_vector = 2
    integer(c_int32_t), parameter, public :: nbody_point = 3
    integer(c_int32_t), parameter, public :: nbody_array = 4
    integer(c_int32_t), parameter, public :: nbody_integer = 5
    integer(c_int32_t), parameter, public :: nbody_min = 6
    integer(c_int32_t), parameter, public :: nbody_max = 7
    integer(c_int32_t), parameter, public :: nbody_arg_min = 8
    integer(c_int32_t), parameter, public :: nbody_count = 9
    integer(c_int32_t), parameter, public :: nbody_spline = 10
    integer(c_int32_t), parameter, public :: nbody_tensor = 11
    integer(c_int32_t), parameter, public :: nbody_arg_max = 12
    integer(c_int32_t), parameter, public :: nbody_nearest = 13
    integer(c_int32_t), parameter, public :: nbody_splines = 14
    integer(c_int32_t), parameter, public :: nbody_spline_linear = 1, nbody_spline_cubic = 2
    integer(c_int32_t), parameter, public :: nbody_spline_hermite = 3

    ! Types and memory of columns
    integer(c_int32_t), parameter, public :: nbody_f32 = 1
    integer(c_int32_t), parameter, public :: nbody_f64 = 2
    integer(c_int32_t), parameter, public :: nbody_i32 = 3
    integer(c_int32_t), parameter, public :: nbody_u32 = 4
    integer(c_int32_t), parameter, public :: nbody_i64 = 5
    integer(c_int32_t), parameter, public :: nbody_u64 = 6
    integer(c_int32_t), parameter, public :: nbody_host_memory = 0
    integer(c_int32_t), parameter, public :: nbody_device_memory = 1

    ! Options
    integer(c_int32_t), parameter, public :: nbody_single = 1
    integer(c_int32_t), parameter, public :: nbody_mixed = 2
    integer(c_int32_t), parameter, public :: nbody_double = 3
    integer(c_int32_t), parameter, public :: nbody_direct = 1
    integer(c_int32_t), parameter, public :: nbody_blocked = 2
    integer(c_int32_t), parameter, public :: nbody_blocked_f64 = 3
    integer(c_int32_t), parameter, public :: nbody_compensated = 4
    integer(c_int32_t), parameter, public :: nbody_fast = 1
    integer(c_int32_t), parameter, public :: nbody_exact = 2
    integer(c_int32_t), parameter, public :: nbody_pairs_auto = 1
    integer(c_int32_t), parameter, public :: nbody_pairs_ordered = 2
    integer(c_int32_t), parameter, public :: nbody_pairs_symmetric = 3

    ! Trees and lists
    integer(c_int32_t), parameter, public :: nbody_replicated = 1
    integer(c_int32_t), parameter, public :: nbody_distributed = 2
    integer(c_int32_t), parameter, public :: nbody_theta = 1
    integer(c_int32_t), parameter, public :: nbody_relative = 2
    integer(c_int32_t), parameter, public :: nbody_monopole = 1
    integer(c_int32_t), parameter, public :: nbody_second = 2
    real(c_double), parameter, public :: nbody_auto_skin = -1.0_c_double

    ! Evaluations
    integer(c_int32_t), parameter, public :: nbody_others = 1
    integer(c_int32_t), parameter, public :: nbody_same = 2
    integer(c_int32_t), parameter, public :: nbody_first = 3
    integer(c_int32_t), parameter, public :: nbody_replace = 1
    integer(c_int32_t), parameter, public :: nbody_add = 2

    ! Integrators
    integer(c_int32_t), parameter, public :: nbody_leapfrog = 1
    integer(c_int32_t), parameter, public :: nbody_hermite = 2
    integer(c_int32_t), parameter, public :: nbody_block_hermite = 3

    ! Handles: 0 until the call that creates them succeeds.
    type, bind(c), public :: nbody_device
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_law
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_program
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_buffer
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_engine
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_runner
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_integrator
        integer(c_int64_t) :: id = 0
    end type
    type, bind(c), public :: nbody_tuples
        integer(c_int64_t) :: id = 0
    end type

    ! A field of a record, of the header.
    type, bind(c) :: c_field
        type(c_ptr) :: name
        integer(c_int32_t) :: kind
        integer(c_int32_t) :: components
    end type

    ! A field of a record.
    type, public :: nbody_field
        character(:), allocatable :: name
        integer(c_int32_t) :: kind = 0
        integer(c_int32_t) :: components = 0
    end type

    ! A column of the header.
    type, bind(c) :: c_column
        type(c_ptr) :: field
        type(c_ptr) :: data
        integer(c_int32_t) :: type
        integer(c_int32_t) :: memory
        integer(c_intptr_t) :: record_stride
        integer(c_intptr_t) :: component_stride
    end type

    integer, parameter :: name_length = 63

    ! A column: nbody_column_of makes it from an array.
    type, public :: nbody_column
        character(name_length) :: field = ""
        type(c_ptr) :: data = c_null_ptr
        integer(c_int32_t) :: type = 0
        integer(c_int32_t) :: memory = nbody_host_memory
        integer(c_intptr_t) :: record_stride = 0
        integer(c_intptr_t) :: component_stride = 0
        integer(c_size_t) :: records = huge(0_c_size_t) ! of the array
    end type

    ! Options of engines; 0 is the default of each. The calls set the size.
    type, bind(c), public :: nbody_options
        integer(c_size_t) :: size = 0
        integer(c_int32_t) :: precision = 0
        integer(c_int32_t) :: accumulation = 0
        integer(c_int32_t) :: math = 0
        integer(c_int32_t) :: pairs = 0
        integer(c_int64_t) :: bag = 0
        integer(c_int64_t) :: splits = 0
        type(c_ptr) :: lengths = c_null_ptr ! c_loc of three lengths of a periodic box
    end type

    ! The method and the steps of an integrator; 0 is the default of each number. The calls set the size.
    type, bind(c), public :: nbody_steps
        integer(c_size_t) :: size = 0
        integer(c_int32_t) :: method = 0
        integer(c_int32_t) :: iterations = 0
        real(c_double) :: begin = 0
        real(c_double) :: step = 0
        real(c_double) :: eta = 0
        real(c_double) :: eta_start = 0
    end type

    ! Makes a column from an array: x(n) of a field with one component, x(3, n) of a vector, or
    ! x(n, 3) with components_last = .true.
    interface nbody_column_of
        module procedure of_f32, of_f64, of_i32, of_i64, of_f32s, of_f64s
    end interface
    public :: nbody_column_of

    public :: nbody_message, nbody_version_text, nbody_abi_version
    public :: nbody_device_open, nbody_device_over_mpi, nbody_device_text, nbody_device_free
    public :: nbody_law_ready_text, nbody_law_ready, nbody_law_declare, nbody_law_read
    public :: nbody_spline_numbers
    public :: nbody_law_fields, nbody_program_ready_text, nbody_program_ready
    public :: nbody_program_declare, nbody_program_read, nbody_program_fields, nbody_program_members
    public :: nbody_engine_all_pairs, nbody_engine_tree, nbody_engine_lists
    public :: nbody_engine_set_parameters, nbody_engine_set_domain, nbody_engine_set_opening
    public :: nbody_engine_set_triclinic, nbody_runner_set_triclinic
    public :: nbody_engine_exclude, nbody_engine_upload, nbody_engine_results
    public :: nbody_engine_evaluate, nbody_engine_time, nbody_engine_free
    public :: nbody_buffer_count, nbody_buffer_resize, nbody_buffer_write, nbody_buffer_write_at
    public :: nbody_buffer_append, nbody_buffer_retain, nbody_buffer_read, nbody_buffer_free
    public :: nbody_runner_create, nbody_runner_set_parameters, nbody_runner_set_domain
    public :: nbody_runner_upload, nbody_runner_total, nbody_runner_update, nbody_runner_measure
    public :: nbody_runner_measure_into, nbody_runner_free
    public :: nbody_tuples_create, nbody_tuples_set_parameters, nbody_tuples_set_domain
    public :: nbody_tuples_set, nbody_tuples_count, nbody_tuples_upload, nbody_tuples_results
    public :: nbody_tuples_evaluate, nbody_tuples_time, nbody_tuples_free
    public :: nbody_integrator_create, nbody_integrator_advance, nbody_integrator_advance_to
    public :: nbody_integrator_time, nbody_integrator_count, nbody_integrator_read
    public :: nbody_integrator_energies, nbody_integrator_set_step, nbody_integrator_set_wrap
    public :: nbody_integrator_save, nbody_integrator_resume, nbody_integrator_free

    ! The functions of the library.
    interface
        function c_last_message() bind(c, name="nbody_last_message")
            import :: c_ptr
            type(c_ptr) :: c_last_message
        end function
        function c_version() bind(c, name="nbody_version")
            import :: c_ptr
            type(c_ptr) :: c_version
        end function
        function nbody_abi_version() bind(c, name="nbody_abi_version")
            import :: c_int32_t
            integer(c_int32_t) :: nbody_abi_version
        end function
        function c_strlen(text) bind(c, name="strlen")
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: c_strlen
        end function

        function c_device_open(name, device) bind(c, name="nbody_device_open") result(status)
            import :: c_char, c_int32_t, nbody_device
            character(kind=c_char), intent(in) :: name(*)
            type(nbody_device), intent(out) :: device
            integer(c_int32_t) :: status
        end function
        function c_device_over_mpi(name, communicator, trees, device) &
            bind(c, name="nbody_device_over_mpi") result(status)
            import :: c_char, c_int32_t, nbody_device
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int32_t), value :: communicator, trees
            type(nbody_device), intent(out) :: device
            integer(c_int32_t) :: status
        end function
        function c_device_name(device, text, capacity) bind(c, name="nbody_device_name") &
            result(status)
            import :: c_char, c_int32_t, c_size_t, nbody_device
            type(nbody_device), value :: device
            character(kind=c_char), intent(out) :: text(*)
            integer(c_size_t), value :: capacity
            integer(c_int32_t) :: status
        end function
        function nbody_device_free(device) bind(c, name="nbody_device_free") result(status)
            import :: c_int32_t, nbody_device
            type(nbody_device), value :: device
            integer(c_int32_t) :: status
        end function

        function c_law_ready_name(k) bind(c, name="nbody_law_ready_name") result(name)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: k
            type(c_ptr) :: name
        end function
        function c_law_ready(name, law) bind(c, name="nbody_law_ready") result(status)
            import :: c_char, c_int32_t, nbody_law
            character(kind=c_char), intent(in) :: name(*)
            type(nbody_law), intent(out) :: law
            integer(c_int32_t) :: status
        end function
        function c_law_declare(text, length, name, law) bind(c, name="nbody_law_declare") &
            result(status)
            import :: c_char, c_int32_t, c_ptr, c_size_t, nbody_law
            character(kind=c_char), intent(in) :: text(*)
            integer(c_size_t), value :: length
            type(c_ptr), value :: name
            type(nbody_law), intent(out) :: law
            integer(c_int32_t) :: status
        end function
        function c_law_read(path, name, law) bind(c, name="nbody_law_read") result(status)
            import :: c_char, c_int32_t, c_ptr, nbody_law
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), value :: name
            type(nbody_law), intent(out) :: law
            integer(c_int32_t) :: status
        end function
        function c_program_ready_name(k) bind(c, name="nbody_program_ready_name") result(name)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: k
            type(c_ptr) :: name
        end function
        function c_program_ready(name, program) bind(c, name="nbody_program_ready") result(status)
            import :: c_char, c_int32_t, nbody_program
            character(kind=c_char), intent(in) :: name(*)
            type(nbody_program), intent(out) :: program
            integer(c_int32_t) :: status
        end function
        function c_program_declare(text, length, name, program) &
            bind(c, name="nbody_program_declare") result(status)
            import :: c_char, c_int32_t, c_ptr, c_size_t, nbody_program
            character(kind=c_char), intent(in) :: text(*)
            integer(c_size_t), value :: length
            type(c_ptr), value :: name
            type(nbody_program), intent(out) :: program
            integer(c_int32_t) :: status
        end function
        function c_program_read(path, name, program) bind(c, name="nbody_program_read") &
            result(status)
            import :: c_char, c_int32_t, c_ptr, nbody_program
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), value :: name
            type(nbody_program), intent(out) :: program
            integer(c_int32_t) :: status
        end function
        function c_spline(kind, first, last, values, slopes, knots, numbers, capacity) &
            bind(c, name="nbody_spline_numbers") result(status)
            import :: c_int32_t, c_size_t, c_double
            integer(c_int32_t), value :: kind
            real(c_double), value :: first, last
            real(c_double), intent(in) :: values(*), slopes(*)
            integer(c_size_t), value :: knots, capacity
            real(c_double), intent(out) :: numbers(*)
            integer(c_int32_t) :: status
        end function
        function c_law_fields(law, record, fields, capacity, count) &
            bind(c, name="nbody_law_fields") result(status)
            import :: c_field, c_int32_t, c_size_t, nbody_law
            type(nbody_law), value :: law
            integer(c_int32_t), value :: record
            type(c_field), intent(out) :: fields(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout) :: count
            integer(c_int32_t) :: status
        end function
        function c_program_fields(program, record, fields, capacity, count) &
            bind(c, name="nbody_program_fields") result(status)
            import :: c_field, c_int32_t, c_size_t, nbody_program
            type(nbody_program), value :: program
            integer(c_int32_t), value :: record
            type(c_field), intent(out) :: fields(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(inout) :: count
            integer(c_int32_t) :: status
        end function
        function nbody_program_members(program, count) bind(c, name="nbody_program_members") &
            result(status)
            import :: c_int32_t, c_size_t, nbody_program
            type(nbody_program), value :: program
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: status
        end function

        function c_engine_all_pairs(device, law, parameters, count, options, engine) &
            bind(c, name="nbody_engine_all_pairs") result(status)
            import :: c_double, c_int32_t, c_ptr, c_size_t, nbody_device, nbody_engine, nbody_law
            type(nbody_device), value :: device
            type(nbody_law), value :: law
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: options
            type(nbody_engine), intent(out) :: engine
            integer(c_int32_t) :: status
        end function
        function c_engine_tree(device, law, parameters, count, criterion, value_, expansion, &
            options, engine) bind(c, name="nbody_engine_tree") result(status)
            import :: c_double, c_int32_t, c_ptr, c_size_t, nbody_device, nbody_engine, nbody_law
            type(nbody_device), value :: device
            type(nbody_law), value :: law
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            integer(c_int32_t), value :: criterion
            real(c_double), value :: value_
            integer(c_int32_t), value :: expansion
            type(c_ptr), value :: options
            type(nbody_engine), intent(out) :: engine
            integer(c_int32_t) :: status
        end function
        function c_engine_lists(device, law, parameters, count, skin, options, engine) &
            bind(c, name="nbody_engine_lists") result(status)
            import :: c_double, c_int32_t, c_ptr, c_size_t, nbody_device, nbody_engine, nbody_law
            type(nbody_device), value :: device
            type(nbody_law), value :: law
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            real(c_double), value :: skin
            type(c_ptr), value :: options
            type(nbody_engine), intent(out) :: engine
            integer(c_int32_t) :: status
        end function
        function c_engine_set_parameters(engine, parameters, count) &
            bind(c, name="nbody_engine_set_parameters") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_engine
            type(nbody_engine), value :: engine
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_engine_set_domain(engine, lengths) bind(c, name="nbody_engine_set_domain") &
            result(status)
            import :: c_int32_t, c_ptr, nbody_engine
            type(nbody_engine), value :: engine
            type(c_ptr), value :: lengths
            integer(c_int32_t) :: status
        end function
        ! Sets a triclinic box: vectors(:, 1) is a, vectors(:, 2) is b, vectors(:, 3) is c.
        function nbody_engine_set_triclinic(engine, vectors) &
            bind(c, name="nbody_engine_set_triclinic") result(status)
            import :: c_double, c_int32_t, nbody_engine
            type(nbody_engine), value :: engine
            real(c_double), intent(in) :: vectors(3, 3)
            integer(c_int32_t) :: status
        end function
        function nbody_engine_set_opening(engine, criterion, value_, expansion) &
            bind(c, name="nbody_engine_set_opening") result(status)
            import :: c_double, c_int32_t, nbody_engine
            type(nbody_engine), value :: engine
            integer(c_int32_t), value :: criterion
            real(c_double), value :: value_
            integer(c_int32_t), value :: expansion
            integer(c_int32_t) :: status
        end function
        function c_engine_exclude(engine, n, pairs) bind(c, name="nbody_engine_exclude") &
            result(status)
            import :: c_int32_t, c_size_t, nbody_engine
            type(nbody_engine), value :: engine
            integer(c_size_t), value :: n
            integer(c_int32_t), intent(in) :: pairs(*)
            integer(c_int32_t) :: status
        end function
        function c_engine_upload(engine, record, n, columns, count, particles) &
            bind(c, name="nbody_engine_upload") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer, nbody_engine
            type(nbody_engine), value :: engine
            integer(c_int32_t), value :: record
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            type(nbody_buffer), intent(out) :: particles
            integer(c_int32_t) :: status
        end function
        function c_engine_results(engine, n, results) bind(c, name="nbody_engine_results") &
            result(status)
            import :: c_int32_t, c_size_t, nbody_buffer, nbody_engine
            type(nbody_engine), value :: engine
            integer(c_size_t), value :: n
            type(nbody_buffer), intent(out) :: results
            integer(c_int32_t) :: status
        end function
        function nbody_engine_evaluate(engine, i, j, sources, results, store) &
            bind(c, name="nbody_engine_evaluate") result(status)
            import :: c_int32_t, nbody_buffer, nbody_engine
            type(nbody_engine), value :: engine
            type(nbody_buffer), value :: i
            type(nbody_buffer), value :: j
            integer(c_int32_t), value :: sources
            type(nbody_buffer), value :: results
            integer(c_int32_t), value :: store
            integer(c_int32_t) :: status
        end function
        function nbody_engine_time(engine, i, j, sources, results, seconds) &
            bind(c, name="nbody_engine_time") result(status)
            import :: c_double, c_int32_t, nbody_buffer, nbody_engine
            type(nbody_engine), value :: engine
            type(nbody_buffer), value :: i
            type(nbody_buffer), value :: j
            integer(c_int32_t), value :: sources
            type(nbody_buffer), value :: results
            real(c_double), intent(out) :: seconds
            integer(c_int32_t) :: status
        end function
        function nbody_engine_free(engine) bind(c, name="nbody_engine_free") result(status)
            import :: c_int32_t, nbody_engine
            type(nbody_engine), value :: engine
            integer(c_int32_t) :: status
        end function

        function c_buffer_count(buffer, count) bind(c, name="nbody_buffer_count") result(status)
            import :: c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: buffer
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: status
        end function
        function c_buffer_resize(results, n) bind(c, name="nbody_buffer_resize") result(status)
            import :: c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: results
            integer(c_size_t), value :: n
            integer(c_int32_t) :: status
        end function
        function c_buffer_write(particles, n, columns, count) &
            bind(c, name="nbody_buffer_write") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: particles
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_buffer_write_at(particles, n, addresses, columns, count) &
            bind(c, name="nbody_buffer_write_at") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: particles
            integer(c_size_t), value :: n
            integer(c_int32_t), intent(in) :: addresses(*)
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function nbody_buffer_append(particles, others) bind(c, name="nbody_buffer_append") &
            result(status)
            import :: c_int32_t, nbody_buffer
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: others
            integer(c_int32_t) :: status
        end function
        function c_buffer_retain(particles, by, field, count) &
            bind(c, name="nbody_buffer_retain") result(status)
            import :: c_char, c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: by
            character(kind=c_char), intent(in) :: field(*)
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: status
        end function
        function c_buffer_read(buffer, first, n, columns, count) &
            bind(c, name="nbody_buffer_read") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer
            type(nbody_buffer), value :: buffer
            integer(c_size_t), value :: first
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function nbody_buffer_free(buffer) bind(c, name="nbody_buffer_free") result(status)
            import :: c_int32_t, nbody_buffer
            type(nbody_buffer), value :: buffer
            integer(c_int32_t) :: status
        end function

        function c_runner_create(device, program, parameters, count, runner) &
            bind(c, name="nbody_runner_create") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_device, nbody_program, nbody_runner
            type(nbody_device), value :: device
            type(nbody_program), value :: program
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            type(nbody_runner), intent(out) :: runner
            integer(c_int32_t) :: status
        end function
        function c_runner_set_parameters(runner, parameters, count) &
            bind(c, name="nbody_runner_set_parameters") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_runner
            type(nbody_runner), value :: runner
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_runner_set_domain(runner, lengths, wraps) &
            bind(c, name="nbody_runner_set_domain") result(status)
            import :: c_int32_t, c_ptr, nbody_runner
            type(nbody_runner), value :: runner
            type(c_ptr), value :: lengths
            integer(c_int32_t), value :: wraps
            integer(c_int32_t) :: status
        end function
        function c_runner_set_triclinic(runner, vectors, wraps) &
            bind(c, name="nbody_runner_set_triclinic") result(status)
            import :: c_double, c_int32_t, nbody_runner
            type(nbody_runner), value :: runner
            real(c_double), intent(in) :: vectors(3, 3)
            integer(c_int32_t), value :: wraps
            integer(c_int32_t) :: status
        end function
        function c_runner_upload(runner, record, precision, n, columns, count, particles) &
            bind(c, name="nbody_runner_upload") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            integer(c_int32_t), value :: record
            integer(c_int32_t), value :: precision
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            type(nbody_buffer), intent(out) :: particles
            integer(c_int32_t) :: status
        end function
        function nbody_runner_total(runner, total) &
            bind(c, name="nbody_runner_total") result(status)
            import :: c_int32_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), intent(out) :: total
            integer(c_int32_t) :: status
        end function
        function c_runner_update(runner, particles, inputs, count) &
            bind(c, name="nbody_runner_update") result(status)
            import :: c_int32_t, c_size_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), value :: particles
            type(nbody_buffer), intent(in) :: inputs(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_runner_measure_into(runner, particles, inputs, count, total) &
            bind(c, name="nbody_runner_measure_into") result(status)
            import :: c_int32_t, c_size_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), value :: particles
            type(nbody_buffer), intent(in) :: inputs(*)
            integer(c_size_t), value :: count
            type(nbody_buffer), value :: total
            integer(c_int32_t) :: status
        end function
        function c_runner_measure(runner, particles, inputs, inputs_count, total, count) &
            bind(c, name="nbody_runner_measure") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), value :: particles
            type(nbody_buffer), intent(in) :: inputs(*)
            integer(c_size_t), value :: inputs_count
            real(c_double), intent(out) :: total(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function nbody_runner_free(runner) bind(c, name="nbody_runner_free") result(status)
            import :: c_int32_t, nbody_runner
            type(nbody_runner), value :: runner
            integer(c_int32_t) :: status
        end function

        function c_tuples_create(device, program, parameters, count, options, tuples) &
            bind(c, name="nbody_tuples_create") result(status)
            import :: c_double, c_int32_t, c_ptr, c_size_t, nbody_device, nbody_program, nbody_tuples
            type(nbody_device), value :: device
            type(nbody_program), value :: program
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            type(c_ptr), value :: options
            type(nbody_tuples), intent(out) :: tuples
            integer(c_int32_t) :: status
        end function
        function c_tuples_set_parameters(tuples, parameters, count) &
            bind(c, name="nbody_tuples_set_parameters") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_tuples
            type(nbody_tuples), value :: tuples
            real(c_double), intent(in) :: parameters(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_tuples_set_domain(tuples, lengths) bind(c, name="nbody_tuples_set_domain") &
            result(status)
            import :: c_int32_t, c_ptr, nbody_tuples
            type(nbody_tuples), value :: tuples
            type(c_ptr), value :: lengths
            integer(c_int32_t) :: status
        end function
        function c_tuples_set(tuples, particles, n, members, indices, stride, columns, count) &
            bind(c, name="nbody_tuples_set") result(status)
            import :: c_column, c_int32_t, c_intptr_t, c_size_t, nbody_tuples
            type(nbody_tuples), value :: tuples
            integer(c_size_t), value :: particles
            integer(c_size_t), value :: n
            integer(c_size_t), value :: members
            integer(c_int32_t), intent(in) :: indices(*)
            integer(c_intptr_t), value :: stride
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function c_tuples_count(tuples, count) bind(c, name="nbody_tuples_count") result(status)
            import :: c_int32_t, c_size_t, nbody_tuples
            type(nbody_tuples), value :: tuples
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: status
        end function
        function c_tuples_upload(tuples, n, columns, count, particles) &
            bind(c, name="nbody_tuples_upload") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_buffer, nbody_tuples
            type(nbody_tuples), value :: tuples
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            type(nbody_buffer), intent(out) :: particles
            integer(c_int32_t) :: status
        end function
        function c_tuples_results(tuples, n, results) bind(c, name="nbody_tuples_results") &
            result(status)
            import :: c_int32_t, c_size_t, nbody_buffer, nbody_tuples
            type(nbody_tuples), value :: tuples
            integer(c_size_t), value :: n
            type(nbody_buffer), intent(out) :: results
            integer(c_int32_t) :: status
        end function
        function nbody_tuples_evaluate(tuples, particles, results, store) &
            bind(c, name="nbody_tuples_evaluate") result(status)
            import :: c_int32_t, nbody_buffer, nbody_tuples
            type(nbody_tuples), value :: tuples
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: results
            integer(c_int32_t), value :: store
            integer(c_int32_t) :: status
        end function
        function nbody_tuples_time(tuples, particles, results, store, seconds) &
            bind(c, name="nbody_tuples_time") result(status)
            import :: c_double, c_int32_t, nbody_buffer, nbody_tuples
            type(nbody_tuples), value :: tuples
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: results
            integer(c_int32_t), value :: store
            real(c_double), intent(out) :: seconds
            integer(c_int32_t) :: status
        end function
        function nbody_tuples_free(tuples) bind(c, name="nbody_tuples_free") result(status)
            import :: c_int32_t, nbody_tuples
            type(nbody_tuples), value :: tuples
            integer(c_int32_t) :: status
        end function

        function c_integrator_create(engine, n, columns, count, steps, integrator) &
            bind(c, name="nbody_integrator_create") result(status)
            import :: c_column, c_int32_t, c_size_t, nbody_engine, nbody_integrator, nbody_steps
            type(nbody_engine), value :: engine
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            type(nbody_steps), intent(in) :: steps
            type(nbody_integrator), intent(out) :: integrator
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_advance(integrator) &
            bind(c, name="nbody_integrator_advance") result(status)
            import :: c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_advance_to(integrator, time) &
            bind(c, name="nbody_integrator_advance_to") result(status)
            import :: c_double, c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            real(c_double), value :: time
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_time(integrator, time, next) &
            bind(c, name="nbody_integrator_time") result(status)
            import :: c_double, c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            real(c_double), intent(out) :: time
            real(c_double), intent(out) :: next
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_count(integrator, steps, particle_steps) &
            bind(c, name="nbody_integrator_count") result(status)
            import :: c_int32_t, c_int64_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            integer(c_int64_t), intent(out) :: steps
            integer(c_int64_t), intent(out) :: particle_steps
            integer(c_int32_t) :: status
        end function
        function c_integrator_read(integrator, time, n, columns, count) &
            bind(c, name="nbody_integrator_read") result(status)
            import :: c_column, c_double, c_int32_t, c_size_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            real(c_double), value :: time
            integer(c_size_t), value :: n
            type(c_column), intent(in) :: columns(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_energies(integrator, kinetic, potential) &
            bind(c, name="nbody_integrator_energies") result(status)
            import :: c_double, c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            real(c_double), intent(out) :: kinetic
            real(c_double), intent(out) :: potential
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_set_step(integrator, step) &
            bind(c, name="nbody_integrator_set_step") result(status)
            import :: c_double, c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            real(c_double), value :: step
            integer(c_int32_t) :: status
        end function
        function c_integrator_set_wrap(integrator, wraps) &
            bind(c, name="nbody_integrator_set_wrap") result(status)
            import :: c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            integer(c_int32_t), value :: wraps
            integer(c_int32_t) :: status
        end function
        function c_integrator_save(integrator, path) bind(c, name="nbody_integrator_save") &
            result(status)
            import :: c_char, c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int32_t) :: status
        end function
        function c_integrator_resume(engine, path, integrator, n) &
            bind(c, name="nbody_integrator_resume") result(status)
            import :: c_char, c_int32_t, c_size_t, nbody_engine, nbody_integrator
            type(nbody_engine), value :: engine
            character(kind=c_char), intent(in) :: path(*)
            type(nbody_integrator), intent(out) :: integrator
            integer(c_size_t), intent(out) :: n
            integer(c_int32_t) :: status
        end function
        function nbody_integrator_free(integrator) &
            bind(c, name="nbody_integrator_free") result(status)
            import :: c_int32_t, nbody_integrator
            type(nbody_integrator), value :: integrator
            integer(c_int32_t) :: status
        end function
    end interface

contains

    ! Returns the text of a C string.
    function text_of(string) result(text)
        type(c_ptr), intent(in) :: string
        character(:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        integer :: k
        if (.not. c_associated(string)) then
            text = ""
            return
        end if
        call c_f_pointer(string, characters, [c_strlen(string)])
        allocate (character(size(characters)) :: text)
        do k = 1, size(characters)
            text(k:k) = characters(k)
        end do
    end function

    ! Returns a text as a C string.
    pure function c_text(text) result(characters)
        character(*), intent(in) :: text
        character(kind=c_char) :: characters(len_trim(text) + 1)
        integer :: k
        do k = 1, len_trim(text)
            characters(k) = text(k:k)
        end do
        characters(len_trim(text) + 1) = c_null_char
    end function

    ! Returns the message of the last call of this thread that failed.
    function nbody_message() result(text)
        character(:), allocatable :: text
        text = text_of(c_last_message())
    end function

    ! Returns the version of nbody.
    function nbody_version_text() result(text)
        character(:), allocatable :: text
        text = text_of(c_version())
    end function

    ! Columns

    ! Returns the bytes between two numbers.
    function bytes(from, to)
        type(c_ptr), intent(in) :: from, to
        integer(c_intptr_t) :: bytes
        bytes = transfer(to, bytes) - transfer(from, bytes)
    end function

    function of_f32(field, x) result(column)
        character(*), intent(in) :: field
        real(c_float), target, intent(in) :: x(:)
        type(nbody_column) :: column
        column = column_of(field, nbody_f32)
        column%records = size(x, kind=c_size_t)
        if (size(x) > 0) column%data = c_loc(x(1))
        if (size(x) > 1) column%record_stride = bytes(c_loc(x(1)), c_loc(x(2)))
    end function

    function of_f64(field, x) result(column)
        character(*), intent(in) :: field
        real(c_double), target, intent(in) :: x(:)
        type(nbody_column) :: column
        column = column_of(field, nbody_f64)
        column%records = size(x, kind=c_size_t)
        if (size(x) > 0) column%data = c_loc(x(1))
        if (size(x) > 1) column%record_stride = bytes(c_loc(x(1)), c_loc(x(2)))
    end function

    function of_i32(field, x) result(column)
        character(*), intent(in) :: field
        integer(c_int32_t), target, intent(in) :: x(:)
        type(nbody_column) :: column
        column = column_of(field, nbody_i32)
        column%records = size(x, kind=c_size_t)
        if (size(x) > 0) column%data = c_loc(x(1))
        if (size(x) > 1) column%record_stride = bytes(c_loc(x(1)), c_loc(x(2)))
    end function

    function of_i64(field, x) result(column)
        character(*), intent(in) :: field
        integer(c_int64_t), target, intent(in) :: x(:)
        type(nbody_column) :: column
        column = column_of(field, nbody_i64)
        column%records = size(x, kind=c_size_t)
        if (size(x) > 0) column%data = c_loc(x(1))
        if (size(x) > 1) column%record_stride = bytes(c_loc(x(1)), c_loc(x(2)))
    end function

    function of_f32s(field, x, components_last) result(column)
        character(*), intent(in) :: field
        real(c_float), target, intent(in) :: x(:, :)
        logical, optional, intent(in) :: components_last
        type(nbody_column) :: column
        integer(c_intptr_t) :: strides(2)
        strides = 0
        column = column_of(field, nbody_f32)
        if (size(x) > 0) then
            column%data = c_loc(x(1, 1))
            if (size(x, 1) > 1) strides(1) = bytes(c_loc(x(1, 1)), c_loc(x(2, 1)))
            if (size(x, 2) > 1) strides(2) = bytes(c_loc(x(1, 1)), c_loc(x(1, 2)))
        end if
        call set_strides(column, shape(x, kind=c_size_t), strides, components_last)
    end function

    function of_f64s(field, x, components_last) result(column)
        character(*), intent(in) :: field
        real(c_double), target, intent(in) :: x(:, :)
        logical, optional, intent(in) :: components_last
        type(nbody_column) :: column
        integer(c_intptr_t) :: strides(2)
        strides = 0
        column = column_of(field, nbody_f64)
        if (size(x) > 0) then
            column%data = c_loc(x(1, 1))
            if (size(x, 1) > 1) strides(1) = bytes(c_loc(x(1, 1)), c_loc(x(2, 1)))
            if (size(x, 2) > 1) strides(2) = bytes(c_loc(x(1, 1)), c_loc(x(1, 2)))
        end if
        call set_strides(column, shape(x, kind=c_size_t), strides, components_last)
    end function

    function column_of(field, type) result(column)
        character(*), intent(in) :: field
        integer(c_int32_t), intent(in) :: type
        type(nbody_column) :: column
        column%field = field
        column%type = type
    end function

    subroutine set_strides(column, sizes, strides, components_last)
        type(nbody_column), intent(inout) :: column
        integer(c_size_t), intent(in) :: sizes(2)
        integer(c_intptr_t), intent(in) :: strides(2)
        logical, optional, intent(in) :: components_last
        logical :: is_last
        is_last = .false.
        if (present(components_last)) is_last = components_last
        if (is_last) then
            column%records = sizes(1)
            column%record_stride = strides(1)
            column%component_stride = strides(2)
        else
            column%records = sizes(2)
            column%component_stride = strides(1)
            column%record_stride = strides(2)
        end if
    end subroutine

    ! Sets the columns of the library for n records; their names point to `names`.
    subroutine c_columns(columns, n, names, converted)
        type(nbody_column), intent(in) :: columns(:)
        integer(c_size_t), intent(in) :: n
        character(kind=c_char), target, intent(out) :: names(name_length + 1, size(columns))
        type(c_column), intent(out) :: converted(size(columns))
        character(name_length) :: name
        character(name_length + 64) :: short
        integer :: k, at
        names = c_null_char
        do k = 1, size(columns)
            name = columns(k)%field
            if (columns(k)%records < n) then
                ! No field has this name, so that the library refuses it and its message shows why.
                write (short, '(2a, i0, a, i0, a)') trim(name(:16)), " (array of ", columns(k)%records, &
                    " records, expected ", n, ")"
                name = short(:name_length)
            end if
            do at = 1, len_trim(name)
                names(at, k) = name(at:at)
            end do
            converted(k)%field = c_loc(names(1, k))
            converted(k)%data = columns(k)%data
            converted(k)%type = columns(k)%type
            converted(k)%memory = columns(k)%memory
            converted(k)%record_stride = columns(k)%record_stride
            converted(k)%component_stride = columns(k)%component_stride
        end do
    end subroutine

    ! Devices

    function nbody_device_open(name, device) result(status)
        character(*), intent(in) :: name
        type(nbody_device), intent(out) :: device
        integer(c_int32_t) :: status
        status = c_device_open(c_text(name), device)
    end function

    ! Connects the devices of all ranks of a communicator (of `mpi_f08`, its `mpi_val`). For trees each
    ! rank has all particles (`nbody_replicated`), or its own (`nbody_distributed`).
    function nbody_device_over_mpi(name, communicator, device, trees) result(status)
        character(*), intent(in) :: name
        integer, intent(in) :: communicator
        type(nbody_device), intent(out) :: device
        integer(c_int32_t), intent(in), optional :: trees
        integer(c_int32_t) :: status, kind
        kind = nbody_replicated
        if (present(trees)) kind = trees
        status = c_device_over_mpi(c_text(name), int(communicator, c_int32_t), kind, device)
    end function

    function nbody_device_text(device, text) result(status)
        type(nbody_device), intent(in) :: device
        character(:), allocatable, intent(out) :: text
        integer(c_int32_t) :: status
        character(kind=c_char), target :: characters(256)
        characters = c_null_char
        status = c_device_name(device, characters, int(size(characters), c_size_t))
        text = text_of(c_loc(characters(1)))
    end function

    ! Laws and programs

    ! Returns the name of the ready law k, from 1 on; empty after the last.
    function nbody_law_ready_text(k) result(text)
        integer, intent(in) :: k
        character(:), allocatable :: text
        text = text_of(c_law_ready_name(int(k - 1, c_size_t)))
    end function

    function nbody_law_ready(name, law) result(status)
        character(*), intent(in) :: name
        type(nbody_law), intent(out) :: law
        integer(c_int32_t) :: status
        status = c_law_ready(c_text(name), law)
    end function

    function nbody_law_declare(text, law, name) result(status)
        character(*), intent(in) :: text
        type(nbody_law), intent(out) :: law
        character(*), optional, intent(in) :: name
        integer(c_int32_t) :: status
        character(kind=c_char), allocatable, target :: characters(:)
        type(c_ptr) :: chosen
        chosen = c_null_ptr
        if (present(name)) then
            characters = c_text(name)
            chosen = c_loc(characters(1))
        end if
        status = c_law_declare(c_text(text), int(len_trim(text), c_size_t), chosen, law)
    end function

    function nbody_law_read(path, law, name) result(status)
        character(*), intent(in) :: path
        type(nbody_law), intent(out) :: law
        character(*), optional, intent(in) :: name
        integer(c_int32_t) :: status
        character(kind=c_char), allocatable, target :: characters(:)
        type(c_ptr) :: chosen
        chosen = c_null_ptr
        if (present(name)) then
            characters = c_text(name)
            chosen = c_loc(characters(1))
        end if
        status = c_law_read(c_text(path), chosen, law)
    end function

    ! Returns the name of the ready program k, from 1 on; empty after the last.
    function nbody_program_ready_text(k) result(text)
        integer, intent(in) :: k
        character(:), allocatable :: text
        text = text_of(c_program_ready_name(int(k - 1, c_size_t)))
    end function

    function nbody_program_ready(name, program) result(status)
        character(*), intent(in) :: name
        type(nbody_program), intent(out) :: program
        integer(c_int32_t) :: status
        status = c_program_ready(c_text(name), program)
    end function

    function nbody_program_declare(text, program, name) result(status)
        character(*), intent(in) :: text
        type(nbody_program), intent(out) :: program
        character(*), optional, intent(in) :: name
        integer(c_int32_t) :: status
        character(kind=c_char), allocatable, target :: characters(:)
        type(c_ptr) :: chosen
        chosen = c_null_ptr
        if (present(name)) then
            characters = c_text(name)
            chosen = c_loc(characters(1))
        end if
        status = c_program_declare(c_text(text), int(len_trim(text), c_size_t), chosen, program)
    end function

    function nbody_program_read(path, program, name) result(status)
        character(*), intent(in) :: path
        type(nbody_program), intent(out) :: program
        character(*), optional, intent(in) :: name
        integer(c_int32_t) :: status
        character(kind=c_char), allocatable, target :: characters(:)
        type(c_ptr) :: chosen
        chosen = c_null_ptr
        if (present(name)) then
            characters = c_text(name)
            chosen = c_loc(characters(1))
        end if
        status = c_program_read(c_text(path), chosen, program)
    end function

    !> Returns the numbers of a spline with these values, and slopes for nbody_spline_hermite, at knots at equal
    !> distances: a parameter of a law.
    function nbody_spline_numbers(kind, first, last, values, numbers, slopes) result(status)
        integer(c_int32_t), intent(in) :: kind
        real(c_double), intent(in) :: first, last, values(:)
        real(c_double), allocatable, intent(out) :: numbers(:)
        real(c_double), intent(in), optional :: slopes(:)
        integer(c_int32_t) :: status
        real(c_double) :: given(size(values))
        given = 0
        if (present(slopes)) given = slopes
        allocate (numbers(4*(size(values) + 2)))
        status = c_spline(kind, first, last, values, given, size(values, kind=c_size_t), numbers, &
                          size(numbers, kind=c_size_t))
    end function

    function nbody_law_fields(law, record, fields) result(status)
        type(nbody_law), intent(in) :: law
        integer(c_int32_t), intent(in) :: record
        type(nbody_field), allocatable, intent(out) :: fields(:)
        integer(c_int32_t) :: status
        type(c_field), allocatable :: found(:)
        integer(c_size_t) :: n, count
        count = 0
        allocate (found(0))
        status = c_law_fields(law, record, found, 0_c_size_t, count)
        deallocate (found)
        n = merge(count, 0_c_size_t, status == nbody_ok)
        allocate (found(n))
        if (status == nbody_ok) status = c_law_fields(law, record, found, n, count)
        call set_fields(found, fields)
    end function

    function nbody_program_fields(program, record, fields) result(status)
        type(nbody_program), intent(in) :: program
        integer(c_int32_t), intent(in) :: record
        type(nbody_field), allocatable, intent(out) :: fields(:)
        integer(c_int32_t) :: status
        type(c_field), allocatable :: found(:)
        integer(c_size_t) :: n, count
        count = 0
        allocate (found(0))
        status = c_program_fields(program, record, found, 0_c_size_t, count)
        deallocate (found)
        n = merge(count, 0_c_size_t, status == nbody_ok)
        allocate (found(n))
        if (status == nbody_ok) status = c_program_fields(program, record, found, n, count)
        call set_fields(found, fields)
    end function

    subroutine set_fields(found, fields)
        type(c_field), intent(in) :: found(:)
        type(nbody_field), allocatable, intent(out) :: fields(:)
        integer :: k
        allocate (fields(size(found)))
        do k = 1, size(found)
            fields(k)%name = text_of(found(k)%name)
            fields(k)%kind = found(k)%kind
            fields(k)%components = found(k)%components
        end do
    end subroutine

    ! Engines

    ! Copies options and sets their size; returns their address, or NULL.
    function c_options(options, kept) result(address)
        type(nbody_options), optional, intent(in) :: options
        type(nbody_options), target, intent(out) :: kept
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(options)) then
            kept = options
            kept%size = c_sizeof(kept)
            address = c_loc(kept)
        end if
    end function

    function nbody_engine_all_pairs(device, law, parameters, engine, options) result(status)
        type(nbody_device), intent(in) :: device
        type(nbody_law), intent(in) :: law
        real(c_double), intent(in) :: parameters(:)
        type(nbody_engine), intent(out) :: engine
        type(nbody_options), optional, intent(in) :: options
        integer(c_int32_t) :: status
        type(nbody_options), target :: kept
        type(c_ptr) :: address
        address = c_options(options, kept)
        status = c_engine_all_pairs(device, law, parameters, &
            size(parameters, kind=c_size_t), address, engine)
    end function

    function nbody_engine_tree(device, law, parameters, criterion, value_, expansion, engine, &
        options) result(status)
        type(nbody_device), intent(in) :: device
        type(nbody_law), intent(in) :: law
        real(c_double), intent(in) :: parameters(:)
        integer(c_int32_t), intent(in) :: criterion
        real(c_double), intent(in) :: value_
        integer(c_int32_t), intent(in) :: expansion
        type(nbody_engine), intent(out) :: engine
        type(nbody_options), optional, intent(in) :: options
        integer(c_int32_t) :: status
        type(nbody_options), target :: kept
        type(c_ptr) :: address
        address = c_options(options, kept)
        status = c_engine_tree(device, law, parameters, size(parameters, kind=c_size_t), &
            criterion, value_, expansion, address, engine)
    end function

    function nbody_engine_lists(device, law, parameters, skin, engine, options) result(status)
        type(nbody_device), intent(in) :: device
        type(nbody_law), intent(in) :: law
        real(c_double), intent(in) :: parameters(:)
        real(c_double), intent(in) :: skin
        type(nbody_engine), intent(out) :: engine
        type(nbody_options), optional, intent(in) :: options
        integer(c_int32_t) :: status
        type(nbody_options), target :: kept
        type(c_ptr) :: address
        address = c_options(options, kept)
        status = c_engine_lists(device, law, parameters, size(parameters, kind=c_size_t), skin, &
            address, engine)
    end function

    function nbody_engine_set_parameters(engine, parameters) result(status)
        type(nbody_engine), intent(in) :: engine
        real(c_double), intent(in) :: parameters(:)
        integer(c_int32_t) :: status
        status = c_engine_set_parameters(engine, parameters, size(parameters, kind=c_size_t))
    end function

    ! Sets the domain: a periodic box of three lengths, or open space without them.
    function nbody_engine_set_domain(engine, lengths) result(status)
        type(nbody_engine), intent(in) :: engine
        real(c_double), optional, intent(in) :: lengths(3)
        integer(c_int32_t) :: status
        real(c_double), target :: kept(3)
        if (present(lengths)) then
            kept = lengths
            status = c_engine_set_domain(engine, c_loc(kept))
        else
            status = c_engine_set_domain(engine, c_null_ptr)
        end if
    end function

    ! Leaves out pairs(2, n), whose indices begin with 0.
    function nbody_engine_exclude(engine, pairs) result(status)
        type(nbody_engine), intent(in) :: engine
        integer(c_int32_t), intent(in) :: pairs(:, :)
        integer(c_int32_t) :: status
        integer(c_int32_t) :: kept(2, size(pairs, 2))
        if (size(pairs, 1) /= 2) error stop "nbody_engine_exclude: pairs(2, n) expected"
        kept = pairs
        status = c_engine_exclude(engine, size(pairs, 2, kind=c_size_t), kept)
    end function

    function nbody_engine_upload(engine, record, n, columns, particles) result(status)
        type(nbody_engine), intent(in) :: engine
        integer(c_int32_t), intent(in) :: record
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        type(nbody_buffer), intent(out) :: particles
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_engine_upload(engine, record, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t), particles)
    end function

    function nbody_engine_results(engine, n, results) result(status)
        type(nbody_engine), intent(in) :: engine
        integer, intent(in) :: n
        type(nbody_buffer), intent(out) :: results
        integer(c_int32_t) :: status
        status = c_engine_results(engine, int(n, c_size_t), results)
    end function

    ! Buffers

    function nbody_buffer_count(buffer, n) result(status)
        type(nbody_buffer), intent(in) :: buffer
        integer(c_size_t), intent(out) :: n
        integer(c_int32_t) :: status
        status = c_buffer_count(buffer, n)
    end function

    function nbody_buffer_resize(results, n) result(status)
        type(nbody_buffer), intent(in) :: results
        integer, intent(in) :: n
        integer(c_int32_t) :: status
        status = c_buffer_resize(results, int(n, c_size_t))
    end function

    function nbody_buffer_write(particles, n, columns) result(status)
        type(nbody_buffer), intent(in) :: particles
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_buffer_write(particles, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t))
    end function

    ! Replaces fields of particles at addresses, which begin with 0.
    function nbody_buffer_write_at(particles, addresses, columns) result(status)
        type(nbody_buffer), intent(in) :: particles
        integer(c_int32_t), intent(in) :: addresses(:)
        type(nbody_column), intent(in) :: columns(:)
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, size(addresses, kind=c_size_t), names, converted)
        status = c_buffer_write_at(particles, size(addresses, kind=c_size_t), addresses, &
            converted, size(columns, kind=c_size_t))
    end function

    ! Keeps the particles where a field of integers is not zero, and returns their number: a field of the
    ! same record of `by`, or of the particles themselves without it.
    function nbody_buffer_retain(particles, field, n, by) result(status)
        type(nbody_buffer), intent(in) :: particles
        character(*), intent(in) :: field
        integer(c_size_t), intent(out) :: n
        type(nbody_buffer), optional, intent(in) :: by
        integer(c_int32_t) :: status
        type(nbody_buffer) :: flags
        if (present(by)) flags = by
        status = c_buffer_retain(particles, flags, c_text(field), n)
    end function

    ! Copies fields of n records; `first` begins with 0.
    function nbody_buffer_read(buffer, first, n, columns) result(status)
        type(nbody_buffer), intent(in) :: buffer
        integer, intent(in) :: first
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_buffer_read(buffer, int(first, c_size_t), int(n, c_size_t), converted, &
            size(columns, kind=c_size_t))
    end function

    ! Runners

    function nbody_runner_create(device, program, parameters, runner) result(status)
        type(nbody_device), intent(in) :: device
        type(nbody_program), intent(in) :: program
        real(c_double), intent(in) :: parameters(:)
        type(nbody_runner), intent(out) :: runner
        integer(c_int32_t) :: status
        status = c_runner_create(device, program, parameters, size(parameters, kind=c_size_t), &
            runner)
    end function

    function nbody_runner_set_parameters(runner, parameters) result(status)
        type(nbody_runner), intent(in) :: runner
        real(c_double), intent(in) :: parameters(:)
        integer(c_int32_t) :: status
        status = c_runner_set_parameters(runner, parameters, size(parameters, kind=c_size_t))
    end function

    ! Sets a periodic box, and whether updates wrap positions into it; open space without lengths.
    function nbody_runner_set_domain(runner, wraps, lengths) result(status)
        type(nbody_runner), intent(in) :: runner
        logical, intent(in) :: wraps
        real(c_double), optional, intent(in) :: lengths(3)
        integer(c_int32_t) :: status
        real(c_double), target :: kept(3)
        type(c_ptr) :: address
        address = c_null_ptr
        if (present(lengths)) then
            kept = lengths
            address = c_loc(kept)
        end if
        status = c_runner_set_domain(runner, address, merge(1_c_int32_t, 0_c_int32_t, wraps))
    end function

    ! Sets a triclinic box of the vectors a, b and c, and whether updates wrap positions into it.
    function nbody_runner_set_triclinic(runner, wraps, vectors) result(status)
        type(nbody_runner), intent(in) :: runner
        logical, intent(in) :: wraps
        real(c_double), intent(in) :: vectors(3, 3)
        integer(c_int32_t) :: status
        status = c_runner_set_triclinic(runner, vectors, merge(1_c_int32_t, 0_c_int32_t, wraps))
    end function

    function nbody_runner_upload(runner, record, precision, n, columns, particles) result(status)
        type(nbody_runner), intent(in) :: runner
        integer(c_int32_t), intent(in) :: record
        integer(c_int32_t), intent(in) :: precision
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        type(nbody_buffer), intent(out) :: particles
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_runner_upload(runner, record, precision, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t), particles)
    end function

    ! Updates each particle. The inputs are the buffers that the program reads besides the particles, in
    ! the order of its function: second particles, results, totals.
    function nbody_runner_update(runner, particles, inputs) result(status)
        type(nbody_runner), intent(in) :: runner
        type(nbody_buffer), intent(in) :: particles
        type(nbody_buffer), intent(in) :: inputs(:)
        integer(c_int32_t) :: status
        status = c_runner_update(runner, particles, inputs, size(inputs, kind=c_size_t))
    end function

    ! Writes the total of a measure over all particles to a buffer of nbody_runner_total.
    function nbody_runner_measure_into(runner, particles, inputs, total) result(status)
        type(nbody_runner), intent(in) :: runner
        type(nbody_buffer), intent(in) :: particles
        type(nbody_buffer), intent(in) :: inputs(:)
        type(nbody_buffer), intent(in) :: total
        integer(c_int32_t) :: status
        status = c_runner_measure_into(runner, particles, inputs, size(inputs, kind=c_size_t), total)
    end function

    ! Returns the total of a measure: the numbers of its record.
    function nbody_runner_measure(runner, particles, inputs, total) result(status)
        type(nbody_runner), intent(in) :: runner
        type(nbody_buffer), intent(in) :: particles
        type(nbody_buffer), intent(in) :: inputs(:)
        real(c_double), intent(inout) :: total(:)
        integer(c_int32_t) :: status
        real(c_double) :: kept(size(total))
        kept = total
        status = c_runner_measure(runner, particles, inputs, size(inputs, kind=c_size_t), kept, &
            size(total, kind=c_size_t))
        total = kept
    end function

    ! Tuples

    ! Creates an engine without tuples. The options give the precision of particles and results, and
    ! the box.
    function nbody_tuples_create(device, program, parameters, tuples, options) result(status)
        type(nbody_device), intent(in) :: device
        type(nbody_program), intent(in) :: program
        real(c_double), intent(in) :: parameters(:)
        type(nbody_tuples), intent(out) :: tuples
        type(nbody_options), optional, intent(in) :: options
        integer(c_int32_t) :: status
        type(nbody_options), target :: kept
        type(c_ptr) :: address
        address = c_options(options, kept)
        status = c_tuples_create(device, program, parameters, size(parameters, kind=c_size_t), &
            address, tuples)
    end function

    function nbody_tuples_set_parameters(tuples, parameters) result(status)
        type(nbody_tuples), intent(in) :: tuples
        real(c_double), intent(in) :: parameters(:)
        integer(c_int32_t) :: status
        status = c_tuples_set_parameters(tuples, parameters, size(parameters, kind=c_size_t))
    end function

    ! Sets the domain: a periodic box of three lengths, or open space without them.
    function nbody_tuples_set_domain(tuples, lengths) result(status)
        type(nbody_tuples), intent(in) :: tuples
        real(c_double), optional, intent(in) :: lengths(3)
        integer(c_int32_t) :: status
        real(c_double), target :: kept(3)
        if (present(lengths)) then
            kept = lengths
            status = c_tuples_set_domain(tuples, c_loc(kept))
        else
            status = c_tuples_set_domain(tuples, c_null_ptr)
        end if
    end function

    ! Replaces the tuples by indices(members, n), which begin with 0, among this number of particles. The
    ! record of the tuples has a column for each field; [nbody_column ::] if there is none.
    function nbody_tuples_set(tuples, particles, indices, columns) result(status)
        type(nbody_tuples), intent(in) :: tuples
        integer, intent(in) :: particles
        integer(c_int32_t), intent(in) :: indices(:, :)
        type(nbody_column), intent(in) :: columns(:)
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        integer(c_int32_t), allocatable :: kept(:, :)
        allocate (kept(size(indices, 1), size(indices, 2)), source=indices)
        call c_columns(columns, size(indices, 2, kind=c_size_t), names, converted)
        status = c_tuples_set(tuples, int(particles, c_size_t), size(indices, 2, kind=c_size_t), &
            size(indices, 1, kind=c_size_t), kept, 0_c_intptr_t, converted, &
            size(columns, kind=c_size_t))
    end function

    function nbody_tuples_count(tuples, n) result(status)
        type(nbody_tuples), intent(in) :: tuples
        integer(c_size_t), intent(out) :: n
        integer(c_int32_t) :: status
        status = c_tuples_count(tuples, n)
    end function

    function nbody_tuples_upload(tuples, n, columns, particles) result(status)
        type(nbody_tuples), intent(in) :: tuples
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        type(nbody_buffer), intent(out) :: particles
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_tuples_upload(tuples, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t), particles)
    end function

    function nbody_tuples_results(tuples, n, results) result(status)
        type(nbody_tuples), intent(in) :: tuples
        integer, intent(in) :: n
        type(nbody_buffer), intent(out) :: results
        integer(c_int32_t) :: status
        status = c_tuples_results(tuples, int(n, c_size_t), results)
    end function

    ! Integrators

    ! Begins a run of n particles: a column for each field of the law's particles, and for pos, vel and
    ! mass.
    function nbody_integrator_create(engine, n, columns, steps, integrator) result(status)
        type(nbody_engine), intent(in) :: engine
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        type(nbody_steps), intent(in) :: steps
        type(nbody_integrator), intent(out) :: integrator
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        type(nbody_steps) :: kept
        kept = steps
        kept%size = c_sizeof(kept)
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_integrator_create(engine, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t), kept, integrator)
    end function

    ! Copies the motions of all n particles at a time within the next step.
    function nbody_integrator_read(integrator, time, n, columns) result(status)
        type(nbody_integrator), intent(in) :: integrator
        real(c_double), intent(in) :: time
        integer, intent(in) :: n
        type(nbody_column), intent(in) :: columns(:)
        integer(c_int32_t) :: status
        character(kind=c_char), target :: names(name_length + 1, size(columns))
        type(c_column) :: converted(size(columns))
        call c_columns(columns, int(n, c_size_t), names, converted)
        status = c_integrator_read(integrator, time, int(n, c_size_t), converted, &
            size(columns, kind=c_size_t))
    end function

    ! Sets whether a leapfrog wraps positions into the periodic box of the engine.
    function nbody_integrator_set_wrap(integrator, wraps) result(status)
        type(nbody_integrator), intent(in) :: integrator
        logical, intent(in) :: wraps
        integer(c_int32_t) :: status
        status = c_integrator_set_wrap(integrator, merge(1_c_int32_t, 0_c_int32_t, wraps))
    end function

    ! Saves the run to a file, from which nbody_integrator_resume goes on with the same bits.
    function nbody_integrator_save(integrator, path) result(status)
        type(nbody_integrator), intent(in) :: integrator
        character(*), intent(in) :: path
        integer(c_int32_t) :: status
        status = c_integrator_save(integrator, c_text(path))
    end function

    ! Resumes a run from its file, with an engine of its law, and returns the number of particles.
    function nbody_integrator_resume(engine, path, integrator, n) result(status)
        type(nbody_engine), intent(in) :: engine
        character(*), intent(in) :: path
        type(nbody_integrator), intent(out) :: integrator
        integer(c_size_t), intent(out) :: n
        integer(c_int32_t) :: status
        status = c_integrator_resume(engine, c_text(path), integrator, n)
    end function
end module
