/**
 * A value that stands in for a class of the official driver whose instances only the driver creates: it supports
 * `instanceof`, not `new`.
 */
export interface InstanceCheck<Instance> {
  [Symbol.hasInstance](value: unknown): value is Instance;
}
