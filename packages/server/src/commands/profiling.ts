import type { Soon } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, DateValue, Doc, detached, isArray, isDoc, showDoc } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { holdsSecret } from '../auth/holds-secret.js';
import { insertInto } from '../engine/writer.js';
import type { Call, Command, Fields, Reply } from './command.js';
import { emptyProfile } from './profile.js';
import { lookupOf } from './profiled-lookup.js';

type Work = () => Soon<Fields | Reply>;

/** The result of a command. */
type Outcome = { readonly reply: Fields | Reply } | { readonly error: unknown };

const opOf: ReadonlyMap<string, string> = new Map([
  ['find', 'query'],
  ['getMore', 'getmore'],
  ['insert', 'insert'],
  ['update', 'update'],
  ['delete', 'remove'],
]);

const collectionOf = ({ body, target }: Call, { name }: Command): string => {
  const collection = name === 'getMore' ? body.get('collection') : target;
  return typeof collection === 'string' ? collection : '$cmd';
};

/**
 * Returns the bodies to record: each statement of an update or a delete with the comment of its command, and an insert
 * without its documents.
 */
const statementsOf = ({ body }: Call, { name }: Command): readonly Doc[] => {
  if (name === 'insert') return [body.without('documents')];
  const statements = name === 'update' ? body.get('updates') : name === 'delete' ? body.get('deletes') : undefined;
  if (!isArray(statements)) return [body];
  return statements.filter(isDoc);
};

/** The maximum size of a recorded command, in bytes. */
const mostRecorded = 50 * 1024;

/**
 * Returns a statement as it is recorded: an update with its options, and with the comment of its command. Long ones are
 * cut.
 */
const recorded = ({ body }: Call, { name }: Command, statement: Doc): Doc => {
  const comment = body.get('comment');
  const given =
    name === 'update' ? statement.entries().filter(([field]) => field !== 'multi' && field !== 'upsert') : [];
  const whole =
    name === 'update'
      ? Doc.of([...given, ['multi', statement.get('multi') === true], ['upsert', statement.get('upsert') === true]])
      : statement;
  const more: readonly Entry[] = comment === undefined ? [] : [['comment', comment]];
  if (whole.byteLength > mostRecorded) return Doc.of([['$truncated', showDoc(whole).slice(0, mostRecorded)], ...more]);
  return comment === undefined ? whole : whole.with('comment', comment);
};

const valueIn = (outcome: Outcome, name: string): Value | undefined => {
  if ('error' in outcome) return undefined;
  const fields = 'fields' in outcome.reply ? outcome.reply.fields : outcome.reply;
  return fields.find(([field]) => field === name)?.[1];
};

/** Returns the counts of a findAndModify. */
const modifiedBy = (last: Doc): readonly Entry[] => {
  const updated = last.get('updatedExisting');
  if (updated === undefined) return [['ndeleted', last.get('n') ?? 0]];
  const [matched, upserted] = [updated === true ? 1 : 0, last.has('upserted') ? 1 : 0];
  return [['nMatched', matched], ['nModified', matched], ...(upserted === 0 ? [] : [['nUpserted', upserted] as const])];
};

const lengthOf = (outcome: Outcome): readonly Entry[] => {
  if ('error' in outcome) return [];
  return [['responseLength', Doc.of('fields' in outcome.reply ? outcome.reply.fields : outcome.reply).byteLength]];
};

/**
 * Returns the counts in the reply. For several statements, the reply contains only their sum, so nothing is returned.
 */
const countsOf = (outcome: Outcome, { name }: Command, statements: number): readonly Entry[] => {
  const cursor = valueIn(outcome, 'cursor');
  const batch = isDoc(cursor) ? (cursor.get('firstBatch') ?? cursor.get('nextBatch')) : undefined;
  if (isArray(batch) && isDoc(cursor)) {
    const isOpen = cursor.get('id') !== 0n;
    return [
      ...(isOpen ? [['cursorid', cursor.get('id')!] as const] : [['cursorExhausted', true] as const]),
      ['nreturned', batch.length],
    ];
  }
  const last = valueIn(outcome, 'lastErrorObject');
  if (isDoc(last)) return modifiedBy(last);
  const n = valueIn(outcome, 'n');
  if (n === undefined || statements > 1) return [];
  if (name === 'insert') return [['ninserted', n]];
  if (name === 'delete') return [['ndeleted', n]];
  const upserted = valueIn(outcome, 'upserted');
  if (name === 'update')
    return [
      ['nMatched', isArray(upserted) ? 0 : n],
      ['nModified', valueIn(outcome, 'nModified') ?? 0],
      ...(isArray(upserted) ? [['nUpserted', upserted.length] as const] : []),
    ];
  return [];
};

const failureOf = (outcome: Outcome): readonly Entry[] => {
  if (!('error' in outcome)) return [];
  const { error } = outcome;
  if (!(error instanceof CommandError)) return [['ok', 0]];
  return [
    ['ok', 0],
    ['errMsg', error.message],
    ['errName', error.codeName],
    ['errCode', error.code],
  ];
};

const appNameOf = ({ client: { metadata } }: Call): readonly Entry[] => {
  const application = metadata?.get('application');
  const name = isDoc(application) ? application.get('name') : undefined;
  return name === undefined ? [] : [['appName', name]];
};

const entriesOf = (call: Call, command: Command, outcome: Outcome, { millis, before }: Measured): readonly Doc[] => {
  const statements = statementsOf(call, command);
  const common: readonly Entry[] = [
    ...countsOf(outcome, command, statements.length),
    ...failureOf(outcome),
    ['numYield', 0],
    ['locks', Doc.EMPTY],
    ...lengthOf(outcome),
    ['protocol', 'op_msg'],
    ['millis', millis],
    ['ts', new DateValue(call.engine.clock.wallTime())],
    ['client', `connection-${call.client.peer.id}`],
    ...appNameOf(call),
    ['allUsers', []],
    ['user', ''],
  ];
  return statements.map(statement =>
    Doc.of([
      ['op', opOf.get(command.name) ?? 'command'],
      ['ns', `${call.db}.${collectionOf(call, command)}`],
      ['command', recorded(call, command, statement)],
      ...lookupOf(call, command, statement, before),
      ...common,
    ]),
  );
};

/** The duration of a command, and the data before it. */
interface Measured {
  readonly millis: number;
  readonly before: DatabaseValue;
}

const write = (call: Call, command: Command, outcome: Outcome, measured: Measured): void => {
  const { millis } = measured;
  const { db, engine } = call;
  const { profiler } = call.server;
  const { level, filter } = profiler.of(db);
  if (level === 0) return;
  const isSlow = millis >= profiler.slowMs && engine.random.unit() < profiler.sampleRate;
  if (level === 1 && filter === undefined && !isSlow) return;
  const entries = entriesOf(call, command, outcome, measured);
  const wanted = level === 2 || filter === undefined ? entries : entries.filter(entry => filter.matches(entry));
  if (wanted.length === 0) return;
  engine.change('profile', draft => {
    let collection = draft.collection(`${db}.system.profile`) ?? emptyProfile(engine, db);
    for (const entry of wanted) collection = insertInto(draft, collection, detached(entry), { unchecked: true });
  });
};

/** Executes a command and records it. Commands that read the profile, or contain a password, are not recorded. */
export const profiled = (call: Call, command: Command, work: Work): Soon<Fields | Reply> => {
  if (collectionOf(call, command) === 'system.profile' || holdsSecret(command.name, call.body)) return work();
  const { clock } = call.engine;
  const start = clock.now();
  const before = call.engine.value;
  const end = (outcome: Outcome): void => {
    write(call, command, outcome, { millis: Math.floor(clock.now() - start), before });
  };
  const done = (reply: Fields | Reply): Fields | Reply => {
    end({ reply });
    return reply;
  };
  const failed = (error: unknown): never => {
    end({ error });
    throw error;
  };
  let reply: Soon<Fields | Reply>;
  try {
    reply = work();
  } catch (error) {
    return failed(error);
  }
  return reply instanceof Promise ? reply.then(done, failed) : done(reply);
};
