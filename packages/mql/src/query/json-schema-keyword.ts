import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Test } from './condition.js';

/**
 * Compiles a keyword's argument to a test of values that exist.
 * @param nested compiles a schema within the argument
 */
export type Keyword = (argument: Value, schema: Doc, nested: (schema: Value, where: string) => Test) => Test;
