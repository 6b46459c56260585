import type { Address, Millis } from '@tessera/contracts';
import type { CommandError, Doc, Entry } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import type { Member } from './member.js';
import type { ReplicaSet } from './replica-set.js';
import { isStateChange } from './state-change.js';

/** Tells clients the cluster time and hears it from them. Rule: Driver Sessions, "Gossipping the cluster time". */
export interface Timekeeper {
  /** Returns the fields at the end of every reply. */
  gossip(): readonly Entry[];
  hear(clusterTime: unknown): void;
}

/** What commands ask of a server whatever its role is. */
interface InDeployment extends Timekeeper {
  /** Called when a command has come. */
  asked(): void;
  /** Of hello's topologyVersion: it rises with every change of the server. */
  readonly counter: bigint;
  /** On the clock: the process is about to end then. */
  readonly quiescesUntil: Millis | undefined;
  /** The read concern of commands that have none. */
  readonly defaultReadConcern: Doc | undefined;
  /** Returns the data with the server's own database `local`. */
  withLocal(value: DatabaseValue): DatabaseValue;
  /** Whether an error with that code means that the server has changed: it then has the topologyVersion. */
  isStateChange(code: number): boolean;
  /** Calls back once, after the next change of the server. Returns the way to take that back. */
  onceChanged(wake: () => void): () => void;
  /** Stops taking part in replication, or takes part again. */
  haltReplication(on: boolean): void;
}

/** What a process that keeps data does in its role. */
interface Lifecycle {
  crashed(): void;
  restarted(): void;
  /** The server is closed, and will not run again. */
  left(): void;
  /** The server listens at that address. */
  moved(address: Address): void;
  freeze(on: boolean): void;
  /** Ends what waits on the server. */
  interrupt(why: CommandError): void;
}

/** A server that is in no replica set. */
export interface Standalone extends InDeployment, Lifecycle {
  readonly kind: 'standalone';
}

/** A router in front of the shards of a cluster. */
export interface Router extends InDeployment {
  readonly kind: 'mongos';
}

/** What a server is in its deployment. */
export type ServerRole = Standalone | MemberRole | Router;

/** What a server that keeps data is in its deployment. */
export type DataRole = Standalone | MemberRole;

const ignore = (): void => undefined;
const noFields: readonly Entry[] = [];

/** Outside of replica sets nothing changes, and nobody else is to be told. */
const unreplicated: Omit<InDeployment, keyof Timekeeper> = {
  asked: ignore,
  counter: 0n,
  quiescesUntil: undefined,
  defaultReadConcern: undefined,
  withLocal: value => value,
  isStateChange: () => false,
  onceChanged: () => ignore,
  haltReplication: ignore,
};

export const standalone: Standalone = {
  kind: 'standalone',
  ...unreplicated,
  gossip: () => noFields,
  hear: ignore,
  crashed: ignore,
  restarted: ignore,
  left: ignore,
  moved: ignore,
  freeze: ignore,
  interrupt: ignore,
};

/** @param time what the router knows of the cluster time */
export const createRouter = (time: Timekeeper): Router => ({
  kind: 'mongos',
  ...unreplicated,
  gossip: () => time.gossip(),
  hear: clusterTime => time.hear(clusterTime),
});

/** A member of a replica set. */
export class MemberRole implements InDeployment, Lifecycle {
  readonly kind = 'member';
  readonly member: Member;
  readonly set: ReplicaSet;

  constructor(set: ReplicaSet, member: Member) {
    this.set = set;
    this.member = member;
  }

  gossip(): readonly Entry[] {
    return this.member.gossip();
  }

  hear(clusterTime: unknown): void {
    this.member.hear(clusterTime);
  }

  asked(): void {
    this.member.asked();
  }

  get counter(): bigint {
    return this.member.counter;
  }

  get quiescesUntil(): Millis | undefined {
    return this.member.quiescesUntil;
  }

  get defaultReadConcern(): Doc | undefined {
    return this.member.defaults.readConcern;
  }

  withLocal(value: DatabaseValue): DatabaseValue {
    return this.member.withLocal(value);
  }

  isStateChange(code: number): boolean {
    return isStateChange(code, this.quiescesUntil !== undefined);
  }

  onceChanged(wake: () => void): () => void {
    return this.member.onceChanged(wake);
  }

  haltReplication(on: boolean): void {
    this.set.halt(this.member, on);
  }

  crashed(): void {
    this.set.crashed(this.member);
  }

  restarted(): void {
    this.set.restarted(this.member);
  }

  left(): void {
    this.set.left(this.member);
  }

  moved(address: Address): void {
    this.set.moved(this.member, address);
  }

  freeze(on: boolean): void {
    if (this.member.isFrozen === on) return;
    this.member.isFrozen = on;
    this.set.refresh();
  }

  interrupt(why: CommandError): void {
    this.member.inFlight.interrupt(why);
  }
}
