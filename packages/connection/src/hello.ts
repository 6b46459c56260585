import { MongoError, numberOf, objectIdOf, wholeOf } from '@tessera/contracts';
import type { Address, Conversation, Document, Hello, Millis, ServerApi } from '@tessera/contracts';

export interface Greeting {
  readonly client: Document;
  readonly compression: readonly string[];
  readonly serverApi: ServerApi | undefined;
  readonly loadBalanced: boolean;
  readonly conversation: Conversation | undefined;
}

/**
 * The first command of a connection. `backpressure` tells that the driver backs off when a server is overloaded.
 * Rule: MongoDB Handshake, "Connection handshake".
 */
export const helloCommand = ({ client, compression, serverApi, loadBalanced, conversation }: Greeting): Document => ({
  ...(serverApi !== undefined || loadBalanced ? { hello: 1 } : { isMaster: 1 }),
  helloOk: true,
  client,
  compression,
  backpressure: '2',
  ...(loadBalanced ? { loadBalanced } : {}),
  ...(conversation?.user === undefined ? {} : { saslSupportedMechs: conversation.user }),
  ...(conversation?.first === undefined ? {} : { speculativeAuthenticate: conversation.first }),
});

/** A limit that lets nothing through is none. */
const limitOf = (value: unknown): number | undefined => {
  const limit = numberOf(value);
  return limit !== undefined && limit >= 1 ? limit : undefined;
};

/** The limits of servers that do not tell them. */
const OLD = { maxBsonObjectSize: 16 * 1024 * 1024, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 1000 };

/**
 * What the reply to the first hello says about this connection.
 * @throws MongoError `usage` if a load balancer was promised but the server knows of none
 */
export const helloOf = (from: Address, document: Document, roundTrip: Millis, loadBalanced: boolean): Hello => {
  const serviceId = objectIdOf(document['serviceId']);
  if (loadBalanced && serviceId === undefined) {
    throw new MongoError(
      'usage',
      'Driver attempted to initialize in load balancing mode, but the server does not support this mode. ' +
        `(${from} told no serviceId; is it behind a load balancer? Otherwise leave out loadBalanced=true)`,
      { origin: { phase: 'hello', sent: true, address: from } },
    );
  }
  return {
    document,
    serviceId,
    connectionId: wholeOf(document['connectionId']),
    maxWireVersion: numberOf(document['maxWireVersion']) ?? 0,
    logicalSessionTimeoutMinutes: numberOf(document['logicalSessionTimeoutMinutes']),
    maxBsonObjectSize: limitOf(document['maxBsonObjectSize']) ?? OLD.maxBsonObjectSize,
    maxMessageSizeBytes: limitOf(document['maxMessageSizeBytes']) ?? OLD.maxMessageSizeBytes,
    maxWriteBatchSize: limitOf(document['maxWriteBatchSize']) ?? OLD.maxWriteBatchSize,
    roundTrip,
  };
};
