export interface User {
  readonly user: string;
  readonly pwd: string;
}

/** Whose keys are known after the first time. */
export const regular: User = { user: 'regular', pwd: 'pencil' };

/** Who come in turn: the official driver keeps the keys of 200, so that each of these is forgotten when he comes again. */
export const strangers: readonly User[] = Array.from({ length: 201 }, (_, index) => ({
  user: `stranger ${index}`,
  pwd: `pencil ${index}`,
}));
