import type { Document } from '@tessera/contracts';

const documentValidationFailure = 121;
const mostFields = 5;

const listOf = (value: unknown): readonly Document[] => (Array.isArray(value) ? (value as readonly Document[]) : []);

/** Collects the fields that the server's details name, with the reasons. `path` is the parent of the fields. */
const collect = (details: Document, path: string, found: string[]): void => {
  const below = (name: unknown): string => (path === '' ? String(name) : `${path}.${String(name)}`);
  for (const rule of listOf(details['schemaRulesNotSatisfied'])) collect(rule, path, found);
  for (const property of listOf(details['propertiesNotSatisfied']))
    for (const detail of listOf(property['details'])) collect(detail, below(property['propertyName']), found);
  for (const name of listOf(details['missingProperties'])) found.push(`"${below(name)}" is missing`);
  const { reason, specifiedAs } = details as { readonly reason?: unknown; readonly specifiedAs?: unknown };
  if (typeof reason !== 'string') return;
  // A query operator has no property name. Its specification is `{ field: { operator: value } }`.
  const [field] = path === '' && typeof specifiedAs === 'object' ? Object.keys(specifiedAs ?? {}) : [path];
  if (field !== undefined && field !== '' && !field.startsWith('$')) found.push(`"${field}": ${reason}`);
};

/** Returns the server's message. If a validator rejected a document, adds the fields that the server's details name. */
export const withFailedFields = (
  message: string,
  { code, errInfo }: { readonly code?: unknown; readonly errInfo?: unknown },
): string => {
  const details = (errInfo as { readonly details?: unknown } | null | undefined)?.details;
  if (code !== documentValidationFailure || typeof details !== 'object' || details === null) return message;
  const found: string[] = [];
  collect(details, '', found);
  return found.length === 0 ? message : `${message} (${found.slice(0, mostFields).join('; ')})`;
};
