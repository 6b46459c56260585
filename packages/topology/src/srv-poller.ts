import type { Address, Clock, Millis, Random, Timer, TopologyType } from '@tessera/contracts';
import { isRescanned, leastInterval, rescanAfter, shuffled } from './rescan.js';
import type { LookUpSeeds } from './rescan.js';

export interface SrvPollerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly lookUpSeeds: LookUpSeeds;
  readonly topologyType: () => TopologyType;
  /** At least one, in the order in which they are to be taken. */
  readonly found: (hosts: readonly Address[]) => void;
}

export interface SrvPoller {
  /** The first rescan comes when the records that the seeds came from are old. */
  start(): void;
  stop(): void;
}

/** Looks the records up again and again, in the background, while the deployment may be a sharded cluster. */
export const createSrvPoller = (
  deps: SrvPollerDeps,
  options: { readonly heartbeatFrequencyMS: Millis; readonly seedsTimeToLive: Millis | undefined },
): SrvPoller => {
  const { clock, random, lookUpSeeds, topologyType, found } = deps;
  const { heartbeatFrequencyMS, seedsTimeToLive } = options;
  let timer: Timer | undefined;
  let isStopped = false;

  const schedule = (after: Millis): void => {
    timer = clock.startTimer(after, () => void rescan(), { background: true });
  };

  const rescan = async (): Promise<void> => {
    if (!isRescanned(topologyType())) return;
    const seeds = await lookUpSeeds().catch(() => undefined);
    if (isStopped) return;
    schedule(rescanAfter(seeds, heartbeatFrequencyMS));
    if (seeds !== undefined && seeds.hosts.length > 0) found(shuffled(seeds.hosts, random));
  };

  return {
    start: () => {
      schedule(Math.max(leastInterval, seedsTimeToLive ?? leastInterval));
    },
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
};
