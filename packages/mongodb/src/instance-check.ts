/** Stands where the official driver has a class: made by the driver alone, its instances are told by `instanceof`. */
export interface InstanceCheck<Instance> {
  [Symbol.hasInstance](value: unknown): value is Instance;
}
