/** How a revision is found among the files of one name. */
export interface RevisionQuery {
  readonly sort: { readonly uploadDate: 1 | -1 };
  readonly skip: number;
}

/** 0 is the oldest, 1 the next; -1 the newest, -2 the one before. Rule: GridFS, "File Download by Filename". */
export const revisionQuery = (revision: number): RevisionQuery =>
  revision >= 0 ? { sort: { uploadDate: 1 }, skip: revision } : { sort: { uploadDate: -1 }, skip: -revision - 1 };
