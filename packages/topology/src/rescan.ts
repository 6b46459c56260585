import type { Address, Millis, Random, TopologyType } from '@tessera/contracts';

/** What SRV records name, as far as the names may be used. */
export interface SeedList {
  readonly hosts: readonly Address[];
  /** The least of the records' TTLs; undefined where it cannot be told. */
  readonly timeToLive: Millis | undefined;
}

/** Rejects, or finds none, if the records cannot be had. */
export type LookUpSeeds = () => Promise<SeedList>;

/** Rule: Polling SRV Records for mongos Discovery, "rescanSRVIntervalMS". */
export const leastInterval: Millis = 60_000;

/** When to look again: records that could not be had are asked for as often as servers. Rule: the same, "Implementation". */
export const rescanAfter = (found: SeedList | undefined, heartbeatFrequencyMS: Millis): Millis =>
  found === undefined || found.hosts.length === 0
    ? heartbeatFrequencyMS
    : Math.max(leastInterval, found.timeToLive ?? leastInterval);

/** Whether the deployment may have mongos servers that are not known yet. Rule: the same. */
export const isRescanned = (type: TopologyType): boolean => type === 'Unknown' || type === 'Sharded';

/** All orders are equally likely. Rule: Initial DNS Seedlist Discovery, "srvMaxHosts". */
export const shuffled = (hosts: readonly Address[], random: Random): readonly Address[] => {
  const result = [...hosts];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random.unit() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
};
