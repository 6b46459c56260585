/**
 * A function that stands in for a class of the official driver whose instances only the driver creates: it supports
 * `instanceof`, not `new`.
 */
export interface InstanceCheck<Instance> {
  [Symbol.hasInstance](value: unknown): value is Instance;
}

/** Creates the function of this name. It accepts the values for which `accepts` returns true as its instances. */
export const instanceCheck = <Instance>(name: string, accepts: (value: unknown) => boolean): InstanceCheck<Instance> =>
  Object.defineProperties(() => undefined, {
    name: { value: name },
    [Symbol.hasInstance]: { value: accepts },
  }) as unknown as InstanceCheck<Instance>;
