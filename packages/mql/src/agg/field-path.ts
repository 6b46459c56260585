import { fail } from '../errors.js';

/** MongoDB's limit on the number of parts of a path. */
const maxParts = 200;

/** The field names of a DBRef, the only names with a leading dollar that paths and filters accept. */
export const dbRefNames: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

/** @throws CommandError if the name cannot be a field name in an expression */
export const requireFieldName = (name: string): void => {
  if (name === '') throw fail(15998, 'FieldPath field names may not be empty strings.');
  if (name.startsWith('$') && !dbRefNames.has(name)) {
    throw fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
  }
  if (name.includes('\0')) throw fail(16411, 'FieldPath field names may not contain null bytes.');
  if (name.includes('.'))
    throw fail(16412, `FieldPath field names may not contain '.'. Consider using $getField or $setField.`);
};

/**
 * Splits a dotted path.
 * @throws CommandError if MongoDB's FieldPath rejects the path
 */
export const parseFieldPath = (path: string): readonly string[] => {
  if (path === '') throw fail(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw fail(40353, `FieldPath must not end with a '.'.`);
  const parts = path.split('.');
  for (const part of parts) requireFieldName(part);
  if (parts.length > maxParts) throw fail('Overflow', 'FieldPath is too long');
  return parts;
};
