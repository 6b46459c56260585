/** Compares errors with the expectations of tests. Rule: Unified Test Format, "expectedError". */
import type { Document } from '@tessera/contracts';
import { isA } from './facade.js';
import type { ExpectedError } from './format.js';
import { match, root, shown } from './match.js';
import type { EntityLookup } from './match.js';
import { checkNames } from './names.js';
import { plainResult } from './plain-result.js';

type Thrown = Error & {
  readonly code?: unknown;
  readonly codeName?: unknown;
  readonly labels?: readonly string[];
  readonly errorResponse?: Document;
  readonly result?: unknown;
  readonly partialResult?: unknown;
  readonly writeErrors?: unknown;
  readonly writeConcernErrors?: readonly Document[];
};

const isClientBulkWrite = (error: Thrown): boolean => isA(error, 'MongoClientBulkWriteError');

/** Returns the top-level error of a client bulk write, or any other error itself. Rule: "clientBulkWrite". */
const topLevel = (error: Thrown): Thrown | undefined =>
  isClientBulkWrite(error) ? (error.cause as Thrown | undefined) : error;

const listOf = (all: unknown): readonly Document[] =>
  all instanceof Map ? ([...all.values()] as Document[]) : ((all ?? []) as readonly Document[]);

/** Returns the write errors and write concern error in a collection's bulk write error. Rule: "bulkWrite". */
const innerErrors = (error: Thrown): readonly Document[] => {
  if (isClientBulkWrite(error)) return [];
  const { writeConcernError } = error.errorResponse ?? {};
  const concern = (error.result as Document | undefined)?.['writeConcernError'] as Document | undefined;
  return [...listOf(error.writeErrors), writeConcernError as Document | undefined, concern].filter(
    one => one !== undefined,
  );
};

const isFromServer = (error: Thrown): boolean => {
  const top = topLevel(error);
  return top === undefined ? isClientBulkWrite(error) : isA(top, 'MongoServerError');
};

const isTimeout = (error: Thrown): boolean =>
  isA(error, 'MongoOperationTimeoutError') || isA(error.cause, 'MongoOperationTimeoutError');

const codeNamesOf = (error: Thrown): readonly unknown[] => {
  const top = topLevel(error);
  return [
    top?.codeName,
    top?.errorResponse?.['codeName'],
    ...innerErrors(error).map(({ codeName }) => codeName as unknown),
  ];
};

const messagesOf = (error: Thrown): readonly unknown[] => [
  (topLevel(error) ?? error).message,
  ...innerErrors(error).map(({ errmsg }) => errmsg as unknown),
];

const same = (one: unknown, other: string): boolean => String(one).toLowerCase() === other.toLowerCase();

type Judge<T> = (expected: T, error: Thrown, entities: EntityLookup) => string | undefined;

const textOf = (error: Thrown): string => `${error.name}: ${error.message}`;

/** For each kind of expectation, returns the difference, or undefined if it is met. */
const judges: { readonly [Name in keyof ExpectedError]-?: Judge<NonNullable<ExpectedError[Name]>> } = {
  isError: () => undefined,
  isClientError: (expected, error) =>
    isFromServer(error) === !expected ? undefined : `Expected a ${expected ? 'client' : 'server'} error`,
  isTimeoutError: (expected, error) =>
    isTimeout(error) === expected ? undefined : `Expected ${expected ? 'a timeout' : 'no timeout'}`,
  errorContains: (expected, error) =>
    messagesOf(error).some(message => String(message).toLowerCase().includes(expected.toLowerCase()))
      ? undefined
      : `Expected a message that contains '${expected}'`,
  errorCode: (expected, error) => {
    const top = topLevel(error);
    return top?.code === expected ? undefined : `Expected the code ${expected}, not ${String(top?.code)}`;
  },
  errorCodeName: (expected, error) => {
    const names = codeNamesOf(error);
    return names.some(name => same(name, expected))
      ? undefined
      : `Expected the code name ${expected}, not ${String(names[0])}`;
  },
  errorLabelsContain: (expected, error) => {
    const missing = expected.find(label => error.labels?.includes(label) !== true);
    return missing === undefined ? undefined : `Expected the label ${missing}, not ${shown(error.labels)}`;
  },
  errorLabelsOmit: (expected, error) => {
    const present = expected.find(label => error.labels?.includes(label) === true);
    return present === undefined ? undefined : `Expected no label ${present}`;
  },
  errorResponse: (expected, error, entities) => {
    match(expected, topLevel(error)?.errorResponse, root('errorResponse', entities));
    return undefined;
  },
  writeErrors: (expected, error, entities) => {
    const actual = plainResult(error.writeErrors ?? {}) as Document;
    for (const [index, one] of Object.entries(expected))
      match(one, actual[index], root(`writeErrors.${index}`, entities));
    const more = Object.keys(actual).find(index => !Object.hasOwn(expected, index));
    return more === undefined ? undefined : `Expected no write error at index ${more}`;
  },
  writeConcernErrors: (expected, error, entities) => {
    const actual = error.writeConcernErrors ?? [];
    for (const [index, one] of expected.entries())
      match(one, actual[index], root(`writeConcernErrors.${index}`, entities));
    return actual.length === expected.length
      ? undefined
      : `Expected ${expected.length} write concern errors, not ${actual.length}`;
  },
  expectResult: (expected, error, entities) => {
    const { result = error.partialResult } = error;
    match(expected, plainResult(result ?? undefined), root('the result of the error', entities));
    return undefined;
  },
};

/** Compares an error with its expectations. @throws Error that describes the first difference */
export const judgeError = (expected: ExpectedError, raised: unknown, entities: EntityLookup): void => {
  checkNames('expectError', expected, Object.keys(judges));
  const error = raised as Thrown;
  for (const [name, value] of Object.entries(expected)) {
    const complaint = (judges[name as keyof ExpectedError] as Judge<unknown>)(value, error, entities);
    if (complaint !== undefined) throw new Error(`${complaint}: ${textOf(error)}`);
  }
};
