/** Stands where the official driver has a class: made by the driver alone, its instances are told by `instanceof`. */
export interface AskedBy<Instance> {
  [Symbol.hasInstance](value: unknown): value is Instance;
}
