import { serialize } from 'bson';
import { bombs, drop, prepare } from './bombs.js';
import { array, binary, document, int32, regex, text } from './bson/make.js';
import type { Node } from './bson/node.js';
import { readNodes } from './bson/node.js';
import { judgeReply } from './judge.js';
import { writeMessage, messageOf } from './message.js';
import { patterns, scripts, subjects } from './mutate/words.js';
import type { Watch } from './play.js';
import { openWatch } from './play.js';
import { memoryLeft, parameters } from './fuzz.js';
import type { Target } from './target.js';
import { startTarget } from './target.js';
import type { Violation } from './violation.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

/** Somebody whose requests are right, one by one, and who wants too much of the server. */
interface Hostile {
  readonly name: string;
  readonly act: (target: Target, watch: Watch) => Promise<Violation | undefined>;
}

const frameOf = (...nodes: readonly Node[]): Buffer => writeMessage(messageOf(1, [...nodes, text('$db', 'fuzz')]));

const ask = async (client: WireClient, frame: Buffer): Promise<void> => {
  client.send(frame);
  await client.next(30_000);
};

/** The first that is wrong of many steps. */
const first = async (steps: Iterable<() => Promise<Violation | undefined>>): Promise<Violation | undefined> => {
  for (const step of steps) {
    const violation = await step();
    if (violation !== undefined) return violation;
  }
  return undefined;
};

const megabyte = 1_000_000;

/** What a server may hold, of heap and outside, while it is being attacked. */
const mostHeld = 400 * megabyte;

const heldNow = async (target: Target): Promise<Violation | undefined> => {
  const { held } = await target.status();
  return held > mostHeld
    ? { kind: 'memory', what: `${Math.round(held / megabyte)} MB are held under attack` }
    : undefined;
};

const deafReaders: Hostile = {
  name: 'clients that ask for much and never read',
  act: async (target, watch) => {
    const loader = await openClient(target.port);
    for (let i = 0; i < 8; i++)
      await ask(
        loader,
        frameOf(text('insert', 'big'), array('documents', [document('', [text('s', 'x'.repeat(megabyte))])])),
      );
    const find = frameOf(text('find', 'big'));
    const clients = await Promise.all(Array.from({ length: 20 }, () => openClient(target.port)));
    for (const client of clients) {
      client.deafen();
      for (let i = 0; i < 200; i++) client.send(find);
    }
    const violation = (await watch.look()) ?? (await heldNow(target)) ?? (await watch.look());
    for (const client of [loader, ...clients]) client.close();
    return violation;
  },
};

const pushers: Hostile = {
  name: 'clients that send on and on and never read',
  act: async (target, watch) => {
    const loader = await openClient(target.port);
    await ask(
      loader,
      frameOf(text('insert', 'big'), array('documents', [document('', [text('s', 'x'.repeat(15 * megabyte))])])),
    );
    const find = frameOf(text('find', 'big'));
    const large = frameOf(text('find', 'none'), document('filter', [text('s', 'x'.repeat(15 * megabyte))]));
    const clients = await Promise.all(Array.from({ length: 4 }, () => openClient(target.port)));
    for (const client of clients) {
      client.deafen();
      for (let i = 0; i < 4; i++) client.send(find);
      for (let i = 0; i < 16; i++) client.send(large);
    }
    for (let i = 0; i < 20; i++) {
      const violation = (await watch.look()) ?? (await heldNow(target));
      if (violation !== undefined) return violation;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    for (const client of [loader, ...clients]) client.close();
    return undefined;
  },
};

const promisers: Hostile = {
  name: 'connections that announce much and send little',
  act: async (target, watch) => {
    const head = Buffer.alloc(60);
    head.writeInt32LE(47_000_000, 0);
    head.writeInt32LE(2013, 12);
    const clients = await Promise.all(Array.from({ length: 500 }, () => openClient(target.port)));
    for (const client of clients) client.send(head);
    const violation = (await watch.look()) ?? (await heldNow(target));
    for (const client of clients) client.close();
    return violation;
  },
};

const hoarders: Hostile = {
  name: 'twenty thousand cursors, each of a session of its own',
  act: async (target, watch) => {
    const client = await openClient(target.port);
    await ask(
      client,
      frameOf(
        text('insert', 'c'),
        array(
          'documents',
          Array.from({ length: 10 }, (_, i) => document('', [int32('_id', i)])),
        ),
      ),
    );
    for (let i = 0; i < 20_000; i++) {
      const id = Buffer.alloc(16);
      id.writeInt32LE(i, 0);
      const lsid = document('lsid', [binary('id', 4, id)]);
      client.send(frameOf(text('find', 'c'), int32('batchSize', 1), lsid));
      await client.next(10_000);
      if (i % 2_000 === 0) {
        const violation = await watch.look();
        if (violation !== undefined) return violation;
      }
    }
    client.close();
    return (await watch.look()) ?? heldNow(target);
  },
};

const shownFilter = (filter: Node): string =>
  writeMessage(messageOf(1, [filter]))
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 120);

/** Which scripts and patterns are refused is no matter; each has to end. */
const exploders: Hostile = {
  name: 'patterns and scripts that explode',
  act: async (target, watch) => {
    const client = await openClient(target.port);
    await ask(
      client,
      frameOf(
        text('insert', 's'),
        array(
          'documents',
          subjects.map((s, i) => document('', [int32('_id', i), text('s', s)])),
        ),
      ),
    );
    const finds = patterns.map(pattern => [
      document('filter', [regex('s', pattern, '')]),
      document('filter', [regex('s', pattern, 'i')]),
      document('filter', [document('$expr', [document('$regexMatch', [text('input', '$s'), text('regex', pattern)])])]),
    ]);
    const wheres = scripts.map(script => [document('filter', [text('$where', script)])]);
    const violation = await first(
      [...finds, ...wheres].flat().map(filter => async () => {
        client.send(frameOf(text('find', 's'), filter));
        const wrong = await watch.look();
        await client.next(5_000);
        return wrong && { ...wrong, what: `${wrong.what}: ${shownFilter(filter)}` };
      }),
    );
    client.close();
    return violation;
  },
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

const growers: Hostile = {
  name: 'values that double, and values in values',
  act: async (target, watch) => {
    const client = await openClient(target.port);
    await ask(client, frameOf(text('insert', 'c'), array('documents', [document('', [int32('_id', 1)])])));
    const violation = await first(
      growing.map(r => async () => {
        const command = { aggregate: 'c', pipeline: [{ $project: { r } }], cursor: {} };
        client.send(frameOf(...readNodes(Buffer.from(serialize(command)), 0)));
        const wrong = await watch.look();
        const reply = await client.next(30_000);
        const found = wrong ?? (reply && judgeReply(reply));
        return found && { ...found, what: `${found.what}: ${JSON.stringify(r)}` };
      }),
    );
    client.close();
    return violation;
  },
};

const bombers: Hostile = {
  name: 'commands that compute for an afternoon',
  act: async (target, watch) => {
    const client = await openClient(target.port);
    await prepare(client);
    const violation = await first(bombs.map(bomb => async () => (await drop(target, watch, bomb)) ?? heldNow(target)));
    client.close();
    return violation;
  },
};

const hostiles: readonly Hostile[] = [bombers, exploders, growers, deafReaders, pushers, promisers, hoarders];

export interface Attack {
  readonly name: string;
  readonly violation: Violation | undefined;
}

/** Each on a server of its own, which then must still answer and have let go of what it held. */
export const attack = async function* (): AsyncGenerator<Attack> {
  for (const { name, act } of hostiles) {
    const target = await startTarget({ parameters });
    try {
      const { held } = await target.status();
      const watch = await openWatch(target);
      const violation = (await act(target, watch)) ?? (await watch.look()) ?? (await memoryLeft(target, held));
      watch.close();
      yield { name, violation };
    } finally {
      await target.stop();
    }
  }
};
