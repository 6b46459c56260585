import type { Address, Millis } from '@tessera/contracts';
import type { CommandError, Doc, Entry } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import type { Member } from './member.js';
import type { ReplicaSet } from './replica-set.js';
import { isStateChange } from './state-change.js';

/**
 * Sends the cluster time to clients and receives it from them. Rule: Driver Sessions, "Gossipping the cluster time".
 */
export interface Timekeeper {
  /** Returns the fields at the end of every reply. */
  gossip(): readonly Entry[];
  advanceClusterTime(clusterTime: unknown): void;
}

/** The part of a role that all servers have. */
interface InDeployment extends Timekeeper {
  /** Called for each command. */
  commandReceived(): void;
  /** The counter of hello's topologyVersion. It increases with every change of the server. */
  readonly counter: bigint;
  /** The clock's time at which the process ends, once a shutdown has begun. */
  readonly quiescesUntil: Millis | undefined;
  /** The read concern of commands that have none. */
  readonly defaultReadConcern: Doc | undefined;
  /** Returns the data with the server's own database `local`. */
  withLocal(value: DatabaseValue): DatabaseValue;
  /** Whether errors with this code report a state change of the server, and therefore contain the topologyVersion. */
  isStateChange(code: number): boolean;
  /** Calls `wake` once, after the next change of the server. Returns a function that cancels the callback. */
  onceChanged(wake: () => void): () => void;
  /** Stops or resumes replication to this server. */
  haltReplication(on: boolean): void;
}

/** The reactions of a role to events of its process. */
interface Lifecycle {
  crashed(): void;
  restarted(): void;
  /** Called when the server is closed, and will not run again. */
  left(): void;
  /** Called when the server listens on an address. */
  moved(address: Address): void;
  freeze(on: boolean): void;
  /** Interrupts the operations that wait on the server. */
  interrupt(why: CommandError): void;
}

/** A server outside of replica sets. */
export interface Standalone extends InDeployment, Lifecycle {
  readonly kind: 'standalone';
}

/** A router in front of the shards of a cluster. */
export interface Router extends InDeployment {
  readonly kind: 'mongos';
}

/** The role of a server in its deployment. */
export type ServerRole = Standalone | MemberRole | Router;

/** The role of a server that stores data. */
export type DataRole = Standalone | MemberRole;

const ignore = (): void => undefined;
const noFields: readonly Entry[] = [];

/** The role of a server outside of replica sets: its state never changes, and there are no other members. */
const unreplicated: Omit<InDeployment, keyof Timekeeper> = {
  commandReceived: ignore,
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
  advanceClusterTime: ignore,
  crashed: ignore,
  restarted: ignore,
  left: ignore,
  moved: ignore,
  freeze: ignore,
  interrupt: ignore,
};

/** @param time the cluster time of the router */
export const createRouter = (time: Timekeeper): Router => ({
  kind: 'mongos',
  ...unreplicated,
  gossip: () => time.gossip(),
  advanceClusterTime: clusterTime => time.advanceClusterTime(clusterTime),
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

  advanceClusterTime(clusterTime: unknown): void {
    this.member.advanceClusterTime(clusterTime);
  }

  commandReceived(): void {
    this.member.commandReceived();
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
