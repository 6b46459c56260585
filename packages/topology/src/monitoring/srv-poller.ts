import type { Address, Clock, LookUpSeeds, Millis, Random, SeedList, Timer, TopologyType } from '@tessera/contracts';
import { isRescanned } from '../description/topology-description.js';

/** Rule: Polling SRV Records for mongos Discovery, "rescanSRVIntervalMS". */
const leastInterval: Millis = 60_000;

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

/** When to look again: records that could not be had are asked for as often as servers. Rule: the same, "Implementation". */
export const rescanAfter = (found: SeedList | undefined, heartbeatFrequencyMS: Millis): Millis =>
  found === undefined || found.hosts.length === 0
    ? heartbeatFrequencyMS
    : Math.max(leastInterval, found.timeToLive ?? leastInterval);

/** All orders are equally likely. Rule: Initial DNS Seedlist Discovery, "srvMaxHosts". */
export const shuffled = (hosts: readonly Address[], random: Random): readonly Address[] => {
  const result = [...hosts];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random.unit() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
};
