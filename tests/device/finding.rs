//! Devices that are found, and the error for a missing one.

use nbody::cuda::Error as CudaError;
use nbody::prelude::*;
use nbody::{DeviceName, Error};
use nbody_tests::bodies::{GRAVITY, bodies};

fn is_no_driver(error: &Error) -> bool {
    matches!(error.device(), Some(CudaError::NoDriver))
}

#[test]
fn the_error_of_a_missing_gpu_names_it() {
    match Device::cuda_count() {
        Err(error) if is_no_driver(&error) => {
            let error = Device::cuda(0).unwrap_err();
            assert!(is_no_driver(&error), "{error}");
            assert!(error.to_string().contains("looked for libcuda.so.1"), "{error}");
            assert!(error.to_string().contains("choose the device `cpu`, or `best`"), "{error}");
            assert_eq!("best".parse::<DeviceName>().unwrap().open().unwrap().name(), "cpu");
        }
        Ok(count) => {
            let error = Device::cuda(count).unwrap_err();
            let message = format!("no CUDA device {count}: the driver sees {count}");
            assert!(error.to_string().contains(&message), "{error}");
        }
        Err(error) => assert!(matches!(error.device(), Some(CudaError::Driver { .. })), "{error}"),
    }
}

#[test]
fn the_best_device_computes_and_gives_its_fallback_reason() {
    let device = Device::best();
    assert_eq!(device.is_cpu(), device.fallback_reason().is_some());
    if Device::cuda_count().is_err() {
        assert!(device.fallback_reason().is_some_and(is_no_driver));
    }
    let fields = AllPairs::new(&device, GRAVITY).unwrap().evaluate_self(&bodies(3)).unwrap();
    let expected =
        nbody::check::reference_self(&GRAVITY, Domain::Open, &bodies(3), &bodies(3)).unwrap();
    let report = nbody::check::compare(&fields, &expected, None).unwrap();
    assert!(report.fields.iter().all(|field| field.max < 1e-6), "{report}");
    assert!(Device::cpu().fallback_reason().is_none());
    assert!(Device::all().iter().any(Device::is_cpu));
}
