import type { Soon } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, DateValue, Doc, detached, isArray, isDoc } from '@tessera/mql/engine';
import { holdsSecret } from '../auth/holds-secret.js';
import { insertInto } from '../engine/writer.js';
import type { Call, Command, Fields, Reply } from './command.js';
import { emptyProfile } from './profile.js';

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
  const comment = body.get('comment');
  return statements.filter(isDoc).map(each => (comment === undefined ? each : each.with('comment', comment)));
};

const valueIn = (outcome: Outcome, name: string): Value | undefined => {
  if ('error' in outcome) return undefined;
  const fields = 'fields' in outcome.reply ? outcome.reply.fields : outcome.reply;
  return fields.find(([field]) => field === name)?.[1];
};

/**
 * Returns the counts in the reply. For several statements, the reply contains only their sum, so nothing is returned.
 */
const countsOf = (outcome: Outcome, { name }: Command, statements: number): readonly Entry[] => {
  const cursor = valueIn(outcome, 'cursor');
  const batch = isDoc(cursor) ? (cursor.get('firstBatch') ?? cursor.get('nextBatch')) : undefined;
  if (isArray(batch)) return [['nreturned', batch.length]];
  const n = valueIn(outcome, 'n');
  if (n === undefined || statements > 1) return [];
  if (name === 'insert') return [['ninserted', n]];
  if (name === 'delete') return [['ndeleted', n]];
  if (name === 'update')
    return [
      ['nMatched', n],
      ['nModified', valueIn(outcome, 'nModified') ?? 0],
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

const entriesOf = (call: Call, command: Command, outcome: Outcome, millis: number): readonly Doc[] => {
  const statements = statementsOf(call, command);
  const common: readonly Entry[] = [
    ...countsOf(outcome, command, statements.length),
    ...failureOf(outcome),
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
      ['command', statement],
      ...common,
    ]),
  );
};

const write = (call: Call, command: Command, outcome: Outcome, millis: number): void => {
  const { db, engine } = call;
  const { profiler } = call.server;
  const { level, filter } = profiler.of(db);
  if (level === 0) return;
  const isSlow = millis >= profiler.slowMs && engine.random.unit() < profiler.sampleRate;
  const wanted = entriesOf(call, command, outcome, millis).filter(
    entry => level === 2 || (filter === undefined ? isSlow : filter.matches(entry)),
  );
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
  const end = (outcome: Outcome): void => {
    write(call, command, outcome, Math.floor(clock.now() - start));
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
