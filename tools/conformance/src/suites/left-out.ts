/** Suites for features that this driver does not have. */
export const leftOut: readonly string[] = ['open-telemetry', 'client-side-encryption'];
