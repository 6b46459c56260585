import { BinaryValue, Doc, TimestampValue, isDoc } from '@tessera/mql/engine';
import type { Fields, Timekeeper } from '@tessera/server/parts';
import { isLater } from '@tessera/server/parts';

const signature = Doc.of([
  ['hash', new BinaryValue(0, new Uint8Array(20))],
  ['keyId', 0n],
]);

const beginning = new TimestampValue(0, 0);

/** How late it is in the cluster, as far as one mongos has heard from clients and shards. */
export class ClusterTime implements Timekeeper {
  readonly #ask: () => void;
  #now = beginning;
  #operation = beginning;

  /** @param ask has this hear of the time of some shard, if one knows it */
  constructor(ask: () => void) {
    this.#ask = ask;
  }

  /** The latest that was heard of. */
  get now(): TimestampValue {
    return this.#now;
  }

  hear(clusterTime: unknown): void {
    if (clusterTime instanceof TimestampValue && isLater(clusterTime, this.#now)) this.#now = clusterTime;
  }

  /** What the reply of a shard says of the time. */
  learn(reply: Doc): void {
    const gossip = reply.get('$clusterTime');
    if (isDoc(gossip)) this.hear(gossip.get('clusterTime'));
    const operation = reply.get('operationTime');
    if (operation instanceof TimestampValue && isLater(operation, this.#operation)) this.#operation = operation;
  }

  /** `$clusterTime` as it is told to shards; undefined before anybody knew it. */
  get told(): Doc | undefined {
    if (this.#now === beginning) this.#ask();
    if (this.#now === beginning) return undefined;
    return Doc.of([
      ['clusterTime', this.#now],
      ['signature', signature],
    ]);
  }

  gossip(): Fields {
    const { told } = this;
    if (told === undefined) return [];
    const operation = this.#operation === beginning ? this.#now : this.#operation;
    return [
      ['$clusterTime', told],
      ['operationTime', operation],
    ];
  }

  /** Another process knows nothing. */
  forget(): void {
    this.#now = beginning;
    this.#operation = beginning;
  }
}
