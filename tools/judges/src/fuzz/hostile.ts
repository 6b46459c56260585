import { Binary, BSONRegExp } from 'bson';
import type { Document } from 'bson';
import { bombs, drop, prepare } from './bombs.js';
import { memoryLeft, parameters } from './fuzz.js';
import { judgeReply } from './judge.js';
import { frameOfCommand } from './message.js';
import { patterns, scripts, subjects } from './mutate/words.js';
import type { Watch } from './play.js';
import { openWatch } from './play.js';
import type { Target, Violation } from './target.js';
import { startTarget } from './target.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

type Found = Violation | undefined;

/** An attack by clients whose requests are valid but use too many resources. */
type Act = (target: Target, watch: Watch, client: WireClient) => Promise<Found>;

const frameOf = (command: Document): Buffer => frameOfCommand(command, 'fuzz');

/** Runs the steps, and returns the first violation. */
const first = async <T>(items: readonly T[], step: (item: T) => Promise<Found>): Promise<Found> => {
  for (const item of items) {
    const violation = await step(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
};

const megabyte = 1_000_000;

/** The bytes that a server may hold during an attack, in and outside of the heap. */
const mostHeld = 400 * megabyte;

const heldNow = async (target: Target): Promise<Found> => {
  const { held } = await target.status();
  return held > mostHeld
    ? { kind: 'memory', what: `${Math.round(held / megabyte)} MB are held under attack` }
    : undefined;
};

const text = (megabytes: number): string => 'x'.repeat(megabytes * megabyte);

/** Opens clients, runs the attack on each, and returns the violation that the check finds. */
const crowd = async (
  target: Target,
  count: number,
  attack: (client: WireClient) => void,
  look: () => Promise<Found>,
): Promise<Found> => {
  const clients = await Promise.all(Array.from({ length: count }, () => openClient(target.port)));
  for (const client of clients) attack(client);
  const violation = await look();
  for (const client of clients) client.close();
  return violation;
};

const nonReaders: Act = async (target, watch, loader) => {
  for (let i = 0; i < 8; i++) await loader.ask(frameOf({ insert: 'big', documents: [{ s: text(1) }] }));
  const find = frameOf({ find: 'big' });
  const attack = (client: WireClient): void => {
    client.stopReading();
    for (let i = 0; i < 200; i++) client.send(find);
  };
  return crowd(target, 20, attack, async () => (await watch.look()) ?? (await heldNow(target)) ?? (await watch.look()));
};

const floodingNonReaders: Act = async (target, watch, loader) => {
  await loader.ask(frameOf({ insert: 'big', documents: [{ s: text(15) }] }));
  const find = frameOf({ find: 'big' });
  const large = frameOf({ find: 'none', filter: { s: text(15) } });
  const attack = (client: WireClient): void => {
    client.stopReading();
    for (let i = 0; i < 4; i++) client.send(find);
    for (let i = 0; i < 16; i++) client.send(large);
  };
  const times = Array.from({ length: 20 }, (_, i) => i);
  return crowd(target, 4, attack, () =>
    first(times, async () => {
      const violation = (await watch.look()) ?? (await heldNow(target));
      await new Promise(resolve => setTimeout(resolve, 50));
      return violation;
    }),
  );
};

const incompleteSenders: Act = async (target, watch) => {
  const head = Buffer.alloc(60);
  head.writeInt32LE(47_000_000, 0);
  head.writeInt32LE(2013, 12);
  const look = async (): Promise<Found> => (await watch.look()) ?? heldNow(target);
  return crowd(target, 500, client => client.send(head), look);
};

const cursorHoarders: Act = async (target, watch, client) => {
  await client.ask(frameOf({ insert: 'c', documents: Array.from({ length: 10 }, (_, _id) => ({ _id })) }));
  for (let i = 0; i < 20_000; i++) {
    const id = Buffer.alloc(16);
    id.writeInt32LE(i, 0);
    await client.ask(frameOf({ find: 'c', batchSize: 1, lsid: { id: new Binary(id, Binary.SUBTYPE_UUID) } }));
    if (i % 2_000 > 0) continue;
    const violation = await watch.look();
    if (violation !== undefined) return violation;
  }
  return (await watch.look()) ?? heldNow(target);
};

/** The server may reject scripts and patterns, but each must end. */
const explosivePatterns: Act = async (_target, watch, client) => {
  await client.ask(frameOf({ insert: 's', documents: subjects.map((s, _id) => ({ _id, s })) }));
  const finds = patterns.flatMap((regex): Document[] => [
    { s: new BSONRegExp(regex) },
    { s: new BSONRegExp(regex, 'i') },
    { $expr: { $regexMatch: { input: '$s', regex } } },
  ]);
  const wheres = scripts.map((script): Document => ({ $where: script }));
  return first([...finds, ...wheres], async filter => {
    client.send(frameOf({ find: 's', filter }));
    const wrong = await watch.look();
    await client.next(5_000);
    return wrong && { ...wrong, what: `${wrong.what}: ${JSON.stringify(filter).slice(0, 120)}` };
  });
};

const doubling = (initialValue: unknown, join: string): object => ({
  $reduce: { input: { $range: [0, 40] }, initialValue, in: { [join]: ['$$value', '$$value'] } },
});

const nesting = (initialValue: unknown, next: unknown): object => ({
  $reduce: { input: { $range: [0, 50_000] }, initialValue, in: next },
});

const growing: readonly object[] = [
  doubling('ab', '$concat'),
  doubling([1], '$concatArrays'),
  nesting({}, { a: '$$value' }),
  nesting([], ['$$value']),
  { $range: [0, 2_147_483_647] },
];

const growingValues: Act = async (_target, watch, client) => {
  await client.ask(frameOf({ insert: 'c', documents: [{ _id: 1 }] }));
  return first(growing, async r => {
    client.send(frameOf({ aggregate: 'c', pipeline: [{ $project: { r } }], cursor: {} }));
    const wrong = await watch.look();
    const reply = await client.next(30_000);
    const found = wrong ?? (reply && judgeReply(reply));
    return found && { ...found, what: `${found.what}: ${JSON.stringify(r)}` };
  });
};

const expensiveCommands: Act = async (target, watch, client) => {
  await prepare(client);
  return first(bombs, async bomb => (await drop(target, watch, bomb)) ?? heldNow(target));
};

const hostiles: Readonly<Record<string, Act>> = {
  'commands that compute for hours': expensiveCommands,
  'explosive patterns and endless scripts': explosivePatterns,
  'values that double or nest without limit': growingValues,
  'clients that request much and never read': nonReaders,
  'clients that keep sending and never read': floodingNonReaders,
  'connections that announce long frames and send little': incompleteSenders,
  '20,000 cursors, each in its own session': cursorHoarders,
};

export interface Attack {
  readonly name: string;
  readonly violation: Found;
}

/** Runs each attack on its own server. Afterwards the server must reply and must have released its memory. */
export const attack = async function* (): AsyncGenerator<Attack> {
  for (const [name, act] of Object.entries(hostiles)) {
    const target = await startTarget({ parameters });
    try {
      const { held } = await target.status();
      const watch = await openWatch(target);
      const client = await openClient(target.port);
      const found = await act(target, watch, client);
      client.close();
      const violation = found ?? (await watch.look()) ?? (await memoryLeft(target, held));
      watch.close();
      yield { name, violation };
    } finally {
      await target.stop();
    }
  }
};
