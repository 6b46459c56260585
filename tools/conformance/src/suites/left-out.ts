/** Suites for drivers that do what this one does not. */
export const leftOut: readonly string[] = ['open-telemetry', 'client-side-encryption'];
