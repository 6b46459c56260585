import { deepStrictEqual } from 'node:assert';
import { defined } from '@tessera-tools/house';
import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Document,
  DriverEvent,
  Origin,
  ObjectId,
  ServerDescription,
  TopologyDescription,
} from '@tessera/contracts';
import { defaults, emptyTopology, reduce, serverFromHello } from '@tessera/topology';
import type { TopologyInput, TopologySettings } from '@tessera/topology';
import { resolveSettings } from '@tessera/uri';
import { EJSON } from 'bson';
import { judge } from '../suite.js';
import type { Fixture, Result, Suite } from '../suite.js';

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

interface DiscoveryFixture {
  readonly description: string;
  readonly uri: string;
  readonly phases: readonly Phase[];
}

const topologyId = 42;

const settingsOf = (uri: string): TopologySettings => {
  const { hosts, replicaSet, directConnection, loadBalanced, srvMaxHosts } = resolveSettings(uri, {}, defaults);
  return { topologyId, seeds: hosts, replicaSet, directConnection, loadBalanced, srvMaxHosts };
};

/** The state of a deployment without connections: its description, pool generations and events. */
class Track {
  readonly generations = new Map<Address, number>();
  readonly events: DriverEvent[] = [];
  description: TopologyDescription = emptyTopology;
  readonly #settings: TopologySettings;

  constructor(settings: TopologySettings) {
    this.#settings = settings;
  }

  receive(input: TopologyInput): void {
    const { description, effects } = reduce(this.description, input, this.#settings);
    this.description = description;
    for (const effect of effects) {
      if (effect.type === 'openServer') this.generations.set(effect.address, 0);
      if (effect.type === 'closeServer') this.generations.delete(effect.address);
      if (effect.type === 'clearPool') this.generations.set(effect.address, this.generationOf(effect.address) + 1);
      if (effect.type === 'event') this.events.push(effect.event);
    }
  }

  generationOf(address: Address): number {
    return this.generations.get(address) ?? 0;
  }
}

const respond = (track: Track, address: Address, response: Document): void => {
  if (response['ok'] === 1) {
    const server = serverFromHello(address, response, { lastUpdateTime: 0, roundTripTime: 5, minRoundTripTime: 0 });
    track.receive({ type: 'checked', server });
    return;
  }
  const error =
    Object.keys(response).length === 0
      ? new MongoError('network', 'The connection was refused.')
      : new MongoError('server', 'The server rejected hello.', { reply: response });
  track.receive({ type: 'checkFailed', address, error, at: 0 });
};

/** Returns the error that an application's operation would report, or undefined if it would succeed. */
const errorOf = (given: ApplicationError, now: number): MongoError | undefined => {
  const { address, type, response = {} } = given;
  const beforehand = given.when === 'beforeHandshakeCompletes';
  const generation = given.generation ?? now;
  const phase = beforehand ? 'hello' : 'command';
  const origin: Origin = { phase, sent: true, address, generation, maxWireVersion: given.maxWireVersion };
  // The pool adds these labels. Rule: CMAP, "Backpressure-enabled".
  const labels = beforehand ? ['SystemOverloadedError', 'RetryableError'] : [];
  if (type !== 'command') return new MongoError(type, `${type} error`, { origin, labels });
  const failure = (response['ok'] === 1 ? response['writeConcernError'] : response) as Document | undefined;
  // The command succeeded and satisfied its write concern.
  if (failure === undefined) return undefined;
  const code = failure['code'] as number | undefined;
  return new MongoError('server', String(failure['errmsg']), { code, reply: response, origin });
};

const raise = (track: Track, given: ApplicationError): void => {
  const generation = track.generationOf(given.address);
  const error = errorOf(given, generation);
  if (error !== undefined) track.receive({ type: 'failed', error, generation, at: 0 });
};

const plain = (value: unknown): unknown => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object') return value;
  if ('toHexString' in value) return (value as ObjectId).toHexString();
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

/** Returns the expected part if the text contains it, else the whole text. */
const substring = (text: string | undefined, part: string): string | undefined =>
  text?.includes(part) === true ? part : text;

const actualServer = (track: Track, server: ServerDescription, expected: Document): Document =>
  Object.fromEntries(
    Object.keys(expected).map(key => {
      if (key === 'pool') return [key, { generation: track.generations.get(server.address) }];
      if (key === 'error') return [key, substring(server.error?.message, expected[key] as string)];
      // An unset wire version is 0. Rule: "ServerDescription", minWireVersion.
      if (key.endsWith('WireVersion') && server.maxWireVersion === 0) return [key, null];
      return [key, plain(server[key as keyof ServerDescription])];
    }),
  );

const actualServers = (track: Track, expected: Document): Document =>
  Object.fromEntries(
    [...track.description.servers.values()].map(server => [
      server.address,
      actualServer(track, server, (expected[server.address] ?? { type: '' }) as Document),
    ]),
  );

const actualOutcome = (track: Track, expected: Document): Document =>
  Object.fromEntries(
    Object.entries(expected).map(([key, value]) => {
      const { description } = track;
      switch (key) {
        case 'servers':
          return [key, actualServers(track, value as Document)];
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

/** Replaces PossiblePrimary, which a multi-threaded client does not need, with Unknown. Rule: "ServerType". */
const expectedOutcome = (expected: Document): Document =>
  JSON.parse(JSON.stringify(plain(expected)).replaceAll('PossiblePrimary', 'Unknown')) as Document;

const snake = (name: string): string => `${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}_event`;

const plainEvent = (event: DriverEvent): Document => {
  const { name, ...fields } = event as { name: string } & Document;
  const plainFields = Object.entries(fields).map(([key, value]): readonly [string, unknown] => {
    if (key === 'topologyId') return [key, String(topologyId)];
    if (!key.endsWith('Description')) return [key, value];
    const isTopology = 'servers' in (value as object);
    return [key, isTopology ? plainTopology(value as TopologyDescription) : plainServer(value as ServerDescription)];
  });
  return { [snake(name)]: Object.fromEntries(plainFields) };
};

const plainServer = ({ address, arbiters, hosts, passives, primary, setName, type }: ServerDescription): Document =>
  defined({ address, arbiters, hosts, passives, primary, setName, type });

const plainTopology = ({ type: topologyType, setName, servers }: TopologyDescription): Document =>
  defined({ topologyType, setName, servers: [...servers.values()].map(plainServer) });

const check = ({ uri, phases }: DiscoveryFixture): void => {
  const track = new Track(settingsOf(uri));
  track.receive({ type: 'open' });
  for (const phase of phases) {
    for (const [address, response] of phase.responses ?? []) respond(track, address, response);
    for (const error of phase.applicationErrors ?? []) raise(track, error);
    deepStrictEqual(actualOutcome(track, phase.outcome), expectedOutcome(phase.outcome));
  }
};

const runOne = (fixture: Fixture): readonly Result[] => {
  const json = EJSON.deserialize(fixture.json as object, { relaxed: true }) as unknown as DiscoveryFixture;
  return [judge(fixture.name, json.description, () => check(json))];
};

/** Rule: Server Discovery and Monitoring tests, "Format" and "Use as unittests". */
export const run: Suite = files => files.flatMap(runOne);
