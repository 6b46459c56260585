/** One prose test of a specification, in our words. */
export interface ProseTest {
  /** The number that the specification gives it, else its place among the headings. */
  readonly number: string;
  readonly title: string;
  /** Why no test of ours covers it. */
  readonly reason: string | undefined;
}

/** A specification with its prose tests. */
export interface Specification {
  /** What titles of tests begin with. */
  readonly name: string;
  /** Where its prose tests stand, in the repository mongodb/specifications. */
  readonly sources: readonly string[];
  /** What the reader should know of all of them. */
  readonly note: string;
  readonly tests: readonly ProseTest[];
}

/** A row of a catalogue: number, title, and the reason if nothing covers it. */
export type Row = readonly [number: string, title: string, reason?: string];

/** A specification from the rows of its catalogue. */
export const specification = (
  name: string,
  sources: readonly string[],
  note: string,
  rows: readonly Row[],
): Specification => ({
  name,
  sources,
  note,
  tests: rows.map(([number, title, reason]) => ({ number, title, reason })),
});
