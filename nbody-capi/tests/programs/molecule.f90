! The molecule of molecule.c: x(n, 3), and sections of arrays of indices and constants.
! Arguments: the device, the number of precisions, the input, the output.
program molecule
    use, intrinsic :: iso_c_binding
    use nbody
    implicit none
    integer, parameter :: n = 60
    real(c_double), parameter :: none(0) = 0
    real(c_double), target :: x(n, 3), box(3), of_bonds(2, n), of_angles(2, n), results(5, n)
    real(c_float), target :: k(2 * n), phase(n)
    integer(c_int32_t), target :: types(n), multiplicity(n)
    integer(c_int32_t) :: beads(4, n), near(2, 2 * n - 3)
    real(c_double) :: positions(3, n), parameters(33), seconds
    integer(c_size_t) :: found
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_program) :: kind_of
    type(nbody_engine) :: pairs
    type(nbody_tuples) :: bonds, angles, dihedrals
    type(nbody_buffer) :: atoms, own, forces, alone
    type(nbody_options) :: options
    type(nbody_field), allocatable :: fields(:)
    character(512) :: device_name, precisions, from, to
    integer :: i, last

    call get_command_argument(1, device_name)
    call get_command_argument(2, precisions)
    call get_command_argument(3, from)
    call get_command_argument(4, to)
    read (precisions, *) last
    open (10, file=from, access="stream", form="unformatted", status="old", action="read")
    read (10) positions
    close (10)
    open (10, file=to, access="stream", form="unformatted", status="replace", action="write")
    x = transpose(positions)
    types = 0
    do i = 1, n
        beads(:, i) = i - 1 + [0, 1, 2, 3]
        of_bonds(:, i) = [50.0d0 + (i - 1), 1 + (i - 1) / 64.0d0]
        of_angles(:, i) = [4 + (i - 1) / 8.0d0, 1.75d0 + (i - 1) / 128.0d0]
        k(2 * i - 1) = real(2 + (i - 1) / 4.0d0, c_float)
        phase(i) = real((i - 1) / 32.0d0, c_float)
        multiplicity(i) = 1 + mod(i - 1, 3)
    end do
    near(:, :n - 1) = beads(:2, :n - 1)
    near(:, n:) = beads(1:3:2, :n - 2)
    box = [12, 13, 14]
    parameters(:16) = 0.75d0
    parameters(17:32) = 0.5d0
    parameters(33) = 2.5d0
    options%math = nbody_exact
    options%lengths = c_loc(box)

    call check(nbody_device_open(device_name, device))
    call check(nbody_law_ready("shifted_lennard_jones", law))
    if (nbody_program_ready_text(1) /= "harmonic_bond") error stop "names"
    do i = 1, last
        options%precision = i
        call check(nbody_engine_lists(device, law, parameters, 0.25d0, pairs, options))
        call check(nbody_engine_exclude(pairs, near))
        call check(nbody_engine_upload(pairs, nbody_i, n, [nbody_column_of("pos", x, &
            components_last=.true.), nbody_column_of("kind", types)], atoms))
        call check(nbody_engine_results(pairs, n, forces))
        call check(nbody_program_ready("harmonic_bond", kind_of))
        call check(nbody_program_members(kind_of, found))
        call check(nbody_program_fields(kind_of, nbody_tuple, fields))
        if (found /= 2 .or. size(fields) /= 2) error stop "a bond has two beads and two constants"
        call check(nbody_tuples_create(device, kind_of, none, bonds, options))
        call check(nbody_tuples_set(bonds, n, beads(:2, :n - 1), [ &
            nbody_column_of("k", of_bonds(1, :)), nbody_column_of("length", of_bonds(2, :))]))
        call check(nbody_program_ready("harmonic_angle", kind_of))
        call check(nbody_tuples_create(device, kind_of, none, angles, options))
        call check(nbody_tuples_set(angles, n, beads(:3, :n - 2), [ &
            nbody_column_of("k", of_angles(1, :)), nbody_column_of("angle", of_angles(2, :))]))
        call check(nbody_program_ready("periodic_dihedral", kind_of))
        call check(nbody_tuples_create(device, kind_of, none, dihedrals, options))
        call check(nbody_tuples_set(dihedrals, n, beads(:, :n - 3), [nbody_column_of("k", &
            k(::2)), nbody_column_of("phase", phase), nbody_column_of("n", multiplicity)]))
        call check(nbody_engine_evaluate(pairs, atoms, atoms, nbody_same, forces, nbody_replace))
        call check(nbody_tuples_evaluate(bonds, atoms, forces, nbody_add))
        call check(nbody_tuples_evaluate(angles, atoms, forces, nbody_add))
        call check(nbody_tuples_evaluate(dihedrals, atoms, forces, nbody_add))
        call put(forces)

        call check(nbody_tuples_upload(bonds, n, &
            [nbody_column_of("pos", x, components_last=.true.)], own))
        call check(nbody_tuples_results(bonds, n, alone))
        call check(nbody_tuples_set_domain(bonds))
        call check(nbody_tuples_time(bonds, own, alone, nbody_replace, seconds))
        call put(alone)
        call check(nbody_tuples_set_domain(bonds, box))
        call check(nbody_tuples_evaluate(bonds, own, alone, nbody_add))
        call put(alone)
        call check(nbody_tuples_set_parameters(bonds, none))
        call check(nbody_tuples_count(bonds, found))
        if (found /= n - 1 .or. .not. seconds >= 0) error stop "the number of bonds"
        if (nbody_tuples_set(bonds, n, beads(:, :n - 3), [nbody_column ::]) /= &
            nbody_error_argument) error stop "bonds of four beads"
        if (index(nbody_message(), "tuples of 4 particles, expected 2") == 0) error stop "no reason"
        if (nbody_tuples_set(bonds, n, beads(:2, :n - 1), [nbody_column_of("k", phase(:5)), &
            nbody_column_of("length", phase)]) /= nbody_error_argument) error stop "few constants"
        if (index(nbody_message(), "k (array of 5 records, expected 59)") == 0) error stop "no array"
        call check(nbody_tuples_free(bonds))
        call check(nbody_tuples_free(angles))
        call check(nbody_tuples_free(dihedrals))
    end do
    close (10)

contains

    subroutine put(buffer)
        type(nbody_buffer), intent(in) :: buffer
        call check(nbody_buffer_read(buffer, 0, n, [nbody_column_of("force", results(:3, :)), &
            nbody_column_of("pot", results(4, :)), nbody_column_of("virial", results(5, :))]))
        write (10) results
    end subroutine

    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status /= nbody_ok) then
            print '(a)', nbody_message()
            error stop "a call failed"
        end if
    end subroutine
end program
