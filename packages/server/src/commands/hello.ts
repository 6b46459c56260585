import type { Soon } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { DateValue, Doc, ObjectIdValue, fail, isAtLeast, wireVersionOf } from '@tessera/mql/engine';
import { speculate, supportedMechanisms } from '../auth/sasl-commands.js';
import { maxBatchBytes } from '@tessera/store';
import { sessionTimeoutMinutes } from '../engine/engine.js';
import { waitUntil } from '../engine/wait.js';
import { membership } from '../repl/membership.js';
import { maxMessageSize } from '../wire/frame.js';
import type { Call, Command, Fields, Reply, ServerState } from './command.js';
import { command } from './command.js';
import type { Args, Schema } from './schema.js';
import { any, array, bool, integer, object, since, string, strictBool } from './schema.js';

export const maxWriteBatchSize = 100_000;

const schema = {
  helloOk: bool(),
  client: object(),
  compression: array(),
  saslSupportedMechs: string(),
  speculativeAuthenticate: object(),
  topologyVersion: since('4.4', object()),
  maxAwaitTimeMS: since('4.4', integer(0)),
  loadBalanced: strictBool(),
  internalClient: any(),
  backpressure: any(),
} satisfies Schema;

type HelloArgs = Args<typeof schema>;

export const topologyVersionOf = (server: ServerState): Doc =>
  Doc.of([
    ['processId', server.processId],
    ['counter', server.role.counter],
  ]);

const routing = ({ role }: ServerState): readonly Entry[] => (role.kind === 'mongos' ? [['msg', 'isdbgrid']] : []);

/** Returns the compressors that client and server have in common, in the client's order. */
const agreed = (offered: readonly Value[], { compressors }: ServerState): readonly string[] =>
  offered.filter((name): name is string => compressors.some(compressor => compressor.name === name));

/** Checks that the server is not shutting down. @throws CommandError 91 in quiesce mode */
const checkQuiesce = ({ server: { role }, engine: { clock } }: Call): void => {
  if (role.quiescesUntil === undefined) return;
  const left = BigInt(Math.max(0, Math.round(role.quiescesUntil - clock.now())));
  throw fail('ShutdownInProgress', 'The server is in quiesce mode and will shut down', [
    ['remainingQuiesceTimeMillis', left],
  ]);
};

const fieldsOf = (call: Call, args: HelloArgs): Fields => {
  const { server, engine, client } = call;
  checkQuiesce(call);
  const primary = call.spelling === 'hello' ? 'isWritablePrimary' : 'ismaster';
  const version: readonly Entry[] = isAtLeast(engine.version, '4.4')
    ? [['topologyVersion', topologyVersionOf(server)]]
    : [];
  const fields: Entry[] = [];
  if (args.helloOk === true) fields.push(['helloOk', true]);
  fields.push(
    ...(server.role.kind === 'member'
      ? [...version, ...membership(server.role.member, primary)]
      : ([[primary, true], ...routing(server), ...version] as const)),
    ['maxBsonObjectSize', maxBatchBytes],
    ['maxMessageSizeBytes', maxMessageSize],
    ['maxWriteBatchSize', maxWriteBatchSize],
    ['localTime', new DateValue(engine.clock.wallTime())],
    ['logicalSessionTimeoutMinutes', sessionTimeoutMinutes],
    ['connectionId', client.peer.id],
    ['minWireVersion', 0],
    ['maxWireVersion', wireVersionOf(engine.version)],
    ['readOnly', false],
  );
  // `serviceId` stays the same while the process runs. Rule: Load Balancers, "Downstream Visible Behavioral Changes".
  if (client.isBalanced && args.loadBalanced === true) fields.push(['serviceId', server.processId]);
  if (args.compression !== undefined) {
    const names = agreed(args.compression, server);
    if (names.length > 0) fields.push(['compression', names]);
  }
  if (args.saslSupportedMechs !== undefined) fields.push(...supportedMechanisms(call, args.saslSupportedMechs));
  return fields;
};

/** Whether the client's topologyVersion is current, so that the hello waits for a change. */
const isCurrent = (known: Doc, server: ServerState): boolean => {
  const counter = server.role.counter;
  const itsId = known.get('processId');
  const itsCounter = known.get('counter');
  if (!(itsId instanceof ObjectIdValue) || typeof itsCounter !== 'bigint') {
    throw fail('TypeMismatch', 'topologyVersion must be { processId: objectId, counter: long }');
  }
  if (itsId.hex !== server.processId.hex) return false;
  if (itsCounter > counter) {
    throw fail(
      31382,
      `Received a topology version with counter: ${itsCounter} which is greater than the server topology version counter: ${counter}`,
    );
  }
  return itsCounter === counter;
};

const storeMetadata = ({ client }: Call, metadata: Doc | undefined): void => {
  if (metadata === undefined) return;
  if (client.metadata !== undefined) {
    throw fail('ClientMetadataCannotBeMutated', 'The client metadata document may only be sent in the first hello');
  }
  client.metadata = metadata.view();
};

const answer = (call: Call, args: HelloArgs): Soon<Fields | Reply> => {
  const { topologyVersion: known, maxAwaitTimeMS: wait } = args;
  if (known !== undefined && wait === undefined) {
    throw fail(51758, "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'");
  }
  if (known === undefined) {
    if (wait !== undefined) throw fail(51759, "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'");
    return fieldsOf(call, args);
  }
  const reply = (): Reply => {
    const sentCounter = call.server.role.counter;
    return { fields: fieldsOf(call, args), next: call.exhaust ? () => later(sentCounter) : undefined };
  };
  const later = async (sentCounter: bigint): Promise<Reply> => {
    await changeOf(call, sentCounter, wait!);
    return reply();
  };
  return isCurrent(known, call.server) ? later(call.server.role.counter) : reply();
};

/** Waits until the server's topologyVersion changes, the time is over, or the client disconnects. */
const changeOf = async (
  { engine: { clock }, server, client: { peer } }: Call,
  before: bigint,
  within: number,
): Promise<void> => {
  const once = (wake: () => void): (() => void) => server.role.onceChanged(wake);
  await waitUntil(() => server.role.counter !== before, { clock, signal: peer.signal, within, once });
};

/** Connections that have sent a hello. */
const greeted = new WeakSet<Call['client']>();

/** Checks that a client behind a load balancer sends `loadBalanced: true` in its first hello. Rule: Load Balancers. */
const checkBalanced = ({ client }: Call, { loadBalanced }: HelloArgs): void => {
  if (!client.isBalanced || greeted.has(client)) return;
  greeted.add(client);
  if (loadBalanced === true) return;
  throw fail(
    'LoadBalancerSupportMismatch',
    'The server is being accessed through a load balancer, but this driver does not have load balancing enabled',
  );
};

const run = (call: Call, args: HelloArgs): Soon<Fields | Reply> => {
  checkBalanced(call, args);
  storeMetadata(call, args.client);
  if (args.internalClient !== undefined) call.client.isInternal = true;
  const reply = answer(call, args);
  const { speculativeAuthenticate: start } = args;
  if (start === undefined || reply instanceof Promise || 'fields' in reply) return reply;
  return speculate(call, start).then(more => [...reply, ...more]);
};

export const hello: Command = command({
  name: 'hello',
  schema,
  stable: true,
  help: 'Returns the role and the capabilities of this server.',
  run,
});

export const isMaster: Command = command({
  name: 'isMaster',
  aliases: ['ismaster'],
  schema,
  lenient: true,
  help: 'Returns the same as hello, under its former name.',
  run,
});
