import type { Millis } from './clock.js';
import type { Document, ObjectId } from './values.js';

/** The hello reply of one connection's handshake, with defaults for missing fields. Rule: MongoDB Handshake. */
export interface Hello {
  /** The whole reply. */
  readonly document: Document;
  /** Behind a load balancer: the id of the server that the connection reaches. Undefined otherwise. Rule: Load Balancers. */
  readonly serviceId: ObjectId | undefined;
  /** The server's id of the connection. */
  readonly connectionId: bigint | undefined;
  /** The newest wire version that the server speaks. */
  readonly maxWireVersion: number;
  /** Undefined if the server does not support sessions. */
  readonly logicalSessionTimeoutMinutes: number | undefined;
  /** The maximum size of a document, in bytes. */
  readonly maxBsonObjectSize: number;
  /** The maximum size of a message, in bytes. */
  readonly maxMessageSizeBytes: number;
  /** The maximum number of statements in one write command. */
  readonly maxWriteBatchSize: number;
  /** The time from sending the hello command to receiving its reply, in milliseconds. */
  readonly roundTrip: Millis;
}
