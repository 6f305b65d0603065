! A molecule from Fortran: a chain of beads with bonds, angles and dihedrals, and Lennard-Jones forces by
! neighbour lists, all in one buffer of results.
!
!     gfortran $HOME/.local/share/nbody/nbody.f90 molecule.f90 $(pkg-config --libs nbody)
!     ./a.out cpu
program molecule
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    use nbody
    implicit none
    integer, parameter :: n = 40
    real(c_double), parameter :: h = 1.0d-5
    real(c_double), target :: x(3, n), force(3, n), pot(n), box(3)
    real(c_double), target :: k(n), length(n), stiffness(n), bend(n), phase(n)
    integer(c_int32_t), target :: kind(n), multiplicity(n)
    integer(c_int32_t) :: bond(2, n - 1), angle(3, n - 2), dihedral(4, n - 3), near(2, 2 * n - 3)
    real(c_double) :: lennard_jones(33), expected(3, n), energy, error, at, slope
    type(nbody_device) :: device
    type(nbody_law) :: law
    type(nbody_program) :: program_of
    type(nbody_engine) :: pairs
    type(nbody_tuples) :: bonds, angles, dihedrals
    type(nbody_buffer) :: beads, results
    type(nbody_options) :: options
    character(32) :: device_name
    integer :: i, m

    call get_command_argument(1, device_name)
    if (device_name == "") device_name = "best"
    call make_chain()
    box = 40
    options%precision = nbody_double
    options%lengths = c_loc(box)
    lennard_jones(:16) = 1 ! squared diameters of pairs of types
    lennard_jones(17:32) = 0.5d0 ! depths
    lennard_jones(33) = 2.5d0 ! cutoff

    call check(nbody_device_open(device_name, device))
    call check(nbody_law_ready("shifted_lennard_jones", law))
    call check(nbody_engine_lists(device, law, lennard_jones, 0.4d0, pairs, options))
    call check(nbody_engine_exclude(pairs, near))
    call check(nbody_engine_upload(pairs, nbody_i, n, &
        [nbody_column_of("pos", x), nbody_column_of("kind", kind)], beads))
    call check(nbody_engine_results(pairs, n, results))

    call check(nbody_program_ready("harmonic_bond", program_of))
    call check(nbody_tuples_create(device, program_of, [real(c_double) ::], bonds, options))
    call check(nbody_tuples_set(bonds, n, bond, & ! indices begin with 0
        [nbody_column_of("k", k), nbody_column_of("length", length)]))
    call check(nbody_program_ready("harmonic_angle", program_of))
    call check(nbody_tuples_create(device, program_of, [real(c_double) ::], angles, options))
    call check(nbody_tuples_set(angles, n, angle, &
        [nbody_column_of("k", stiffness), nbody_column_of("angle", bend)]))
    call check(nbody_program_ready("periodic_dihedral", program_of))
    call check(nbody_tuples_create(device, program_of, [real(c_double) ::], dihedrals, options))
    call check(nbody_tuples_set(dihedrals, n, dihedral, &
        [nbody_column_of("k", stiffness), nbody_column_of("phase", phase), &
        nbody_column_of("n", multiplicity)]))

    energy = evaluated()
    expected = force
    error = 0
    do i = 1, n, 7
        do m = 1, 3 ! a force is the slope of the energy
            at = x(m, i)
            x(m, i) = at - h
            slope = evaluated()
            x(m, i) = at + h
            slope = (slope - evaluated()) / (2 * h)
            x(m, i) = at
            error = max(error, abs(slope - expected(m, i)))
        end do
    end do
    print '(a, 3f10.5)', "bead 1         force", expected(:, 1)
    print '(a, f12.6)', "energy        ", energy
    print '(a, es8.1)', "largest error ", error
    call check(nbody_tuples_free(bonds))
    call check(nbody_tuples_free(angles))
    call check(nbody_tuples_free(dihedrals))
    call check(nbody_engine_free(pairs))
    call check(nbody_buffer_free(beads))
    call check(nbody_buffer_free(results))
    call check(nbody_device_free(device))
    if (error > 1.0d-4) stop 1

contains

    ! Ends the program with the message of nbody if a call failed.
    subroutine check(status)
        integer(c_int32_t), intent(in) :: status
        if (status == nbody_ok) return
        write (error_unit, '(2a)') "nbody: ", nbody_message()
        stop 1
    end subroutine

    ! Lays the chain along a wave, and names the beads of each bond, angle and dihedral, from 0 on.
    subroutine make_chain()
        integer :: b
        do b = 0, n - 1
            x(:, b + 1) = [0.8d0 * b, 0.6d0 * sin(2.1d0 * b), 0.5d0 * cos(1.3d0 * b)]
            if (b >= 1) bond(:, b) = [b - 1, b]
            if (b >= 1) near(:, b) = [b - 1, b]
            if (b >= 2) angle(:, b - 1) = [b - 2, b - 1, b]
            if (b >= 2) near(:, n + b - 2) = [b - 2, b]
            if (b >= 3) dihedral(:, b - 2) = [b - 3, b - 2, b - 1, b]
        end do
        kind = 0
        k = 100
        length = 1
        stiffness = 5
        bend = 1.9d0
        phase = 0.3d0
        multiplicity = 3
    end subroutine

    ! Computes the forces, and returns the energy: half of the sum over pairs, since both beads of a
    ! pair have its energy, and the sum over tuples, whose beads share it.
    function evaluated() result(energy)
        real(c_double) :: energy, of_pairs
        call check(nbody_buffer_write(beads, n, [nbody_column_of("pos", x)]))
        call check(nbody_engine_evaluate(pairs, beads, beads, nbody_same, results, nbody_replace))
        call check(nbody_buffer_read(results, 0, n, [nbody_column_of("pot", pot)]))
        of_pairs = sum(pot)

        call check(nbody_tuples_evaluate(bonds, beads, results, nbody_add))
        call check(nbody_tuples_evaluate(angles, beads, results, nbody_add))
        call check(nbody_tuples_evaluate(dihedrals, beads, results, nbody_add))
        call check(nbody_buffer_read(results, 0, n, &
            [nbody_column_of("force", force), nbody_column_of("pot", pot)]))
        energy = sum(pot) - 0.5d0 * of_pairs
    end function
end program
