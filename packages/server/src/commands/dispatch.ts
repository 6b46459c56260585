import type { Millis, Soon } from '@tessera/contracts';
import type { Entry, Value, Version } from '@tessera/mql/engine';
import { CommandError, Doc, double, fail, isAtLeast, isDoc, showDoc } from '@tessera/mql/engine';
import { checkAccess } from '../auth/access.js';
import { sessionFor, withUser } from '../auth/session-keys.js';
import { overloaded } from '../engine/capacity.js';
import type { Capacity } from '../engine/capacity.js';
import type { Data } from '../engine/data.js';
import { rawTarget } from '../engine/buckets.js';
import { authored } from '../engine/data.js';
import type { Engine } from '../engine/engine.js';
import { userOf } from '../engine/sessions.js';
import type { SessionKey } from '../engine/sessions.js';
import { RetryableWrite } from '../repl/retryable-write.js';
import type { Attempted } from '../repl/labels.js';
import { attemptedOf, labelsBy } from '../repl/labels.js';
import type { Answer } from '../wire/connection.js';
import { opCodes } from '../wire/frame.js';
import type { Request } from '../wire/message.js';
import { refusedByUuid } from './collection-uuid.js';
import { checkProof, signedFor, timeIn } from './cluster-time.js';
import type { Call, ClientState, Command, Fields, GenericArgs, Reply, ServerState } from './command.js';
import { checkWriteConcern } from './concerns.js';
import { genericSchema, maxTimeOf } from './generic.js';
import { topologyVersionOf } from './hello.js';
import { observed } from './observation.js';
import { readConcernOf } from './read-concern.js';
import type { Registry } from './registry.js';
import { withScriptSleep } from './script-sleep.js';
import { checkApi } from './stable-api.js';
import type { Table } from './schema.js';
import { duplicateField, fieldOf, missingField, readField, requireFields, tableOf, unknownField } from './schema.js';

const ok: Entry = ['ok', double(1)];
const notOk: Entry = ['ok', double(0)];

/** The context of a request that its error reply depends on. */
interface RequestContext {
  readonly server: ServerState;
  readonly client: ClientState;
  /** The retryable write or transaction of the request, which determines the error labels. */
  attempted: Attempted | undefined;
  /** The name of the command, once it is known. */
  name: string | undefined;
}

/** Returns the error's own labels, or the labels that the server adds if it has none. */
const labelsOf = ({ code, labels, extra }: CommandError, context: RequestContext | undefined): readonly string[] => {
  if (labels !== undefined) return labels;
  if (context === undefined) return [];
  const concern = extra.find(([name]) => name === 'writeConcernError')?.[1];
  const concernCode = isDoc(concern) ? concern.get('code') : undefined;
  const trouble = { code, concernCode: typeof concernCode === 'number' ? concernCode : undefined };
  return labelsBy(context.server, context.attempted, trouble);
};

/** Returns `$clusterTime` and `operationTime`, which members of a set and mongos append to every reply. */
const gossipOf = (context: RequestContext | undefined): Fields =>
  context === undefined ? [] : signedFor(context.server, context.client);

/** Converts the JavaScript engine's RangeErrors for too deep recursion and too large values to the server's errors. */
const excess = ({ message }: RangeError): CommandError | undefined => {
  if (message.includes('call stack')) return fail('Overflow', 'BSONObj exceeded maximum nested object depth: 200');
  return /^Invalid (?:string|array) length|allocation failed/.test(message)
    ? fail(146, 'A value of the command needs more memory than is available')
    : undefined;
};

/** Converts an error to an error of the server. Unexpected errors are bugs in this server, and become InternalError. */
const commandErrorOf = (error: unknown): CommandError => {
  if (error instanceof CommandError) return error;
  const known = error instanceof RangeError ? excess(error) : undefined;
  return (
    known ?? fail('InternalError', `Internal server error: ${error instanceof Error ? error.message : String(error)}`)
  );
};

/** Returns the reply to a failed command: `{ok: 0.0, errmsg, code, codeName, …}`. */
export const errorReply = (error: unknown, context?: RequestContext): Doc => {
  const known = commandErrorOf(error);
  if (context?.name !== undefined) context.server.usage.hasFailed(context.name);
  const fields: Entry[] = [
    notOk,
    ['errmsg', known.message],
    ['code', known.code],
    ['codeName', known.codeName],
    ...known.extra,
  ];
  const labels = labelsOf(known, context);
  if (labels.length > 0) fields.push(['errorLabels', labels]);
  if (context?.server.role.isStateChange(known.code) === true && isAtLeast(context.server.engine.version, '4.4'))
    fields.push(['topologyVersion', topologyVersionOf(context.server)]);
  return Doc.of([...fields, ...gossipOf(context)]);
};

/** Returns the reply to a malformed request. The reply to an OP_QUERY that is not a command has the error in `$err`. */
export const refusal = (error: unknown, opCode: number): Answer => {
  if (opCode === opCodes.query && error instanceof CommandError && error.code === 5739101) {
    return { doc: Doc.of([['$err', error.message], ['code', error.code], notOk]) };
  }
  return { doc: errorReply(error) };
};

interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly generic: GenericArgs;
  readonly target: Value;
}

type Given = Record<string, unknown>;

const checkTransaction = (given: Given, { role }: ServerState): void => {
  const { autocommit, startTransaction } = given;
  if (given['txnNumber'] === undefined) {
    if (autocommit !== undefined)
      throw fail('InvalidOptions', "'autocommit' field requires a transaction number to also be specified");
  }
  if (autocommit === true) throw fail('InvalidOptions', 'Specifying autocommit=true is not allowed.');
  if (autocommit === undefined && startTransaction !== undefined)
    throw fail('InvalidOptions', "'startTransaction' field requires 'autocommit' field to also be specified");
  if (startTransaction === false) throw fail('InvalidOptions', 'Specifying startTransaction=false is not allowed.');
  if (given['txnNumber'] === undefined) return;
  if (given['lsid'] === undefined)
    throw fail('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  if (role.kind === 'standalone')
    throw fail('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
};

const partOf = ({ autocommit, startTransaction }: Given): GenericArgs['transaction'] => {
  if (autocommit === undefined) return undefined;
  return startTransaction === true ? 'start' : 'continue';
};

const genericTable = tableOf(genericSchema);

/** Returns the error for an unknown field. Before 5.0, some commands have different messages. */
const unknownArgument = ({ name: command }: Command, body: Doc, name: string, version: Version): Error => {
  if (!isAtLeast(version, '5.0')) {
    if (command === 'find')
      return fail('FailedToParse', `Failed to parse: ${showDoc(body)}. Unrecognized field '${name}'.`);
    if (command === 'aggregate') return fail('FailedToParse', `unrecognized field '${name}'`);
    if (command === 'findAndModify') return fail(51177, `BSON field '${name}' is an unknown field.`);
  }
  return unknownField(`${command}.${name}`);
};

interface Read {
  readonly args: Given;
  readonly generic: Given;
  readonly target: Value;
  readonly table: Table;
}

/** Reads the own and generic fields of a command. The body has at least one field, by which the command was found. */
const readFields = (command: Command, body: Doc, version: Version): Read => {
  const args: Given = {};
  const generic: Given = {};
  const table = tableOf(command.schema);
  const scope = command.name;
  const entries = body.entries();
  const target = entries[0]![1];
  const taken = readField(command.target, target, scope, scope, version);
  if (taken === undefined && command.target.isRequired) throw missingField(`${scope}.${scope}`);
  for (let i = 1; i < entries.length; i++) {
    const [name, value] = entries[i]!;
    const own = fieldOf(table, name, version);
    const known = own ?? fieldOf(genericTable, name, version);
    if (known === undefined) {
      if (command.lenient) continue;
      throw unknownArgument(command, body, name, version);
    }
    const into = own === undefined ? generic : args;
    if (Object.hasOwn(into, name)) throw duplicateField(`${scope}.${name}`);
    into[name] = readField(known, value, scope, name, version);
  }
  return { args, generic, target, table };
};

/** Returns the arguments of a command that another command executes. */
export const argumentsOf = (command: Command, body: Doc, version: Version): Parsed['args'] => {
  const { args, table } = readFields(command, body, version);
  requireFields(table, args, command.name);
  return args;
};

const parse = (command: Command, body: Doc, server: ServerState): Parsed => {
  const { args, generic, target, table } = readFields(command, body, server.engine.version);
  requireFields(table, args, command.name);
  checkApi(command, body, generic, server);
  checkTransaction(generic, server);
  return {
    args,
    target,
    generic: {
      lsid: generic['lsid'] as Doc | undefined,
      txnNumber: generic['txnNumber'] as bigint | undefined,
      transaction: partOf(generic),
      maxTimeMS: maxTimeOf(
        (args['maxTimeMS'] ?? generic['maxTimeMS']) as Value | undefined,
        `${command.name}.maxTimeMS`,
      ),
      comment: generic['comment'] as Value | undefined,
      readConcern: generic['readConcern'] as Doc | undefined,
      writeConcern: generic['writeConcern'] as Doc | undefined,
      apiStrict: generic['apiStrict'] === true,
      rawData: generic['rawData'] === true,
    },
  };
};

const okDoc = (fields: Fields, context: RequestContext): Doc => Doc.of([...fields, ok, ...gossipOf(context)]);

const toAnswer = (reply: Fields | Reply, context: RequestContext): Answer => {
  if (!('fields' in reply)) return { doc: okDoc(reply, context) };
  const { fields, size, next } = reply;
  return { doc: okDoc(fields, context), size, next: next && (() => settle(next, context)) };
};

/** Executes the command, and converts thrown errors and rejections to error replies. */
const settle = (run: () => Soon<Fields | Reply>, context: RequestContext): Soon<Answer> => {
  try {
    const reply = run();
    if (!(reply instanceof Promise)) return toAnswer(reply, context);
    return reply.then(
      done => toAnswer(done, context),
      (error: unknown) => ({ doc: errorReply(error, context) }),
    );
  } catch (error) {
    return { doc: errorReply(error, context) };
  }
};

const handshakes: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);

const find = (registry: Registry, request: Request, spelling: string, { engine }: ServerState): Command => {
  if (request.opCode === opCodes.query && !handshakes.has(spelling)) {
    throw fail(
      'UnsupportedOpQueryCommand',
      `Unsupported OP_QUERY command: ${spelling}. The client driver may require an upgrade.`,
    );
  }
  const command = registry.get(spelling);
  if (command === undefined || !isKnown(command, engine.version)) {
    throw fail('CommandNotFound', `no such command: '${spelling}'`);
  }
  return command;
};

/**
 * Checks that the fields of an explained command are those of the command. Missing fields are allowed.
 * @throws CommandError 59 for an unknown command, and codes of wrong fields
 */
const checkExplained = (registry: Registry, inner: Doc, version: Version): void => {
  const name = inner.keys()[0] ?? '';
  const explained = registry.get(name);
  if (explained === undefined || !isKnown(explained, version))
    throw fail('CommandNotFound', `Explain failed due to unknown command: ${name}`);
  readFields(explained, inner, version);
};

const isKnown = ({ since, until }: Command, version: Version): boolean =>
  (since === undefined || isAtLeast(version, since)) && (until === undefined || !isAtLeast(version, until));

const checkDb = (db: string, command: Command): void => {
  if (db === '' || db.length > 63 || /[/\\. "$\0]/.test(db)) {
    if (db === '$external') return;
    throw fail('InvalidNamespace', `Invalid database name: '${db}'`);
  }
  if (command.adminOnly && db !== 'admin') {
    throw fail('Unauthorized', `${command.name} may only be run against the admin database.`);
  }
};

/** Executes one request. It never throws: failures become error replies. */
export const dispatch = (
  registry: Registry,
  server: ServerState,
  client: ClientState,
  request: Request,
): Soon<Answer> => {
  const context: RequestContext = { server, client, attempted: undefined, name: undefined };
  return settle(() => {
    const spelling = request.body.entries()[0]?.[0] ?? '';
    const command = find(registry, request, spelling, server);
    client.latest = command.name;
    const { engine } = server;
    const { args, generic, target } = parse(command, request.body, server);
    if (command.name === 'explain') checkExplained(registry, target as Doc, engine.version);
    const { role } = server;
    const begun = engine.clock.now();
    context.name = command.name;
    context.attempted = attemptedOf(generic, command);
    checkDb(request.db ?? '', command);
    if (!client.isTrusted && server.auth.required) {
      const { body, db = '' } = request;
      checkAccess({ command: command.name, db, body, named: registry.nameOf }, server, client);
    }
    role.commandReceived();
    const isKnown = isKnownTo(server, client);
    if (isKnown) receiveClusterTime(server, client, request.body);
    // The shards check what a mongos passes on.
    if (role.kind !== 'mongos') checkWriteConcern(generic, command, server);
    const session = isKnown && isDoc(generic.lsid) ? sessionFor(generic.lsid, server, client) : undefined;
    if (session !== undefined) engine.useSession(session, generic.lsid!);
    server.counters.set(command.name, (server.counters.get(command.name) ?? 0) + 1);
    const call: Call = {
      server,
      engine,
      client,
      db: request.db ?? '',
      spelling,
      target: generic.rawData ? rawTarget(engine.value, command.name, request.db, target) : target,
      body: role.kind === 'mongos' ? withSession(request.body, session) : request.body,
      session,
      generic,
      deadline: deadlineOf(engine, command, generic),
      data: dataFor(engine, generic),
      write: writeOf(server, client, session, generic, request.body),
      readConcern: role.kind === 'mongos' ? undefined : readConcernOf(generic, command, server),
      snapshot: undefined,
      exhaust: request.exhaust,
    };
    const work = (): Soon<Fields | Reply> => refusedByUuid(call, command, args) ?? withScriptSleep(call, command, args);
    const reply =
      server.capacity === undefined ? observed(call, command, work) : admitted(server.capacity, call, command, work);
    if (reply instanceof Promise) {
      const ended = (): void => measured(call, command, begun);
      void reply.then(ended, ended);
    } else measured(call, command, begun);
    return reply;
  }, context);
};

/** Records the time of a command. */
const measured = ({ server: { usage }, engine, db, target, body }: Call, { name }: Command, begun: Millis): void => {
  usage.executed(name, db, name === 'getMore' ? body.get('collection') : target, engine.clock.now() - begun);
};

/** Returns the body with the session's user in `lsid`, as a mongos sends it to shards. */
const withSession = (body: Doc, session: SessionKey | undefined): Doc => {
  const user = session === undefined ? '' : userOf(session);
  return user === '' ? body : body.with('lsid', withUser(body.get('lsid') as Doc, user));
};

/** Returns the deadline from `maxTimeMS`. In a getMore, `maxTimeMS` is how long to wait for data instead. */
const deadlineOf = ({ clock }: Engine, { name }: Command, { maxTimeMS = 0 }: GenericArgs): Millis =>
  maxTimeMS === 0 || name === 'getMore' ? Number.POSITIVE_INFINITY : clock.now() + maxTimeMS;

/** Returns the data to write to. Writes with a transaction number are recorded under their session. */
const dataFor = (engine: Engine, { lsid, txnNumber }: GenericArgs): Data =>
  lsid === undefined || txnNumber === undefined ? engine : authored(engine, { lsid, txnNumber });

const writeOf = (
  { engine, failPoints, role }: ServerState,
  { peer }: ClientState,
  session: SessionKey | undefined,
  { txnNumber, transaction }: GenericArgs,
  body: Doc,
): RetryableWrite | undefined =>
  txnNumber === undefined || transaction !== undefined || session === undefined || role.kind === 'mongos'
    ? undefined
    : new RetryableWrite(engine, session, { txnNumber, body }, { point: failPoints.onPrimaryTransactionalWrite, peer });

/**
 * Executes a command when the capacity allows it. Commands that neither read nor write data, such as hello, do not
 * wait.
 */
const admitted = (
  capacity: Capacity,
  call: Call,
  command: Command,
  work: () => Soon<Fields | Reply>,
): Soon<Fields | Reply> => {
  const waits = command.readConcern || command.writeConcern || command.name === 'getMore';
  if (!waits) return observed(call, command, work);
  const { processId } = call.server;
  const { isAdmitted, wait } = capacity.ask();
  if (!isAdmitted && wait === 0) throw overloaded();
  return call.engine.clock.sleep(wait).then(() => {
    if (!isAdmitted) throw overloaded();
    if (call.server.processId !== processId) throw fail('InterruptedAtShutdown', 'The server was shut down');
    return observed(call, command, work);
  });
};

/** How far a cluster time may be ahead of the wall clock, in seconds: mongod's `maxAcceptableLogicalClockDriftSecs`. */
const mostDrift = 31_536_000;

/**
 * Whether the client may leave state on the server: a session, an advanced cluster time, or a large message in memory.
 * Unauthenticated clients may not, if authentication is required.
 */
export const isKnownTo = ({ auth }: ServerState, { isTrusted, login }: ClientState): boolean =>
  isTrusted || !auth.required || login.present(auth).users.length > 0;

/**
 * Advances the server's cluster time to that of the request.
 * @throws CommandError 205 for a time that is too far ahead, 204, 211 for a signature of another deployment, and 12, 14,
 * 40414 for another form
 */
const receiveClusterTime = (server: ServerState, client: ClientState, body: Doc): void => {
  const { role, engine } = server;
  const gossip = body.get('$clusterTime');
  if (role.kind === 'standalone' || !isDoc(gossip)) return;
  const time = timeIn(gossip);
  checkProof(server, client, gossip);
  const wall = Math.floor(engine.clock.wallTime() / 1000);
  if (time.t - wall > mostDrift) {
    throw fail(
      'ClusterTimeFailsRateLimiter',
      `New cluster time, ${time.t}, is too far from this node's wall clock time, ${wall}.`,
    );
  }
  role.advanceClusterTime(time);
};
