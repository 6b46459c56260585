/** One prose test of a specification, in our own words. */
export interface ProseTest {
  /** The number in the specification; where it has none, a number of ours that the headings record beside the heading. */
  readonly number: string;
  readonly title: string;
  /** The reason why this repository has no test for it. */
  readonly reason: string | undefined;
  /** How the driver's behavior relates to the text where the two differ, or where the text contradicts itself. */
  readonly note: string | undefined;
}

/** A specification and its prose tests. */
export interface Specification {
  /** The name with which the titles of tests begin. */
  readonly name: string;
  /** What a reader must know about all of its prose tests. */
  readonly note: string;
  readonly tests: readonly ProseTest[];
}

/** A row of the catalogue. A row without a reason must be covered by a test. */
export type Row = readonly [number: string, title: string, reason?: string | undefined, note?: string];

/** Returns a specification made of the rows of the catalogue. */
export const specification = (name: string, note: string, rows: readonly Row[]): Specification => ({
  name,
  note,
  tests: rows.map(([number, title, reason, note]) => ({ number, title, reason, note })),
});
