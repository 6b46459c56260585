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

/** Where the text stands whose headings are listed. */
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
  /** How the revision relates to the audited one, if the headings are not in the audited one. */
  readonly remark: string;
  /** Number and heading. Items of a list that have no heading stand with a few words of ours, in parentheses. */
  readonly headings: readonly (readonly [number: string, heading: string])[];
}

/** What the files of `tools/house/prose` hold. */
export interface Catalogue {
  readonly catalogue: readonly Specification[];
  readonly headings: readonly HeadingList[];
}
