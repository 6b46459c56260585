import type { Document, Millis } from '@tessera/contracts';
import { topologyVersionOf } from '../description/server-description.js';

/**
 * Returns hello if the last reply had `helloOk` or answered hello, and legacy hello otherwise. Rule: Server Monitoring.
 */
export const helloCommand = (last: Document): Document =>
  last['helloOk'] === true || last['isWritablePrimary'] !== undefined
    ? { hello: 1, helloOk: true }
    : { isMaster: 1, helloOk: true };

/** Returns whether the server supports awaitable hello. Rule: Server Monitoring, "Feature Discovery". */
export const canAwait = (last: Document): boolean => topologyVersionOf(last) !== undefined;

/**
 * Returns a hello that the server answers when its state changes, or after `maxAwaitTimeMS`. Rule: the same, "Awaitable
 * hello".
 */
export const awaitableHello = (last: Document, maxAwaitTimeMS: Millis): Document => ({
  ...helloCommand(last),
  topologyVersion: topologyVersionOf(last),
  maxAwaitTimeMS: BigInt(Math.round(maxAwaitTimeMS)),
});
