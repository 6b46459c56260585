import type { Document } from '@tessera/contracts';
import { Binary, Long, Timestamp } from 'bson';

export const clusterTime = (seconds: number, increment = 1): Document => ({
  clusterTime: new Timestamp({ t: seconds, i: increment }),
  signature: { hash: new Binary(new Uint8Array(20).fill(seconds % 256), 0), keyId: Long.fromNumber(7) },
});
export const replyAt = (seconds: number, increment = 1): Document => ({
  ok: 1,
  operationTime: new Timestamp({ t: seconds, i: increment }),
  $clusterTime: clusterTime(seconds, increment),
});
/** The cluster time of a command. */
export const timeIn = (command: Document | undefined): unknown =>
  (command?.['$clusterTime'] as Document | undefined)?.['clusterTime'] as unknown;
