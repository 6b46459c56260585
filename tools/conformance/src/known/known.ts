/** A case that fails because of a fault in the tested deployment, not in the driver. */
export interface Known {
  readonly suite: string;
  /** The path within the suite's `tests` folder. */
  readonly file: string;
  /** The description of the case. Absent: every case of the file. */
  readonly name?: string;
  /** The fault of the deployment. */
  readonly reason: string;
  /** The evidence that the driver behaves correctly. */
  readonly proof: string;
}

/** Returns the known fault of a case, if there is one. */
export const knownOf = (
  all: readonly Known[],
  one: { readonly suite: string; readonly file: string; readonly name: string },
): Known | undefined =>
  all.find(({ suite, file, name = one.name }) => suite === one.suite && file === one.file && name === one.name);
