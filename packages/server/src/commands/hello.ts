import type { Soon } from '@tessera/contracts';
import { speculate, supportedMechanisms } from '../auth/sasl-commands.js';
import { maxBatchBytes } from '../engine/batch.js';
import { wireVersionOf } from '../engine/version.js';
import { fail } from '../errors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { DateValue, ObjectIdValue } from '../value/value.js';
import { maxMessageSize } from '../wire/frame.js';
import type { Call, Command, Fields, Reply, ServerState } from './command.js';
import { command } from './command.js';
import type { Args, Schema } from './schema.js';
import { any, array, bool, integer, object, string, strictBool } from './schema.js';

export const maxWriteBatchSize = 100_000;

const schema = {
  helloOk: bool(),
  client: object(),
  compression: array(),
  saslSupportedMechs: string(),
  speculativeAuthenticate: object(),
  topologyVersion: object(),
  maxAwaitTimeMS: integer(0),
  loadBalanced: strictBool(),
  internalClient: any(),
  backpressure: any(),
} satisfies Schema;

type HelloArgs = Args<typeof schema>;

const counter = 0n;

const topologyVersion = ({ processId }: ServerState): Doc =>
  Doc.of([
    ['processId', processId],
    ['counter', counter],
  ]);

/** The compressors of the client's list that are spoken here, in its order. */
const agreed = (offered: readonly Value[], { compressors }: ServerState): readonly string[] =>
  offered.filter((name): name is string => compressors.some(compressor => compressor.name === name));

const fieldsOf = (call: Call, args: HelloArgs): Fields => {
  const { server, engine, client } = call;
  const legacy = call.spelling !== 'hello';
  const fields: Entry[] = [];
  if (args.helloOk === true) fields.push(['helloOk', true]);
  fields.push(
    [legacy ? 'ismaster' : 'isWritablePrimary', true],
    ['topologyVersion', topologyVersion(server)],
    ['maxBsonObjectSize', maxBatchBytes],
    ['maxMessageSizeBytes', maxMessageSize],
    ['maxWriteBatchSize', maxWriteBatchSize],
    ['localTime', new DateValue(engine.clock.wallTime())],
    ['logicalSessionTimeoutMinutes', 30],
    ['connectionId', client.peer.id],
    ['minWireVersion', 0],
    ['maxWireVersion', wireVersionOf(engine.version)],
    ['readOnly', false],
  );
  // A service keeps its id while it runs. Rule: Load Balancers, "Downstream Visible Behavioral Changes".
  if (server.loadBalanced) fields.push(['msg', 'isdbgrid']);
  if (server.loadBalanced && args.loadBalanced === true) fields.push(['serviceId', server.processId]);
  if (args.compression !== undefined) {
    const names = agreed(args.compression, server);
    if (names.length > 0) fields.push(['compression', names]);
  }
  if (args.saslSupportedMechs !== undefined) fields.push(...supportedMechanisms(call, args.saslSupportedMechs));
  return fields;
};

/** Whether the client knows the present state, so that it is to wait for another. */
const isCurrent = (known: Doc, { processId }: ServerState): boolean => {
  const itsId = known.get('processId');
  const itsCounter = known.get('counter');
  if (!(itsId instanceof ObjectIdValue) || typeof itsCounter !== 'bigint') {
    throw fail('TypeMismatch', 'topologyVersion must be { processId: objectId, counter: long }');
  }
  if (itsId.hex !== processId.hex) return false;
  if (itsCounter > counter) {
    throw fail(
      31382,
      `Received a topology version with counter: ${itsCounter} which is greater than the server topology version counter: ${counter}`,
    );
  }
  return itsCounter === counter;
};

const hear = ({ client }: Call, metadata: Doc | undefined): void => {
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
  const reply = (): Reply => ({
    fields: fieldsOf(call, args),
    // Nothing ever changes on a standalone: the next is sent when the time is over.
    next: call.exhaust ? async () => later() : undefined,
  });
  const later = async (): Promise<Reply> => {
    try {
      await call.engine.clock.sleep(wait!, call.client.peer.signal);
    } catch (error) {
      // The connection is gone: nobody hears the answer.
      if (!call.client.peer.signal.aborted) throw error;
    }
    return reply();
  };
  return isCurrent(known, call.server) ? later() : reply();
};

const run = (call: Call, args: HelloArgs): Soon<Fields | Reply> => {
  hear(call, args.client);
  const reply = answer(call, args);
  const { speculativeAuthenticate: start } = args;
  if (start === undefined || reply instanceof Promise || 'fields' in reply) return reply;
  return speculate(call, start).then(more => [...reply, ...more]);
};

export const hello: Command = command({
  name: 'hello',
  schema,
  stable: true,
  help: 'Tells who this server is and what it can do.',
  run,
});

export const isMaster: Command = command({
  name: 'isMaster',
  aliases: ['ismaster'],
  schema,
  lenient: true,
  help: 'The older name of hello.',
  run,
});
