/** Computes a second time which servers an operation may use. Specifications: Server Selection; Max Staleness. */
import type { Millis, Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import type { PlannedSettings } from '../plan.js';
import { at, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

const has = (server: ServerDescription, tags: Readonly<Record<string, string>>): boolean =>
  Object.keys(tags).every(name => server.tags[name] === tags[name]);

const staleness = (server: ServerDescription, all: readonly ServerDescription[], heartbeat: Millis): Millis => {
  const primary = all.find(({ type }) => type === 'RSPrimary');
  const last = server.lastWriteDate ?? 0;
  if (primary !== undefined)
    return server.lastUpdateTime - last - (primary.lastUpdateTime - (primary.lastWriteDate ?? 0)) + heartbeat;
  const dates = all.filter(({ type }) => type === 'RSSecondary').map(other => other.lastWriteDate ?? 0);
  return Math.max(...dates) - last + heartbeat;
};

/**
 * Returns why the server does not match the read preference, or undefined if it matches. Ignores the latency window.
 */
const objection = (
  server: ServerDescription,
  { mode, tags, maxStalenessSeconds }: Selection,
  all: readonly ServerDescription[],
  heartbeat: Millis,
): string | undefined => {
  const { type } = server;
  if (type !== 'RSPrimary' && type !== 'RSSecondary') return `it is ${type}`;
  if (mode === 'primary') return type === 'RSPrimary' ? undefined : `it is ${type}`;
  const isPrimaryEnough = mode === 'primaryPreferred' || mode === 'secondaryPreferred';
  if (type === 'RSPrimary' && isPrimaryEnough) return undefined;
  if (type === 'RSPrimary' && mode === 'secondary') return 'it is the primary';
  if (type === 'RSSecondary' && maxStalenessSeconds !== undefined) {
    const behind = staleness(server, all, heartbeat);
    if (behind > maxStalenessSeconds * 1000) return `it is ${behind} ms behind`;
  }
  return tags === undefined || tags.some(set => has(server, set)) ? undefined : 'it has none of the tags';
};

/** Returns the servers among these that match the read preference and are preferred to the others. */
const eligible = (
  topology: TopologyDescription,
  selection: Selection,
  among: readonly ServerDescription[],
  heartbeat: Millis,
): readonly ServerDescription[] => {
  const all = [...topology.servers.values()];
  if (!topology.type.startsWith('ReplicaSet')) return among.filter(({ type }) => type !== 'Unknown');
  const able = among.filter(server => objection(server, selection, all, heartbeat) === undefined);
  const primaries = able.filter(({ type }) => type === 'RSPrimary');
  const secondaries = able.filter(({ type }) => type === 'RSSecondary');
  const bySet = (servers: readonly ServerDescription[]): readonly ServerDescription[] => {
    const set = selection.tags?.find(wanted => servers.some(server => has(server, wanted)));
    return set === undefined ? servers : servers.filter(server => has(server, set));
  };
  switch (selection.mode) {
    case 'primary':
      return primaries;
    case 'primaryPreferred':
      return primaries.length > 0 ? primaries : bySet(secondaries);
    case 'secondary':
      return bySet(secondaries);
    case 'secondaryPreferred':
      return secondaries.length > 0 ? bySet(secondaries) : primaries;
    case 'nearest':
      return bySet(able);
  }
};

const verdict = (
  topology: TopologyDescription,
  selection: Selection,
  address: string,
  avoid: readonly string[],
  { heartbeatFrequencyMS: heartbeat, localThresholdMS }: PlannedSettings,
): string | undefined => {
  const all = [...topology.servers.values()];
  const chosen = topology.servers.get(address);
  if (chosen === undefined) return 'it is not part of the deployment';
  if (chosen.type === 'Unknown') return 'it is Unknown';
  const others = all.filter(server => !avoid.includes(server.address));
  const [wanted, least] = [
    eligible(topology, selection, others, heartbeat),
    eligible(topology, selection, all, heartbeat),
  ];
  const servers = wanted.length > 0 ? wanted : least;
  if (!servers.includes(chosen))
    return (
      objection(chosen, selection, all, heartbeat) ?? `${servers.map(other => other.address).join(', ')} are preferred`
    );
  const times = servers.flatMap(({ roundTripTime }) => roundTripTime ?? []);
  const limit = Math.min(...times) + localThresholdMS;
  return chosen.roundTripTime !== undefined && chosen.roundTripTime > limit
    ? `it is ${chosen.roundTripTime} ms away, the window ends at ${limit} ms`
    : undefined;
};

export const suitable: Invariant = {
  name: 'a selected server matches the read preference, is fresh enough, and is within the latency window',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'selected')) {
      const { description, selection, address, avoid } = fact;
      // A cursor stays on its server.
      if (fact.at !== undefined) {
        if (fact.at !== address) yield `${address} was chosen in place of ${fact.at} at ${at(time)}`;
        continue;
      }
      const wrong = verdict(description, selection, address, avoid, history.plan.settings);
      if (wrong !== undefined)
        yield `${address} was chosen at ${at(time)} for ${JSON.stringify(selection)}, but ${wrong}`;
    }
  },
};
