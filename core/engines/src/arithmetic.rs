//! The numbers that 8-bit models compute with. They give the same vectors; which are faster depends on the processor.

/// The numbers that the linear layers of a model with 8-bit weights multiply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// 8-bit integers; for many texts, 32-bit floats if the processor multiplies these faster.
    #[default]
    Fastest,
    /// 8-bit integers.
    Integers,
    /// 32-bit floats, which need four times the memory.
    Floats,
}

/// Whether rten multiplies 8-bit integers faster than 32-bit floats on this processor: it has kernels with products of
/// four pairs for these features only. Because the activations are quantised twice, other ways to multiply are slower.
pub(super) fn has_fast_integers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vnni");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("dotprod");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    false
}
