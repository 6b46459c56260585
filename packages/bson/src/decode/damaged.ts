/**
 * What the fast decoder throws when it meets anything it did not expect. It does not say what: the plain decoder then
 * reads the same bytes and knows.
 */
export const damaged: Error = new Error('damaged');
