import type { Soon } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { Doc, ScriptsPending, SleepPending, fail, showDoc } from '@tessera/mql/engine';
import { needsOf } from '../auth/needs.js';
import type { Call, Command, Fields, Reply } from '../commands/command.js';
import { unsupported } from '../commands/read-concern.js';
import type { Member } from '../repl/member.js';
import { reading } from '../repl/reading.js';
import { checkState } from '../repl/replicated.js';
import { checkAllowed, endsTransaction } from './allowed.js';
import type { Transaction } from './transaction.js';
import type { Numbered } from './transactions.js';
import { unblocked } from './unblocked.js';

type Run = (call: Call) => Soon<Fields | Reply>;

/** Returns the session and transaction number of a command. @throws CommandError 125 for a command without one */
export const numberedOf = ({ session, generic: { lsid, txnNumber, transaction }, spelling }: Call): Numbered => {
  if (session === undefined || lsid === undefined || txnNumber === undefined || transaction === undefined)
    throw fail('CommandFailed', `${spelling} must be run within a transaction`);
  return { session, author: { lsid, txnNumber } };
};

/** Returns the Stable API fields of a command, as text. */
const apiOf = ({ body }: Call): string =>
  showDoc(
    Doc.of(
      body
        .entries()
        .filter(([name]) => name.startsWith('api'))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );

/** Checks the Stable API fields of a later statement. A mongos does not send them with every statement. @throws CommandError 347 */
const checkSameApi = (call: Call): void => {
  const { api } = call.engine.transactions.open(numberedOf(call)) ?? {};
  if (api === undefined || call.client.isInternal || api === apiOf(call)) return;
  throw fail(
    'APIMismatchError',
    `API parameter mismatch: ${call.spelling} used params ${apiOf(call)}, the transaction's first command used ${api}`,
  );
};

const transactionFor = (call: Call, numbered: Numbered): Transaction => {
  const { engine, server, snapshot, generic } = call;
  if (generic.transaction === 'continue') return engine.transactions.resume(numbered);
  const level = call.readConcern?.level ?? 'local';
  const lifetime = server.engine.parameters.number('transactionLifetimeLimitSeconds') * 1000;
  return engine.transactions.begin(numbered, {
    base: snapshot?.value ?? engine.value,
    api: apiOf(call),
    level,
    lifetime,
  });
};

/** Returns the collections that a statement reads or writes: those for which it needs privileges. */
const usedBy = ({ db, body }: Call, { name }: Command): readonly string[] =>
  (needsOf(name, { db, body, asking: new Set(), roles: new Set(), named: spelling => spelling }) ?? []).flatMap(
    ({ on }) => (on.kind === 'collection' ? [`${on.db}.${on.collection}`] : []),
  );

/** Adds to the reply whether the transaction has writes so far, for the mongos. */
const withState = (reply: Fields | Reply, { ops }: Transaction): Fields | Reply => {
  const state: Entry = ['readOnly', ops.length === 0];
  return 'fields' in reply ? { ...reply, fields: [...reply.fields, state] } : [...reply, state];
};

/** Executes one statement of a transaction. If it fails, the transaction is aborted. */
const statement = (call: Call, command: Command, run: Run): Soon<Fields | Reply> => {
  const { transactions } = call.engine;
  const numbered = numberedOf(call);
  const transaction = transactionFor(call, numbered);
  const failed = (error: unknown): never => {
    if (!(error instanceof SleepPending || error instanceof ScriptsPending)) transactions.abort(numbered.session);
    throw error;
  };
  const done = (reply: Fields | Reply): Fields | Reply => {
    transaction.isFresh = false;
    if (transaction.hasFailed) transactions.abort(numbered.session);
    return call.client.isInternal ? withState(reply, transaction) : reply;
  };
  try {
    if ((command.name === 'create' || command.name === 'createIndexes') && transaction.level !== 'local')
      throw unsupported(command, `{ level: "${transaction.level}" }`);
    for (const ns of usedBy(call, command)) transaction.use(ns);
    const reply = run({ ...call, data: transaction, snapshot: undefined });
    return reply instanceof Promise ? reply.then(done, failed) : done(reply);
  } catch (error) {
    return failed(error);
  }
};

const perform = (call: Call, command: Command, run: Run): Soon<Fields | Reply> => {
  if (call.generic.transaction === undefined) return unblocked(call, () => run(call));
  if (call.generic.transaction === 'continue') checkSameApi(call);
  return endsTransaction(command) ? run(call) : statement(call, command, run);
};

/** Executes a command on the data that it is to read and write, in a transaction or not. */
export const within = (member: Member, call: Call, command: Command, run: Run): Soon<Fields | Reply> => {
  if (call.generic.transaction !== undefined) {
    checkAllowed(call, command);
    if (!member.isPrimary) throw fail('NotWritablePrimary', 'not primary');
  }
  if (call.readConcern === undefined) return perform(call, command, run);
  checkState(member, call, command);
  const ready = reading(member, call);
  return ready instanceof Promise ? ready.then(one => perform(one, command, run)) : perform(ready, command, run);
};
