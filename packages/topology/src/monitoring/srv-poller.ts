import type { Address, Clock, LookUpSeeds, Millis, Random, SeedList, Timer, TopologyType } from '@tessera/contracts';
import { isRescanned } from '../description/topology-description.js';

/** Rule: Polling SRV Records for mongos Discovery, "rescanSRVIntervalMS". */
const leastInterval: Millis = 60_000;

export interface SrvPollerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly lookUpSeeds: LookUpSeeds;
  readonly topologyType: () => TopologyType;
  /** Called with the hosts that the records name, at least one, in the order in which they are added. */
  readonly found: (hosts: readonly Address[]) => void;
}

export interface SrvPoller {
  /** Starts polling. The first rescan is due when the records of the seeds expire. */
  start(): void;
  stop(): void;
}

/** Looks up the SRV records periodically, in the background, while the deployment may be a sharded cluster. */
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

/**
 * Returns the time until the next rescan: heartbeatFrequencyMS after a failed lookup. Rule: the same, "Implementation".
 */
export const rescanAfter = (found: SeedList | undefined, heartbeatFrequencyMS: Millis): Millis =>
  found === undefined || found.hosts.length === 0
    ? heartbeatFrequencyMS
    : Math.max(leastInterval, found.timeToLive ?? leastInterval);

/** Shuffles the hosts uniformly. Rule: Initial DNS Seedlist Discovery, "srvMaxHosts". */
export const shuffled = (hosts: readonly Address[], random: Random): readonly Address[] => {
  const result = [...hosts];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random.unit() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
};
