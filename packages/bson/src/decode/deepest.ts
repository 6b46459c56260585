/**
 * How deep documents may nest, in both directions. A server takes 100 levels from a client, and holds 200; beyond this
 * many a hostile document could exhaust the stack.
 */
export const deepest = 400;
