/**
 * Thrown by the fast decoder when it meets anything unexpected. It carries no reason: the plain decoder then reads the
 * same bytes and reports what is wrong.
 */
export const damaged: Error = new Error('damaged');
