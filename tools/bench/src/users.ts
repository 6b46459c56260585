export interface User {
  readonly user: string;
  readonly pwd: string;
}

/** A user whose derived keys a driver finds in its cache after the first login. */
export const regular: User = { user: 'regular', pwd: 'pencil' };

/**
 * Users whose derived keys are never in the cache: they log in in turn, and the official driver caches the keys of 200
 * users.
 */
export const strangers: readonly User[] = Array.from({ length: 201 }, (_, index) => ({
  user: `stranger ${index}`,
  pwd: `pencil ${index}`,
}));

/** The name of the applications whose pings the server delays, by so many milliseconds. */
export const slowApp = 'slow';
export const slowPing = 400;
