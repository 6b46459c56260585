import type { Document, Millis } from '@tessera/contracts';
import { topologyVersionOf } from '../description/topology-version.js';

/** A server that has said that it knows `hello`, or was greeted with it, is asked so. Rule: Server Monitoring. */
export const helloCommand = (last: Document): Document =>
  last['helloOk'] === true || last['isWritablePrimary'] !== undefined
    ? { hello: 1, helloOk: true }
    : { isMaster: 1, helloOk: true };

/** Whether it can wait with its answer until something changes. Rule: Server Monitoring, "Feature Discovery". */
export const canAwait = (last: Document): boolean => topologyVersionOf(last) !== undefined;

/** Answered when something has changed since the last reply, or after so long. Rule: the same, "Awaitable hello". */
export const awaitableHello = (last: Document, maxAwaitTimeMS: Millis): Document => ({
  ...helloCommand(last),
  topologyVersion: topologyVersionOf(last),
  maxAwaitTimeMS: BigInt(Math.round(maxAwaitTimeMS)),
});
