import type { Doc, Value, Version } from '@tessera/mql/engine';
import { TimestampValue, fail, isAtLeast, isDoc } from '@tessera/mql/engine';
import { parseFields, any, bool, object, since, string, wrongType } from '../commands/schema.js';
import type { Token } from './resume-token.js';
import { parseToken } from './resume-token.js';

/** Where a stream starts. */
export type Start =
  /** At the next entry. */
  | { readonly kind: 'now' }
  /** At a time. */
  | { readonly kind: 'at'; readonly ts: TimestampValue }
  /** After a token of a client. */
  | { readonly kind: 'after'; readonly token: Token };

export type FullDocument = 'default' | 'updateLookup' | 'whenAvailable' | 'required';
export type FullDocumentBeforeChange = 'off' | 'whenAvailable' | 'required';

/** The options of a `$changeStream` stage. */
export interface Specification {
  readonly start: Start;
  readonly fullDocument: FullDocument;
  readonly fullDocumentBeforeChange: FullDocumentBeforeChange;
  readonly allChangesForCluster: boolean;
  readonly showExpandedEvents: boolean;
}

const schema = {
  resumeAfter: object(),
  startAfter: object(),
  startAtOperationTime: any(),
  fullDocument: string(),
  fullDocumentBeforeChange: since('6.0', string()),
  allChangesForCluster: bool(),
  showExpandedEvents: since('6.0', bool()),
  showMigrationEvents: bool(),
};

const fullDocuments: readonly FullDocument[] = ['default', 'updateLookup', 'whenAvailable', 'required'];
const beforeChanges: readonly FullDocumentBeforeChange[] = ['off', 'whenAvailable', 'required'];

const readFullDocument = (given: string | undefined, version: Version): FullDocument => {
  const hasImages = isAtLeast(version, '6.0');
  const found = fullDocuments.slice(0, hasImages ? undefined : 2).find(one => one === (given ?? 'default'));
  if (found !== undefined) return found;
  throw hasImages
    ? fail('BadValue', `Enumeration value '${given}' for field '$changeStream.fullDocument' is not a valid value.`)
    : fail(40575, `unrecognized value provided to the 'fullDocument' option: '${given}'`);
};

const readBeforeChange = (given: string | undefined): FullDocumentBeforeChange => {
  const found = beforeChanges.find(one => one === (given ?? 'off'));
  if (found !== undefined) return found;
  throw fail(
    'BadValue',
    `Enumeration value '${given}' for field '$changeStream.fullDocumentBeforeChange' is not a valid value.`,
  );
};

const readTime = (given: Value | undefined): TimestampValue | undefined => {
  if (given === undefined || given === null || given instanceof TimestampValue) return given ?? undefined;
  throw wrongType('$changeStream.startAtOperationTime', given, ['timestamp']);
};

/** Reads the start of a stream. @throws CommandError 50865, 40674, 260 and those of a token */
const readStart = (
  resumeAfter: Doc | undefined,
  startAfter: Doc | undefined,
  startAt: TimestampValue | undefined,
): Start => {
  if (resumeAfter !== undefined && startAfter !== undefined) {
    throw fail(50865, "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage");
  }
  const given = resumeAfter ?? startAfter;
  if (given === undefined) return startAt === undefined ? { kind: 'now' } : { kind: 'at', ts: startAt };
  const token = parseToken(given);
  if (startAt !== undefined) throw fail(40674, 'Only one type of resume option is allowed, but multiple were found');
  if (resumeAfter !== undefined && token.kind === 'event' && token.fromInvalidate) {
    throw fail(
      'InvalidResumeToken',
      "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification",
    );
  }
  return { kind: 'after', token };
};

/**
 * Parses a `$changeStream` stage.
 * @throws CommandError 50808 unless it is a document; 2, 9, 14, 260, 40415, 40674, 50865, and others for its fields
 */
export const parseSpecification = (spec: Value, version: Version): Specification => {
  if (!isDoc(spec)) {
    throw fail(50808, '$changeStream stage expects a document as argument');
  }
  const given = parseFields(spec, schema, '$changeStream', version);
  return {
    start: readStart(given.resumeAfter, given.startAfter, readTime(given.startAtOperationTime)),
    fullDocument: readFullDocument(given.fullDocument, version),
    fullDocumentBeforeChange: readBeforeChange(given.fullDocumentBeforeChange),
    allChangesForCluster: given.allChangesForCluster === true,
    showExpandedEvents: given.showExpandedEvents === true,
  };
};
