/** The frames that a client sends before login. */
import { Binary, Long, serialize } from 'bson';
import type { Document } from 'bson';
import type { Chance } from '../../chance.js';
import { envelope, frameOf, frameOfCommand, opCompressed, opMsg, opQuery } from '../message.js';
import { mutateFrame } from '../mutate/frames.js';
import type { Person } from './people.js';
import { nobody } from './people.js';
import { namespaceOf } from './places.js';
import { drawRequest } from './requests.js';
import { fill } from './blanks.js';
import type { World } from './blanks.js';
import { clientFinal, clientFirst, payloadOf } from './scram.js';

/** The values that a step may use: those of the running server, and the last reply of the connection. */
export interface Seen {
  readonly world: Partial<World>;
  readonly last: Document | undefined;
}

/** One frame of a client. */
export interface Step {
  readonly bytes: (seen: Seen) => Buffer;
  /** Whether the server must reply or close the connection. It waits for the rest of an incomplete frame. */
  readonly isComplete: boolean;
}

export const commandStep = (command: Document, db: string): Step => ({
  bytes: ({ world }) => frameOfCommand(fill(command, world) as Document, db),
  isComplete: true,
});

/** Draws a command of a user, or of a client before login. */
export const requestStep = (chance: Chance, person?: Person): Step => {
  const { command, db } = drawRequest(chance, person?.homes);
  return commandStep(command, db === 'local' && person?.readsOplog ? 'vault' : db);
};

const unfinished = (make: (chance: Chance) => Buffer, chance: Chance): Step => {
  const bytes = make(chance);
  return { bytes: () => bytes, isComplete: false };
};

const long = 'x'.repeat(10_000);

const names = ['root', 'reader', 'nobody', '', 'root,r=x', '=2C', '\0', 'é'.repeat(100), long, 'hermit', '__system'];

const firstMessages = (chance: Chance): string =>
  chance.weighted<() => string>([
    [5, () => `n,,n=${chance.pick(names)},r=${chance.pick(['abc', '', long, 'a,b', '\0'])}`],
    [1, () => `${chance.pick(['y,,', 'p=tls-unique,,', 'n,a=root,', ''])}n=root,r=abc`],
    [1, () => chance.pick(['', ',', 'n', 'n,,', 'n,,n=', 'n,,r=abc,n=root', `n,,m=ext,n=root,r=a`, '\0root\0root'])],
    [1, () => Buffer.from(chance.many(0, 100, () => chance.below(256))).toString('latin1')],
  ])();

const finalMessages = (chance: Chance, nonce: string): string => {
  const proof = chance.pick([
    Buffer.alloc(32).toString('base64'),
    '',
    'AA==',
    '!!',
    Buffer.alloc(9_000).toString('base64'),
  ]);
  return chance.pick([
    `c=biws,r=${nonce},p=${proof}`,
    `c=eSws,r=${nonce},p=${proof}`,
    `c=biws,r=,p=${proof}`,
    `c=biws,r=${nonce}`,
    `r=${nonce},c=biws,p=${proof}`,
    `p=${proof}`,
    `c=biws,r=${nonce},p=${proof},p=${proof}`,
    `c=,r=${nonce},x=${long},p=${proof}`,
    '',
  ]);
};

const asPayload = (chance: Chance, text: string): unknown =>
  chance.weighted<unknown>([
    [6, new Binary(Buffer.from(text))],
    [1, Buffer.from(text).toString('base64')],
    [
      1,
      chance.pick<unknown>([
        text,
        1,
        null,
        {},
        [],
        new Binary(Buffer.alloc(15_000, 44)),
        new Binary(Buffer.alloc(0), 4),
      ]),
    ],
  ]);

const mechanisms = [
  'SCRAM-SHA-256',
  'SCRAM-SHA-256',
  'SCRAM-SHA-1',
  'PLAIN',
  'MONGODB-X509',
  'GSSAPI',
  'MONGODB-OIDC',
  '',
  long,
];

const start = (chance: Chance): Document => ({
  saslStart: 1,
  mechanism: chance.yes(0.95) ? chance.pick(mechanisms) : 1,
  payload: asPayload(chance, firstMessages(chance)),
  ...(chance.yes(0.4) && {
    options: chance.pick<unknown>([{ skipEmptyExchange: true }, {}, 1, { skipEmptyExchange: 1 }]),
  }),
});

const credentials = ['admin', 'admin', '$external', 'vault', 'local', ''];

const startStep = (chance: Chance): Step => commandStep(start(chance), chance.pick(credentials));

const continueStep = (chance: Chance): Step => {
  const conversationId = chance.pick<unknown>([1, 1, 1, 0, 2, -1, Long.MAX_VALUE, 'x', 1.5]);
  const [isWhole, text] = [chance.yes(0.8), finalMessages(chance, '#')];
  const payload = (nonce: string): unknown =>
    asPayload(
      chance,
      text.replace('#', () => nonce),
    );
  const fixed = payload('wrong');
  return {
    bytes: ({ last }) => {
      const nonce = /^r=([^,]*)/.exec(last === undefined ? '' : textOf(last))?.[1];
      const bound = isWhole && nonce !== undefined ? new Binary(Buffer.from(text.replace('#', () => nonce))) : fixed;
      return frameOfCommand({ saslContinue: 1, conversationId, payload: bound }, 'admin');
    },
    isComplete: true,
  };
};

const textOf = (reply: Document): string => (reply['payload'] instanceof Binary ? payloadOf(reply) : '');

/** A right login of the user without roles, and sometimes its proof again for another user. */
const rightLogin = (chance: Chance): readonly Step[] => {
  const [as, first] = [chance.yes(0.6) ? nobody.name : 'root', clientFirst(nobody.name)];
  const options = chance.yes(0.5) ? { skipEmptyExchange: true } : {};
  const payload = new Binary(Buffer.from(`n,,${clientFirst(as)}`));
  return [
    commandStep({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload, options }, 'admin'),
    {
      bytes: ({ last = {} }) => {
        const proof = clientFinal(first, textOf(last), nobody.name);
        return frameOfCommand({ saslContinue: 1, conversationId: 1, payload: new Binary(Buffer.from(proof)) }, 'admin');
      },
      isComplete: true,
    },
    ...(chance.yes(0.5) ? [commandStep({ saslContinue: 1, conversationId: 1, payload: new Binary() }, 'admin')] : []),
    ...(chance.yes(0.3) ? [startStep(chance), continueStep(chance)] : []),
    ...(chance.yes(0.3) ? [commandStep({ logout: 1 }, 'admin'), continueStep(chance)] : []),
  ];
};

const helloOf = (chance: Chance): Document => ({
  [chance.pick(['hello', 'isMaster', 'ismaster'])]: 1,
  ...(chance.yes(0.5) && {
    speculativeAuthenticate: chance.yes(0.9) ? { ...start(chance), db: chance.pick(credentials) } : 1,
  }),
  ...(chance.yes(0.2) && { speculativeAuthenticate: { authenticate: 1, mechanism: 'MONGODB-X509', db: '$external' } }),
  ...(chance.yes(0.2) && { internalClient: { minWireVersion: 0, maxWireVersion: 25 }, hangUpOnStepDown: false }),
  ...(chance.yes(0.2) && {
    saslSupportedMechs: chance.pick<unknown>(['admin.root', 'vault.hermit', 'x', '.', 1, long]),
  }),
  ...(chance.yes(0.2) && {
    client: chance.pick<unknown>([{ driver: { name: long, version: '1' } }, 1, { application: {} }]),
  }),
  ...(chance.yes(0.2) && { compression: chance.pick<unknown>([['zlib', 'snappy'], ['x'], 1]) }),
  ...(chance.yes(0.1) && { loadBalanced: true }),
  ...(chance.yes(0.1) && { forShell: true, $audit: { $impersonatedUser: { user: 'root', db: 'admin' } } }),
});

const query = (chance: Chance): Buffer => {
  const db = chance.pick([
    'admin.$cmd',
    'admin.$cmd',
    'vault.c',
    'vault.$cmd',
    '',
    'admin',
    long,
    '.$cmd',
    'admin.system.users',
  ]);
  const body = chance.pick([helloOf(chance), start(chance), { find: 'c' }, { insert: 'c', documents: [{}] }, {}]);
  const numbers = Buffer.alloc(8);
  numbers.writeInt32LE(chance.pick([0, 1, -1, 2_147_483_647]), 0);
  numbers.writeInt32LE(chance.pick([-1, 1, 0, -2_147_483_648]), 4);
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(chance.pick([0, 4, 2, 64, -1]));
  const inner = chance.yes(0.3) ? { $query: body, $readPreference: { mode: 'nearest' } } : body;
  return frameOf(1, opQuery, Buffer.concat([flags, Buffer.from(`${db}\0`), numbers, serialize(inner)]));
};

const legacy = (chance: Chance): Buffer => {
  const namespace = Buffer.from(`....${namespaceOf(chance)}\0........`).fill(0, 0, 4);
  const content = Buffer.concat([namespace, serialize({ _id: 1 }), serialize({ $set: { a: 1 } })]);
  return frameOf(1, chance.pick([2001, 2002, 2005, 2006, 2007, 2010, 2011]), content);
};

const lengths = [-2_147_483_648, -1, 0, 1, 15, 16, 17, 16_384, 16_385, 48_000_000, 48_000_001, 2_147_483_647];

const head = (chance: Chance): Buffer => {
  const bytes = Buffer.alloc(chance.pick([1, 4, 16, 20, 1_000, 20_000]));
  if (bytes.length >= 4) bytes.writeInt32LE(chance.pick(lengths), 0);
  if (bytes.length >= 16) bytes.writeInt32LE(chance.pick([opMsg, opQuery, opCompressed, 1, 0]), 12);
  return bytes;
};

const zeros = Buffer.alloc(10_000_000);

const bomb = (chance: Chance): Buffer =>
  envelope(frameOf(1, opMsg, chance.yes(0.5) ? zeros : zeros.subarray(0, 16_500)), {
    announced: chance.pick([100, 16_368, 16_369, 10_000_000, -1]),
  });

const body = (chance: Chance): Buffer => {
  const drawn = drawRequest(chance);
  return frameOfCommand(fill(drawn.command, {}) as Document, drawn.db);
};

const whole = (chance: Chance): Buffer =>
  chance.pick([
    () => body(chance),
    () => frameOfCommand(helloOf(chance), 'admin'),
    () => frameOfCommand(start(chance), 'admin'),
  ])();

const large = (chance: Chance): Buffer =>
  frameOfCommand(
    { [chance.pick(['hello', 'find', 'ping'])]: 1, filler: 'x'.repeat(chance.pick([16_000, 17_000, 2_000_000])) },
    'admin',
  );

const steps = (chance: Chance): readonly Step[] =>
  chance.weighted<() => readonly Step[]>([
    [4, () => [startStep(chance)]],
    [4, () => [startStep(chance), continueStep(chance), ...(chance.yes(0.5) ? [continueStep(chance)] : [])]],
    [2, () => [continueStep(chance)]],
    [2, () => rightLogin(chance)],
    [4, () => [commandStep(helloOf(chance), 'admin')]],
    [6, () => [requestStep(chance)]],
    [2, () => [unfinished(query, chance)]],
    [1, () => [unfinished(legacy, chance)]],
    [1, () => [unfinished(head, chance)]],
    [1, () => [unfinished(bomb, chance)]],
    [1, () => [unfinished(large, chance)]],
    [1, () => [unfinished(each => envelope(whole(each)), chance)]],
    [3, () => [unfinished(each => mutateFrame(each, whole(each)), chance)]],
  ])();

/** Draws the frames of a client before login. */
export const drawStranger = (chance: Chance): readonly Step[] => chance.many(1, 4, () => steps(chance)).flat();
