/**
 * The maximum nesting depth of documents, for encoding and decoding. A server accepts 100 levels from a client and
 * stores 200. Deeper documents could exhaust the stack.
 */
export const deepest = 400;
