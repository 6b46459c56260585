/** Literals of server and topology descriptions, and the reducer inputs that lead to them. */
import type { Address, ServerDescription, TopologyDescription, TopologyType } from '@tessera/contracts';
import type { TopologyEffect, TopologySettings } from '../src/description/reduction.js';
import { reduce } from '../src/description/reduce.js';
import { unknownServer } from '../src/description/server-description.js';
import { emptyTopology } from '../src/description/topology-description.js';

export const [a, b, c]: readonly [Address, Address, Address] = ['a:27017', 'b:27017', 'c:27017'];

export const settingsOf = (more: Partial<TopologySettings> = {}): TopologySettings => ({
  topologyId: 7,
  seeds: [a],
  replicaSet: undefined,
  directConnection: false,
  loadBalanced: false,
  srvMaxHosts: 0,
  ...more,
});

/** A server that was last checked at 1 and has a supported version. */
export const server = (
  address: Address,
  type: ServerDescription['type'],
  more: Partial<ServerDescription> = {},
): ServerDescription => ({
  ...unknownServer(address),
  type,
  lastUpdateTime: 1,
  roundTripTime: 1,
  maxWireVersion: 25,
  ...more,
});

/** A member of the set `rs`, whose hosts are a and b. */
export const member = (
  address: Address,
  type: ServerDescription['type'],
  more: Partial<ServerDescription> = {},
): ServerDescription => server(address, type, { setName: 'rs', hosts: [a, b], me: address, ...more });

export const topology = (
  type: TopologyType,
  servers: readonly ServerDescription[],
  more: Partial<TopologyDescription> = {},
): TopologyDescription => ({
  ...emptyTopology,
  type,
  servers: new Map(servers.map(one => [one.address, one])),
  ...more,
});

/** Returns the deployment after it is opened and these hello replies arrive in order. */
export const afterChecks = (
  settings: TopologySettings,
  ...answers: readonly ServerDescription[]
): TopologyDescription => {
  let { description } = reduce(emptyTopology, { type: 'open' }, settings);
  for (const one of answers) ({ description } = reduce(description, { type: 'checked', server: one }, settings));
  return description;
};

/** Summarizes a topology by its type, its set name and the type of each server. */
export const inShort = ({ type, setName, servers }: TopologyDescription): string =>
  `${type}${setName === undefined ? '' : ` ${setName}`}: ${[...servers.values()]
    .map(one => `${one.address.slice(0, 1)} ${one.type}`)
    .join(', ')}`;

/** Summarizes effects, each in one or two words, to compare their order. */
export const effectsInShort = (effects: readonly TopologyEffect[]): readonly string[] =>
  effects.map(effect => (effect.type === 'event' ? effect.event.name : `${effect.type} ${effect.address.slice(0, 1)}`));
