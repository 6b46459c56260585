/**
 * Short sequences of calls that combine two features of the driver. Random calls rarely form one, because most
 * sequences need several calls on the same object in this order.
 */
import type { Argument, Call, Fault, Step } from './program.js';
import { iteratorOf } from './program.js';
import type { Chance } from '../chance.js';
import { roughValues } from './values.js';

export interface Phrase {
  readonly options?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

type Target = `${string}.${string}`;

const call = (as: string, target: Target, args: readonly Argument[], more: Partial<Call> = {}): Call => {
  const dot = target.indexOf('.');
  const [on, method] = [target.slice(0, dot), target.slice(dot + 1)];
  return { kind: 'call', on, method, arguments: args, as, wait: 'now', ...more };
};
const later = { wait: 'later' } as const;
const abort: Step = { kind: 'abort', signal: 0 };
const noCursors: Step = { kind: 'no cursors' };
const sleep = (milliseconds: number): Step => ({ kind: 'sleep', milliseconds });
const fault = (commands: readonly string[], data: Fault['data'], times = 1): Step => ({
  kind: 'fault',
  fault: { commands, times, data },
});

const many = call('p0', 'coll.insertMany', ['Array.from({ length: 300 }, (_, a) => ({ a }))']);
const batches = { batchSize: '2' };

const wrongNumbers = (chance: Chance): Phrase => ({
  steps: [
    call('p1', 'coll.find', ['{}', { [chance.pick(['limit', 'skip', 'batchSize'])]: chance.pick(roughValues) }]),
    call('p2', `p1.${chance.pick(['toArray', 'next', 'hasNext', 'stream'])}`, []),
    call('p3', 'p2.resume', []),
    sleep(10),
  ],
});

const wrongSignal = (chance: Chance): Phrase => ({
  options: { maxPoolSize: '1' },
  steps: [
    call('p1', chance.pick<Target>(['coll.findOne', 'coll.countDocuments', 'coll.deleteOne']), [
      '{}',
      { signal: chance.pick(['new AbortController()', '{}', '{ aborted: false }', "'abc'", '5']) },
    ]),
    call('p2', 'coll.findOne', [], { isSound: true }),
  ],
});

const abortedFind = (chance: Chance): Phrase => ({
  steps: [
    many,
    ...(chance.yes(0.5) ? [fault(['find'], { blockConnection: true, blockTimeMS: 20 })] : []),
    call('p1', 'coll.find', ['{}', { ...batches, signal: 'rough.signal(0)' }]),
    call('p2', `p1.${chance.pick(['next', 'hasNext', 'toArray'])}`, [], later),
    ...(chance.yes(0.5) ? [sleep(chance.below(3))] : []),
    abort,
    sleep(30),
    // The call may end before the abort.
    call('p3', 'p1.close', []),
    noCursors,
  ],
});

const lateFind = (): Phrase => ({
  steps: [
    many,
    fault(['find'], { blockConnection: true, blockTimeMS: 60 }),
    call('p1', 'coll.find', ['{}', { ...batches, timeoutMS: '40' }]),
    call('p2', 'p1.next', []),
    sleep(60),
    noCursors,
  ],
});

/** The only connection of the pool is busy when the cursor must send killCursors. */
const busyPool = (chance: Chance): Phrase => ({
  options: { maxPoolSize: '1' },
  steps: [
    many,
    call('p1', 'coll.find', ['{}', batches]),
    call('p2', 'p1.next', []),
    fault(['ping'], { blockConnection: true, blockTimeMS: chance.yes(0.5) ? 1300 : 40 }),
    call('p3', 'db.command', ['{ ping: 1 }'], later),
    sleep(5),
    call('p4', 'p1.close', [], chance.yes(0.5) ? later : {}),
    noCursors,
  ],
});

const streams = (chance: Chance): Phrase => ({
  steps: [
    many,
    call('p1', 'coll.find', ['{}', batches]),
    call('p2', 'p1.stream', []),
    ...(chance.yes(0.5) ? [call('p3', 'p2.read', []), sleep(chance.below(4))] : []),
    call('p4', 'p2.destroy', []),
    noCursors,
  ],
});

const transaction = (chance: Chance): Phrase => {
  const body = chance.pick([
    'for await (const d of v.coll.find({}, { session: s, batchSize: 2, limit: 6 }).stream()) await v.coll.updateOne({ _id: d._id }, { $set: { b: 1 } }, { session: s });',
    'await Promise.all([v.coll.insertOne({}, { session: s }), v.coll.insertOne({}, { session: s })]);',
    'await Promise.all([v.coll.insertOne({}, { session: s }), v.coll.findOne({}, { session: s })]);',
  ]);
  return {
    steps: [call('p1', 'client.withSession', [`s => s.withTransaction(async () => { ${body} })`], { isSound: true })],
  };
};

const changes = (chance: Chance): Phrase => ({
  steps: [
    call('p1', `${chance.pick(['coll', 'db', 'client'])}.watch`, []),
    call('p2', 'p1.on', ["'change'", 'rough.listener']),
    ...(chance.yes(0.3) ? [call('p3', 'p1.on', ["'close'", 'rough.listener'])] : []),
    sleep(30),
    call('p4', 'coll.insertOne', ['{}']),
    sleep(20),
    ...(chance.yes(0.5) ? [call('p5', 'p1.close', [])] : []),
  ],
});

/** Ends an iterator while `next` is pending. */
const iteratorEnd = (chance: Chance): Phrase => ({
  steps: [
    call('p1', `${chance.pick(['coll', 'db', 'client'])}.watch`, []),
    call('p2', `p1.${iteratorOf}`, []),
    call('p3', 'p2.next', [], { wait: 'close' }),
    ...(chance.yes(0.7) ? [sleep(chance.below(20))] : []),
    call('p4', 'p2.return', []),
    noCursors,
  ],
});

const changesEnd = (chance: Chance): Phrase => ({
  steps: [
    call('p1', `${chance.pick(['coll', 'db', 'client'])}.watch`, []),
    call('p2', 'p1.next', [], { wait: 'close' }),
    ...(chance.yes(0.7) ? [sleep(chance.below(20))] : []),
    ...(chance.yes(0.6) ? [call('p3', 'p1.close', []), noCursors] : []),
  ],
});

const missingIds = (chance: Chance): Phrase => {
  const id = chance.pick(['undefined', 'undefined', 'null', 'void 0']);
  return {
    steps: [
      chance.pick([
        call('p1', 'coll.insertOne', [{ _id: id }]),
        call('p1', 'coll.insertMany', [`[{ _id: ${id} }, { a: 1 }]`]),
        call('p1', 'coll.bulkWrite', [`[{ insertOne: { document: { _id: ${id} } } }]`]),
        call('p1', 'client.bulkWrite', [
          `[{ name: 'insertOne', namespace: 'rough.coll', document: { _id: ${id} } }]`,
          { verboseResults: 'true' },
        ]),
      ]),
    ],
  };
};

/**
 * The client needs another connection, and the server delays its handshake beyond the time limit of a call. If the idle
 * connection is closed as well, no connection becomes free for the waiting operations.
 */
const slowHandshake = (chance: Chance): Phrase => {
  const isLimited = chance.yes(0.5);
  const isIdle = isLimited && chance.yes(0.5);
  return {
    options: {
      maxPoolSize: '2',
      ...(isLimited && { waitQueueTimeoutMS: chance.pick(['200', '500']) }),
      ...(isIdle && { maxIdleTimeMS: '1' }),
    },
    steps: [
      call('p1', 'coll.findOne', []),
      fault(['hello', 'isMaster', 'ismaster'], { blockConnection: true, blockTimeMS: 7000 }, 3),
      ...(isIdle ? [sleep(20)] : []),
      ...(chance.yes(0.5) ? ['p2', 'p3'] : ['p2', 'p3', 'p4']).map(as => call(as, 'coll.findOne', [], later)),
    ],
  };
};

/** Ends a stream while a write is pending, if the driver buffers more than it has stored. */
const uploads = (chance: Chance): Phrase => {
  const bytes = `new Uint8Array(${chance.yes(0.25) ? '20_000' : '5_000_000'})`;
  return {
    steps: [
      call('p1', 'bucket.openUploadStream', ["'file'", { chunkSizeBytes: '100_000' }]),
      call('p2', 'p1.write', [bytes]),
      call('p3', 'p1.write', [bytes]),
      ...(chance.yes(0.5) ? [sleep(chance.below(4))] : []),
      call('p4', `p1.${chance.pick(['abort', 'abort', 'abort', 'destroy', 'end'])}`, []),
      sleep(20),
    ],
  };
};

const twoReaders = (chance: Chance): Phrase => ({
  steps: [
    many,
    call('p1', 'coll.find', ['{}', { batchSize: '50' }]),
    call('p2', `p1.${chance.pick(['toArray', 'next', 'hasNext'])}`, [], later),
    call('p3', `p1.${chance.pick(['toArray', 'next', 'close'])}`, [], later),
  ],
});

const reconnect = (chance: Chance): Phrase => ({
  steps: [
    ...Array.from({ length: 1 + chance.below(3) }, (_, at) =>
      call(`p${at}`, chance.pick<Target>(['client.connect', 'client.close']), [], later),
    ),
    call('p9', 'client.connect', [], { isSound: true }),
  ],
});

const phrases: readonly ((chance: Chance) => Phrase)[] = [
  wrongNumbers,
  wrongSignal,
  abortedFind,
  lateFind,
  busyPool,
  streams,
  transaction,
  changes,
  changesEnd,
  iteratorEnd,
  missingIds,
  slowHandshake,
  uploads,
  twoReaders,
  reconnect,
];

export const drawPhrase = (chance: Chance): Phrase => chance.pick(phrases)(chance);
