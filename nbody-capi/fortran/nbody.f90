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
! Arrays of columns have the attribute TARGET; sections such as x(:, 1:n:2) enter without a copy.
! Integers of columns have no sign in nbody: a negative one is an error, and the index of a minimum over
! no pairs is -1. Indices of particles begin with 0, in excluded pairs, addresses and `first` too.
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
    integer(c_int32_t), parameter, public :: nbody_error_fault = 99

    ! Records
    integer(c_int32_t), parameter, public :: nbody_parameters = 1
    integer(c_int32_t), parameter, public :: nbody_i = 2
    integer(c_int32_t), parameter, public :: nbody_j = 3
    integer(c_int32_t), parameter, public :: nbody_f = 4
    integer(c_int32_t), parameter, public :: nbody_p = 5
    integer(c_int32_t), parameter, public :: nbody_q = 6
    integer(c_int32_t), parameter, public :: nbody_total = 7

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

    ! Makes a column from an array: x(n) of a field with one component, x(3, n) of a vector, or
    ! x(n, 3) with components_last = .true.
    interface nbody_column_of
        module procedure of_f32, of_f64, of_i32, of_i64, of_f32s, of_f64s
    end interface
    public :: nbody_column_of

    public :: nbody_message, nbody_version_text, nbody_abi_version
    public :: nbody_device_open, nbody_device_text, nbody_device_free
    public :: nbody_law_ready_text, nbody_law_ready, nbody_law_declare, nbody_law_read
    public :: nbody_law_fields, nbody_program_declare, nbody_program_read, nbody_program_fields
    public :: nbody_engine_all_pairs, nbody_engine_tree, nbody_engine_lists
    public :: nbody_engine_set_parameters, nbody_engine_set_domain, nbody_engine_set_opening
    public :: nbody_engine_exclude, nbody_engine_upload, nbody_engine_results
    public :: nbody_engine_evaluate, nbody_engine_time, nbody_engine_free
    public :: nbody_buffer_count, nbody_buffer_resize, nbody_buffer_write, nbody_buffer_write_at
    public :: nbody_buffer_read, nbody_buffer_free
    public :: nbody_runner_create, nbody_runner_set_parameters, nbody_runner_set_domain
    public :: nbody_runner_upload, nbody_runner_update, nbody_runner_measure, nbody_runner_free

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
        function c_law_fields(law, record, fields, capacity, count) &
            bind(c, name="nbody_law_fields") result(status)
            import :: c_field, c_int32_t, c_size_t, nbody_law
            type(nbody_law), value :: law
            integer(c_int32_t), value :: record
            type(c_field), intent(out) :: fields(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(out) :: count
            integer(c_int32_t) :: status
        end function
        function c_program_fields(program, record, fields, capacity, count) &
            bind(c, name="nbody_program_fields") result(status)
            import :: c_field, c_int32_t, c_size_t, nbody_program
            type(nbody_program), value :: program
            integer(c_int32_t), value :: record
            type(c_field), intent(out) :: fields(*)
            integer(c_size_t), value :: capacity
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
        function nbody_runner_update(runner, particles, second, results) &
            bind(c, name="nbody_runner_update") result(status)
            import :: c_int32_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: second
            type(nbody_buffer), value :: results
            integer(c_int32_t) :: status
        end function
        function c_runner_measure(runner, particles, second, results, total, count) &
            bind(c, name="nbody_runner_measure") result(status)
            import :: c_double, c_int32_t, c_size_t, nbody_buffer, nbody_runner
            type(nbody_runner), value :: runner
            type(nbody_buffer), value :: particles
            type(nbody_buffer), value :: second
            type(nbody_buffer), value :: results
            real(c_double), intent(out) :: total(*)
            integer(c_size_t), value :: count
            integer(c_int32_t) :: status
        end function
        function nbody_runner_free(runner) bind(c, name="nbody_runner_free") result(status)
            import :: c_int32_t, nbody_runner
            type(nbody_runner), value :: runner
            integer(c_int32_t) :: status
        end function
    end interface

contains
