/** A prose test of a specification. */
export interface ProseTest {
  /** The number in the specification. If it has none, a number that the list of headings assigns. */
  readonly number: string;
  readonly title: string;
  /** The reason if this repository has no test for it. */
  readonly reason: string | undefined;
  /** An explanation if the driver's behavior differs from the text, or the text contradicts itself. */
  readonly note: string | undefined;
}

/** A specification and its prose tests. */
export interface Specification {
  /** The name with which the titles of tests begin. */
  readonly name: string;
  /** Information about all of its prose tests. */
  readonly note: string;
  readonly tests: readonly ProseTest[];
}

/** The revision of the text with the listed headings. */
export type Revision =
  /** A commit of mongodb/specifications. */
  | { readonly commit: string }
  /** A pull request of mongodb/specifications, by its number. */
  | { readonly pullRequest: number };

/** The headings of prose tests in one file of mongodb/specifications at one revision. */
export interface HeadingList {
  /** The name of the specification in the catalogue. */
  readonly specification: string;
  /** The path of the file within the folder `source`. */
  readonly path: string;
  readonly revision: Revision;
  /** The relation to the audited revision, if the headings are not in it. */
  readonly remark: string;
  /** Numbers and headings. List items without a heading have a description in parentheses. */
  readonly headings: readonly (readonly [number: string, heading: string])[];
}

/** The content of the files of `tools/house/prose`. */
export interface Catalogue {
  readonly catalogue: readonly Specification[];
  readonly headings: readonly HeadingList[];
}
