import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Test } from './condition.js';

/** Turns a keyword's argument into a test of values that are there. @param nested parses a schema within the argument */
export type Keyword = (argument: Value, schema: Doc, nested: (schema: Value, where: string) => Test) => Test;
