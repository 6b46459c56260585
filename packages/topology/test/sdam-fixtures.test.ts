import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Document,
  DriverEvent,
  Hello,
  ObjectId,
  ServerDescription,
  TopologyDescription,
} from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { nowhere, reduce, serverFromHello } from '../src/index.js';
import type { TopologyInput, TopologySettings } from '../src/index.js';
import { fixtures } from './fixtures.js';

interface ApplicationError {
  readonly address: Address;
  readonly generation?: number;
  readonly maxWireVersion: number;
  readonly when: 'beforeHandshakeCompletes' | 'afterHandshakeCompletes';
  readonly type: 'command' | 'network' | 'timeout';
  readonly response?: Document;
}

interface Phase {
  readonly description?: string;
  readonly responses?: readonly (readonly [Address, Document])[];
  readonly applicationErrors?: readonly ApplicationError[];
  readonly outcome: Document;
}

const settingsOf = (uri: string): TopologySettings => {
  const [, hosts = '', query = ''] = /^mongodb:\/\/([^/]*)\/?\??(.*)$/.exec(uri) ?? [];
  const options = new URLSearchParams(query);
  return {
    topologyId: 42,
    seeds: hosts.split(',').map(seed => (/:\d+$/.test(seed) ? seed : `${seed}:27017`).toLowerCase()),
    replicaSet: options.get('replicaSet') ?? undefined,
    directConnection: options.get('directConnection') === 'true',
    loadBalanced: options.get('loadBalanced') === 'true',
    srvMaxHosts: 0,
  };
};

/** A deployment without connections: the description, the pools' generations and the events. */
const createTrack = (settings: TopologySettings) => {
  const generations = new Map<Address, number>();
  const events: DriverEvent[] = [];
  let description: TopologyDescription = nowhere;
  const receive = (input: TopologyInput): void => {
    const reduction = reduce(description, input, settings);
    description = reduction.description;
    for (const effect of reduction.effects) {
      if (effect.type === 'openServer') generations.set(effect.address, 0);
      if (effect.type === 'closeServer') generations.delete(effect.address);
      if (effect.type === 'clearPool') generations.set(effect.address, (generations.get(effect.address) ?? 0) + 1);
      if (effect.type === 'event') events.push(effect.event);
    }
  };
  return {
    generations,
    events,
    receive,
    get description() {
      return description;
    },
  };
};

type Track = ReturnType<typeof createTrack>;

const respond = (track: Track, address: Address, response: Document): void => {
  if (response['ok'] === 1) {
    const server = serverFromHello(address, response, { lastUpdateTime: 0, roundTripTime: 5, minRoundTripTime: 0 });
    return track.receive({ type: 'checked', server });
  }
  const error =
    Object.keys(response).length === 0
      ? new MongoError('network', 'connection refused')
      : new MongoError('server', 'hello was refused', { reply: response });
  track.receive({ type: 'checkFailed', address, error, at: 0 });
};

const raise = (track: Track, given: ApplicationError): void => {
  const { address, type, response = {} } = given;
  const now = track.generations.get(address) ?? 0;
  const beforehand = given.when === 'beforeHandshakeCompletes';
  const hello = { maxWireVersion: given.maxWireVersion } as Hello;
  const generation = given.generation ?? now;
  const origin = { phase: beforehand ? 'hello' : 'command', sent: true, address, generation, hello } as const;
  // As the pool does. Rule: CMAP, "Backpressure-enabled".
  const labels = beforehand && type !== 'command' ? ['SystemOverloadedError', 'RetryableError'] : [];
  const at = 0;
  if (type !== 'command') {
    const error = new MongoError(type, `${type} error`, { origin, labels });
    return track.receive({ type: 'failed', error, generation: now, at });
  }
  const told = (response['ok'] === 1 ? response['writeConcernError'] : response) as Document | undefined;
  // Neither refused nor short of its write concern: nobody reports anything.
  if (told === undefined) return;
  const error = new MongoError('server', String(told['errmsg']), {
    code: told['code'] as number | undefined,
    reply: response,
    origin,
  });
  track.receive({ type: 'failed', error, generation: now, at });
};

const plain = (value: unknown): unknown => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'object' && 'toHexString' in value) return (value as ObjectId).toHexString();
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

/** The part that is looked for, or all if it is not there. */
const substring = (text: string | undefined, part: string): string | undefined =>
  text?.includes(part) === true ? part : text;

const actualServer = (track: Track, server: ServerDescription, expected: Document): Document =>
  Object.fromEntries(
    Object.keys(expected).map(key => {
      if (key === 'pool') return [key, { generation: track.generations.get(server.address) }];
      if (key === 'error') return [key, substring(server.error?.message, expected[key] as string)];
      // Unset is 0. Rule: "ServerDescription", minWireVersion.
      if (key.endsWith('WireVersion') && server.maxWireVersion === 0) return [key, null];
      return [key, plain(server[key as keyof ServerDescription])];
    }),
  );

const actualOutcome = (track: Track, expected: Document): Document =>
  Object.fromEntries(
    Object.entries(expected).map(([key, value]) => {
      const { description } = track;
      switch (key) {
        case 'servers': {
          const servers = value as Document;
          return [
            key,
            Object.fromEntries(
              [...description.servers.values()].map(server => [
                server.address,
                actualServer(track, server, (servers[server.address] ?? { type: '' }) as Document),
              ]),
            ),
          ];
        }
        case 'topologyType':
          return [key, description.type];
        case 'compatible':
          return [key, description.compatibilityError === undefined];
        case 'events':
          return [key, track.events.splice(0).map(plainEvent)];
        default:
          return [key, plain(description[key as keyof TopologyDescription])];
      }
    }),
  );

const expectedOutcome = (expected: Document): Document => {
  // A client that waits for all monitors at once needs no PossiblePrimary. Rule: "ServerType".
  const text = JSON.stringify(plain(expected)).replaceAll('PossiblePrimary', 'Unknown');
  return JSON.parse(text) as Document;
};

const snake = (name: string): string => `${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}_event`;

const plainEvent = (event: DriverEvent): Document => {
  const { name, ...fields } = event as { name: string } & Document;
  return {
    [snake(name)]: Object.fromEntries(
      Object.entries(fields).map(([key, value]) => {
        if (key === 'topologyId') return [key, '42'];
        if (!key.endsWith('Description')) return [key, value as unknown];
        return [
          key,
          'servers' in (value as object)
            ? plainTopology(value as TopologyDescription)
            : plainServer(value as ServerDescription),
        ];
      }),
    ),
  };
};

const told = (fields: Document): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const plainServer = ({ address, arbiters, hosts, passives, primary, setName, type }: ServerDescription): Document =>
  told({ address, arbiters, hosts, passives, primary, setName, type });

const plainTopology = ({ type: topologyType, setName, servers }: TopologyDescription): Document =>
  told({ topologyType, setName, servers: [...servers.values()].map(plainServer) });

for (const folder of ['rs', 'single', 'sharded', 'load-balanced', 'errors', 'monitoring']) {
  describe(`Server Discovery and Monitoring, official fixtures: ${folder}`, () => {
    for (const { path, content } of fixtures(`server-discovery-and-monitoring/tests/${folder}`)) {
      test(`${path}: ${String(content['description'])}`, () => {
        const track = createTrack(settingsOf(content['uri'] as string));
        track.receive({ type: 'open' });
        for (const [index, phase] of (content['phases'] as readonly Phase[]).entries()) {
          for (const [address, response] of phase.responses ?? []) respond(track, address, response);
          for (const error of phase.applicationErrors ?? []) raise(track, error);
          expect(actualOutcome(track, phase.outcome), phase.description ?? `phase ${index + 1}`).toEqual(
            expectedOutcome(phase.outcome),
          );
        }
      });
    }
  });
}
