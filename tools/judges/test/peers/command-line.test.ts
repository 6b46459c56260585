import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readWish } from '../../src/peers/wish.js';
import type { Peer } from '../../src/peers/peer.js';
import { topologies } from '../../src/peers/topology.js';

const peer = (name: string, rest: Partial<Peer> = {}): Peer => ({
  name,
  description: name,
  files: ['test_a', 'test_b'],
  short: ['test_a'],
  secured: ['standalone', 'replicaset'],
  prepare: () => Promise.reject(new Error('not here')),
  ...rest,
});
const one = peer('one');
const two = peer('two', { short: [], topologies: ['replicaset'], secured: ['replicaset'] });
const read = (...given: readonly string[]): unknown => readWish(given, [one, two]);

const open = (topology: string): unknown => ({ topology, auth: false, tls: false });
const secured = (topology: string): unknown => ({ topology, auth: true, tls: true });
const run = (chosen: readonly unknown[], against = false): unknown => ({ chosen, against });
const whole = { files: ['test_a', 'test_b'], more: [] };

test('without a name all clients are run, on every topology that is theirs, and on some with logins and TLS', () => {
  expect(read()).toEqual(
    run([
      ...topologies.map(topology => ({ peer: one, shape: open(topology), ...whole })),
      { peer: one, shape: secured('standalone'), ...whole },
      { peer: one, shape: secured('replicaset'), ...whole },
      { peer: two, shape: open('replicaset'), ...whole },
      { peer: two, shape: secured('replicaset'), ...whole },
    ]),
  );
});

test('a short run has some files of some clients, on a standalone and on a set', () => {
  const short = { peer: one, files: ['test_a'], more: [] };
  expect(read('--short')).toEqual(
    run([
      { ...short, shape: open('standalone') },
      { ...short, shape: open('replicaset') },
    ]),
  );
});

test('one client takes a shape, files, and arguments of its own test runner', () => {
  expect(
    read(
      'two',
      '--topology',
      'sharded',
      '--auth',
      'on',
      '--file',
      'test/test_b.py',
      '--file',
      'test_a',
      '--',
      '-k',
      'sort',
    ),
  ).toEqual(
    run([
      {
        peer: two,
        shape: { topology: 'sharded', auth: true, tls: false },
        files: ['test_b', 'test_a'],
        more: ['-k', 'sort'],
      },
    ]),
  );
  expect(read('two', '--topology', 'replicaset', '--against', 'secantusdb')).toEqual(
    run([{ peer: two, shape: open('replicaset'), ...whole }], true),
  );
});

test.for([
  [['three'], 'There is no client "three": one, two.'],
  [['--shrot'], 'There is no option --shrot.'],
  [['--auth', 'yes'], '--auth is one of on, off, not "yes".'],
  [['--file'], '--file needs a value.'],
  [['--file', 'test_a'], 'Files and further arguments are for one client: name it.'],
  [['one', '--short', '--file', 'test_a'], 'Name files, or ask for --short, not both.'],
] as const)('%j is a mistake', ([given, sentence]) => {
  expect(() => read(...given)).toThrow(new Mistake(sentence));
});
