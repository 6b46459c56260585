import type { BinaryValue, Entry, TimestampValue, Value, Version } from '@tessera/mql/engine';
import { DateValue, Doc, fail, isAtLeast, showDoc } from '@tessera/mql/engine';
import type { FieldDifference } from '@tessera/store';
import { describeUpdate, diffOf, differencesOf } from '@tessera/store';
import type { Entry as LogEntry } from '../log/entry.js';
import type { Op } from '../log/op.js';
import type { CollectionOp } from './operation.js';
import { descriptionOf, isClassic, nsDoc, nsTypeOf, stateBefore, uuidOf } from './operation.js';
import type { EventToken, TokenVersion } from './resume-token.js';
import { tokenDoc } from './resume-token.js';
import type { Specification } from './specification.js';

/** The settings of a stream that determine the form of its events. */
export interface EventFormat {
  readonly version: Version;
  readonly specification: Specification;
}

/** The context in which events are created. */
export interface EventContext extends EventFormat {
  /** Returns the current document, or undefined if it no longer exists. */
  readonly lookUp: (collection: { readonly ns: string; readonly uuid: BinaryValue }, id: Value) => Doc | undefined;
  /** Returns the fields of the document key before `_id`: the shard key. */
  readonly keyOf: (ns: string, doc: Doc) => readonly Entry[];
  /** Whether this shard reports the operation. An operation on a sharded collection is reported by one shard only. */
  readonly isReported: (op: Op) => boolean;
}

/** An operation in the oplog. */
export interface Located {
  readonly entry: LogEntry;
  /** The time of its step. */
  readonly ts: TimestampValue;
  /** The index of the operation in the step. */
  readonly index: number;
}

/** A change event before it is encoded. */
export interface Event {
  readonly token: EventToken;
  /** Whether the event also occurs without `showExpandedEvents`. */
  readonly isClassic: boolean;
  /** Returns the event. @throws CommandError 47 if a required image is missing */
  readonly doc: () => Doc;
}

type DocumentOp = Op & { readonly kind: 'insert' | 'update' | 'delete' };
type Update = Op & { readonly kind: 'update' };

export const tokenVersionOf = (version: Version): TokenVersion => (isAtLeast(version, '6.0') ? 2 : 1);

const identityOf = (operationType: string, about: Doc | undefined, name: string, version: Version): Doc => {
  if (tokenVersionOf(version) === 1) return about ?? Doc.EMPTY;
  return Doc.of([['operationType', operationType], ...(about === undefined ? [] : [[name, about] as const])]);
};

/**
 * Returns the differences that modifiers or a pipeline made. Undefined if the document counts as replaced, which before
 * 5.0 is so for all pipelines.
 */
const differencesIn = ({ before, after, change }: Update, version: Version): readonly FieldDifference[] | undefined => {
  switch (change.by) {
    case 'replacement':
      return undefined;
    case 'modifiers':
      return differencesOf(change.changes, { before, after });
    case 'pipeline':
      return isAtLeast(version, '5.0') ? diffOf(before, after) : undefined;
  }
};

/** Returns the first fields of an event, in mongod's order. */
const start = (
  { entry, ts }: Located,
  token: EventToken,
  operationType: string,
  { version, specification }: EventContext,
): readonly Entry[] => {
  const { author, transaction, wall } = entry;
  const inTransaction: readonly Entry[] =
    transaction && author !== undefined
      ? [
          ['txnNumber', author.txnNumber],
          ['lsid', author.lsid],
        ]
      : [];
  const isExpanded = specification.showExpandedEvents && token.uuid !== undefined;
  return [
    ...inTransaction,
    ['_id', tokenDoc(token, tokenVersionOf(version))],
    ['operationType', operationType],
    ['clusterTime', ts],
    ...(isExpanded ? [['collectionUUID', token.uuid] as const] : []),
    ...(isAtLeast(version, '6.0') ? [['wallTime', new DateValue(wall)] as const] : []),
  ];
};

const missingImage = (which: 'pre-image' | 'post-image', about: string, event: readonly Entry[]): Error =>
  fail(
    'NoMatchingDocument',
    `Change stream was configured to require a ${which} for all ${about} events, but the ${which} was not found for event: ${showDoc(Doc.of(event))}`,
  );

const fullDocument = (
  op: DocumentOp,
  isUpdate: boolean,
  event: readonly Entry[],
  context: EventContext,
): readonly Entry[] => {
  if (op.kind === 'delete') return [];
  if (op.kind === 'insert') return [['fullDocument', op.doc]];
  if (!isUpdate) return [['fullDocument', op.after]];
  const mode = context.specification.fullDocument;
  switch (mode) {
    case 'default':
      return [];
    case 'updateLookup':
      return [['fullDocument', context.lookUp(op, op.id) ?? null]];
    case 'whenAvailable':
    case 'required':
      if (!op.imaged && mode === 'required') throw missingImage('post-image', 'update', event);
      return [['fullDocument', op.imaged ? op.after : null]];
  }
};

const fullDocumentBefore = (
  op: DocumentOp,
  event: readonly Entry[],
  { specification }: EventContext,
): readonly Entry[] => {
  const mode = specification.fullDocumentBeforeChange;
  if (op.kind === 'insert' || mode === 'off') return [];
  if (!op.imaged && mode === 'required') throw missingImage('pre-image', 'update, delete and replace', event);
  return [['fullDocumentBeforeChange', op.imaged ? op.before : null]];
};

const docOf = (op: DocumentOp): Doc => {
  switch (op.kind) {
    case 'insert':
      return op.doc;
    case 'update':
      return op.after;
    case 'delete':
      return op.before;
  }
};

/** Returns the `documentKey` of an operation. */
const keyOf = (op: DocumentOp, context: EventContext): Doc => {
  const doc = docOf(op);
  const first = context.keyOf(op.ns, doc);
  return Doc.of(first.some(([name]) => name === '_id') ? first : [...first, ['_id', doc.get('_id')!]]);
};

const documentEvent = (located: Located, op: DocumentOp, context: EventContext): Event => {
  const { version, specification } = context;
  const differences = op.kind === 'update' ? differencesIn(op, version) : undefined;
  const operationType = op.kind === 'update' && differences === undefined ? 'replace' : op.kind;
  const key = keyOf(op, context);
  const token: EventToken = {
    kind: 'event',
    ts: located.ts,
    index: located.index,
    fromInvalidate: false,
    uuid: op.uuid,
    identity: identityOf(operationType, key, 'documentKey', version),
    fragment: undefined,
  };
  const doc = (): Doc => {
    const begun = start(located, token, operationType, context);
    const place: readonly Entry[] = [
      ['ns', nsDoc(op.ns)],
      ['documentKey', key],
    ];
    const update: readonly Entry[] =
      differences === undefined
        ? []
        : [
            [
              'updateDescription',
              describeUpdate(differences, {
                truncatedArrays: isAtLeast(version, '5.0'),
                disambiguatedPaths: specification.showExpandedEvents && isAtLeast(version, '6.1'),
              }),
            ],
          ];
    const common = [...begun, ...place];
    return Doc.of([
      ...begun,
      ...fullDocument(op, differences !== undefined, common, context),
      ...place,
      ...update,
      ...fullDocumentBefore(op, common, context),
    ]);
  };
  return { token, isClassic: true, doc };
};

const optional = (name: string, value: Value | undefined): readonly Entry[] =>
  value === undefined ? [] : [[name, value]];

const collectionEvent = (located: Located, op: CollectionOp, context: EventContext): Event => {
  const { version, specification } = context;
  const description = descriptionOf(op);
  const token: EventToken = {
    kind: 'event',
    ts: located.ts,
    index: located.index,
    fromInvalidate: false,
    uuid: uuidOf(op),
    identity: identityOf(op.kind, description, 'operationDescription', version),
    fragment: undefined,
  };
  const doc = (): Doc => {
    const expanded: readonly Entry[] = specification.showExpandedEvents
      ? [
          ...optional('operationDescription', description),
          ...optional('stateBeforeChange', stateBefore(op)),
          ...optional('nsType', nsTypeOf(op, version)),
        ]
      : [];
    return Doc.of([
      ...(op.kind === 'rename' ? [['to', nsDoc(op.to)] as const] : []),
      ...start(located, token, op.kind, context),
      ['ns', op.kind === 'dropDatabase' ? Doc.of([['db', op.db]]) : nsDoc(op.ns)],
      ...expanded,
    ]);
  };
  return { token, isClassic: isClassic(op), doc };
};

/** Returns the event of an operation. */
export const eventOf = (located: Located, op: Exclude<Op, { readonly kind: 'noop' }>, context: EventContext): Event =>
  op.kind === 'insert' || op.kind === 'update' || op.kind === 'delete'
    ? documentEvent(located, op, context)
    : collectionEvent(located, op, context);

/** Returns the invalidate event that follows the event at which a stream ends. */
export const invalidationOf = (
  { token }: Event,
  entry: LogEntry,
  version: Version,
): { readonly token: EventToken; readonly doc: Doc } => {
  const invalid: EventToken = { ...token, fromInvalidate: true };
  const doc = Doc.of([
    ['_id', tokenDoc(invalid, tokenVersionOf(version))],
    ['operationType', 'invalidate'],
    ['clusterTime', token.ts],
    ...(isAtLeast(version, '6.0') ? [['wallTime', new DateValue(entry.wall)] as const] : []),
  ]);
  return { token: invalid, doc };
};
