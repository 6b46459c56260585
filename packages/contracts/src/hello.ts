import type { Origin } from './errors.js';
import type { Millis } from './clock.js';
import type { Document, ObjectId } from './values.js';

/** What the server said in the handshake of this very connection. */
export interface Hello {
  readonly document: Document;
  readonly serviceId: ObjectId | undefined;
  /** The server's own number for the connection. */
  readonly connectionId: bigint | undefined;
  readonly maxWireVersion: number;
  readonly logicalSessionTimeoutMinutes: number | undefined;
  readonly maxBsonObjectSize: number;
  readonly maxMessageSizeBytes: number;
  readonly maxWriteBatchSize: number;
  /** How long the handshake's hello took. */
  readonly roundTrip: Millis;
}

/** The part of an error's origin that is known from the handshake: nothing before the server has answered hello. */
export const originFrom = (hello: Hello | undefined): Pick<Origin, 'serviceId' | 'maxWireVersion' | 'hasSessions'> => ({
  serviceId: hello?.serviceId,
  maxWireVersion: hello?.maxWireVersion,
  hasSessions: hello === undefined ? undefined : hello.logicalSessionTimeoutMinutes !== undefined,
});
