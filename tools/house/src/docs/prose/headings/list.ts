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

/** The commit of 2026-08-13 at which the catalogue was audited. */
export const audited: Revision = { commit: '92b3c0b9287bfba1b0ec4084300858d05c654f8c' };

export const notInAudited = 'not at the audited revision 92b3c0b';

/** Returns the headings of a file at a revision, which is given by its commit or by the number of a pull request. */
export const headingsOf = (
  specification: string,
  path: string,
  revision: Revision | string | number,
  headings: HeadingList['headings'],
  remark = '',
): HeadingList => ({
  specification,
  path,
  revision:
    typeof revision === 'string'
      ? { commit: revision }
      : typeof revision === 'number'
        ? { pullRequest: revision }
        : revision,
  remark,
  headings,
});
