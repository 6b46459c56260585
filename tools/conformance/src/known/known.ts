/** A case that fails through the fault of the deployment that it runs on, not of the driver's. */
export interface Known {
  readonly suite: string;
  /** Its path below the tests of the suite. */
  readonly file: string;
  /** The case's description; without it every case of the file. */
  readonly name?: string;
  /** What the deployment does that it should not. */
  readonly reason: string;
  /** How it was found out that the driver is right. */
  readonly proof: string;
}

/** The entry for a case, if there is one. */
export const knownOf = (
  all: readonly Known[],
  one: { readonly suite: string; readonly file: string; readonly name: string },
): Known | undefined =>
  all.find(({ suite, file, name = one.name }) => suite === one.suite && file === one.file && name === one.name);
