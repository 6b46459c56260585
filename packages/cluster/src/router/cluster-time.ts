import { BinaryValue, Doc, TimestampValue, isDoc } from '@tessera/mql/engine';
import type { Fields, Timekeeper } from '@tessera/server/parts';
import { isLater } from '@tessera/server/parts';

const signature = Doc.of([
  ['hash', new BinaryValue(0, new Uint8Array(20))],
  ['keyId', 0n],
]);

const beginning = new TimestampValue(0, 0);

/** The cluster time that a mongos has received from clients and shards. */
export class ClusterTime implements Timekeeper {
  readonly #readTime: () => void;
  #now = beginning;
  #operation = beginning;

  /** @param readTime reads the time of the shards, by calling {@link advanceClusterTime} */
  constructor(readTime: () => void) {
    this.#readTime = readTime;
  }

  /** The latest time received. */
  get now(): TimestampValue {
    return this.#now;
  }

  advanceClusterTime(clusterTime: unknown): void {
    if (clusterTime instanceof TimestampValue && isLater(clusterTime, this.#now)) this.#now = clusterTime;
  }

  /** Reads the times of a shard's reply. */
  learn(reply: Doc): void {
    const gossip = reply.get('$clusterTime');
    if (isDoc(gossip)) this.advanceClusterTime(gossip.get('clusterTime'));
    const operation = reply.get('operationTime');
    if (operation instanceof TimestampValue && isLater(operation, this.#operation)) this.#operation = operation;
  }

  /** The `$clusterTime` for commands to shards, or undefined if no time is known. */
  get clusterTime(): Doc | undefined {
    if (this.#now === beginning) this.#readTime();
    if (this.#now === beginning) return undefined;
    return Doc.of([
      ['clusterTime', this.#now],
      ['signature', signature],
    ]);
  }

  gossip(): Fields {
    const { clusterTime } = this;
    if (clusterTime === undefined) return [];
    const operation = this.#operation === beginning ? this.#now : this.#operation;
    return [
      ['$clusterTime', clusterTime],
      ['operationTime', operation],
    ];
  }

  /** Resets the time for a new process. */
  forget(): void {
    this.#now = beginning;
    this.#operation = beginning;
  }
}
