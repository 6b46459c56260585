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
 * Returns the first command of a connection. `backpressure` announces that the driver backs off when the server is
 * overloaded.
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

/** Reads a limit. Limits below 1 are ignored. */
const limitOf = (value: unknown): number | undefined => {
  const limit = numberOf(value);
  return limit !== undefined && limit >= 1 ? limit : undefined;
};

/** The limits of servers that do not report any. */
const OLD = { maxBsonObjectSize: 16 * 1024 * 1024, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 1000 };

/**
 * Reads the reply to the first hello.
 * @throws MongoError `usage` if `loadBalanced` is set but the server is not behind a load balancer
 */
export const helloOf = (from: Address, document: Document, roundTrip: Millis, loadBalanced: boolean): Hello => {
  const serviceId = objectIdOf(document['serviceId']);
  if (loadBalanced && serviceId === undefined) {
    throw new MongoError(
      'usage',
      'Driver attempted to initialize in load balancing mode, but the server does not support this mode. ' +
        `(${from} returned no serviceId. If it is not behind a load balancer, remove loadBalanced=true.)`,
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
