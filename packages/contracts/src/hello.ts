import type { Origin } from './errors.js';
import type { Millis } from './clock.js';
import type { Document, ObjectId } from './values.js';

/** The hello reply of one connection's handshake, with defaults for missing fields. Rule: MongoDB Handshake. */
export interface Hello {
  /** The whole reply. */
  readonly document: Document;
  /** The service behind a load balancer that the connection belongs to. Rule: Load Balancers. */
  readonly serviceId: ObjectId | undefined;
  /** The server's id of the connection. */
  readonly connectionId: bigint | undefined;
  readonly maxWireVersion: number;
  /** Undefined if the server does not support sessions. */
  readonly logicalSessionTimeoutMinutes: number | undefined;
  /** In bytes. */
  readonly maxBsonObjectSize: number;
  /** In bytes. */
  readonly maxMessageSizeBytes: number;
  /** The number of statements that one write command may contain. */
  readonly maxWriteBatchSize: number;
  /** The time from sending hello to its reply. */
  readonly roundTrip: Millis;
}

/** Returns the fields of an error's origin that come from the handshake. All are undefined without a hello reply. */
export const originFrom = (hello: Hello | undefined): Pick<Origin, 'serviceId' | 'maxWireVersion' | 'hasSessions'> => ({
  serviceId: hello?.serviceId,
  maxWireVersion: hello?.maxWireVersion,
  hasSessions: hello === undefined ? undefined : hello.logicalSessionTimeoutMinutes !== undefined,
});
