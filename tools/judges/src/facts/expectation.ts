/** The expectation of a fact, and its comparison with a reply. */
import { EJSON, type Document } from 'bson';
import { canonical } from './canonical.js';

/** The fields that are given must all hold. */
export interface Expectation {
  /** The command succeeds. */
  readonly ok?: true;
  /** The command fails. */
  readonly fails?: true;
  /** The command fails with one of these codes, or its first write error has one of them. */
  readonly code?: number | readonly number[];
  /** All documents of the cursor. */
  readonly documents?: readonly Document[];
  /** All documents of the cursor, in any order. */
  readonly unordered?: readonly Document[];
  /** The `_id` of all documents of the cursor. */
  readonly ids?: readonly unknown[];
  /** The `_id` of all documents of the cursor, in any order. */
  readonly unorderedIds?: readonly unknown[];
  /** All documents of a change stream's batch, without the fields that differ in each run. */
  readonly events?: readonly Document[];
  /** The cursor stays open under this name. In later commands, `{ $cursor: name }` is its id. */
  readonly cursor?: string;
  /** How many documents the cursor has. */
  readonly count?: number;
  /** Values in the reply, by path. */
  readonly reply?: Document;
  /** Arrays in the reply, by path, in any order. */
  readonly replySet?: Readonly<Record<string, readonly unknown[]>>;
  /** Paths that the reply lacks. */
  readonly without?: readonly string[];
}

/** The end of a command. */
export interface Outcome {
  /** The code of the error or of the first write error. Absent: the command succeeded. */
  readonly code?: number;
  readonly message?: string;
  readonly reply: Document;
  /** All documents of the reply's cursor. */
  readonly documents?: readonly Document[];
}

const known = new Set([
  'ok',
  'fails',
  'code',
  'documents',
  'unordered',
  'ids',
  'unorderedIds',
  'events',
  'cursor',
  'count',
  'reply',
  'replySet',
  'without',
]);

const variable = new Set(['_id', 'clusterTime', 'wallTime', 'collectionUUID', 'lsid', 'txnNumber', 'version']);

const show = (value: unknown): string => EJSON.stringify(value, { relaxed: true });

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inside, key) => (inside !== null && typeof inside === 'object' ? (inside as Document)[key] : undefined),
      value,
    );

/** Removes the fields of a change event that differ in each run. */
const withoutVariable = (event: Document): Document =>
  Object.fromEntries(Object.entries(event).filter(([key]) => !variable.has(key)));

const inOrder = (values: readonly unknown[]): string[] => values.map(canonical);
const inAnyOrder = (values: readonly unknown[]): string[] => inOrder(values).sort();

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

/** Returns what differs from the expectation, or undefined if it holds. */
export const differenceOf = (expected: Expectation, outcome: Outcome): string | undefined => {
  const unknown = Object.keys(expected).find(key => !known.has(key));
  if (unknown !== undefined) return `"${unknown}" is not a field of an expectation`;
  const { code, message = '', reply, documents } = outcome;
  if (expected.fails === true || expected.code !== undefined) {
    const codes = [expected.code ?? []].flat();
    if (code === undefined) return `succeeded: ${show(reply)}`;
    return codes.length === 0 || codes.includes(code) ? undefined : `failed with ${code}: ${message}`;
  }
  const expectsWriteErrors = Object.keys(expected.reply ?? {}).some(path => path.startsWith('writeErrors'));
  if (code !== undefined && !expectsWriteErrors) return `failed with ${code}: ${message}`;
  const ofCursor = (
    [
      [expected.documents, documents, inOrder],
      [expected.unordered, documents, inAnyOrder],
      [expected.events, documents?.map(withoutVariable), inOrder],
      [expected.ids, documents?.map(({ _id }): unknown => _id), inOrder],
      [expected.unorderedIds, documents?.map(({ _id }): unknown => _id), inAnyOrder],
    ] as const
  ).find(([wanted, found, order]) => wanted !== undefined && !same(order(wanted), order(found ?? [reply])));
  if (ofCursor !== undefined) return `returned ${show(ofCursor[1] ?? reply)}`;
  if (expected.count !== undefined && expected.count !== documents?.length)
    return `returned ${documents?.length ?? 'no'} documents: ${show((documents ?? []).slice(0, 20))}`;
  const wrong = [
    ...Object.entries(expected.reply ?? {}).filter(
      ([path, wanted]) => canonical(at(reply, path)) !== canonical(wanted),
    ),
    ...Object.entries(expected.replySet ?? {}).filter(([path, wanted]) => {
      const found = at(reply, path);
      return !Array.isArray(found) || !same(inAnyOrder(found), inAnyOrder(wanted));
    }),
    ...(expected.without ?? []).filter(path => at(reply, path) !== undefined).map(path => [path] as const),
  ];
  return wrong.length === 0
    ? undefined
    : wrong.map(([path]) => `${path} is ${show(at(reply, path) ?? null)}`).join('; ');
};
