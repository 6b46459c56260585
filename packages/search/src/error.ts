/** An invalid definition or query. The message names the field. */
export class SearchError extends Error {
  override readonly name: string = 'SearchError';
}

export const invalid = (message: string): SearchError => new SearchError(message);
