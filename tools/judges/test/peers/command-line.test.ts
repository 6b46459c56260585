import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/peers/command-line.js';
import type { Peer } from '../../src/peers/peer.js';
import { topologies } from '../../src/peers/topology.js';

const peer = (name: string, rest: Partial<Peer> = {}): Peer => ({
  name,
  description: name,
  files: ['test_a', 'test_b'],
  short: ['test_a'],
  secured: ['standalone', 'replicaset'],
  prepare: () => Promise.reject(new Error('The peer is not available.')),
  ...rest,
});
const one = peer('one');
const two = peer('two', { short: [], topologies: ['replicaset'], secured: ['replicaset'] });
const read = (...given: readonly string[]): unknown => readCommandLine(given, [one, two]);

const open = (topology: string): unknown => ({ topology, auth: false, tls: false });
const secured = (topology: string): unknown => ({ topology, auth: true, tls: true });
const run = (chosen: readonly unknown[], against = false): unknown => ({ chosen, against });
const whole = { files: ['test_a', 'test_b'], more: [] };

test('without a name, runs all clients on all their topologies, and on some with authentication and TLS', () => {
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

test('--short runs some files of some clients, on a standalone server and a replica set', () => {
  const short = { peer: one, files: ['test_a'], more: [] };
  expect(read('--short')).toEqual(
    run([
      { ...short, shape: open('standalone') },
      { ...short, shape: open('replicaset') },
    ]),
  );
});

test('one client accepts a shape, files, and arguments for its test runner', () => {
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
  [['three'], 'There is no client "three". Choose from: one, two.'],
  [['--shrot'], 'There is no option --shrot.'],
  [['--auth', 'yes'], '--auth must be one of on, off, not "yes".'],
  [['--file'], '--file needs a value.'],
  [['--file', 'test_a'], 'Name one client: files and additional arguments are for one client only.'],
  [['one', '--short', '--file', 'test_a'], 'Name files or use --short, but not both.'],
] as const)('rejects %j', ([given, sentence]) => {
  expect(() => read(...given)).toThrow(new Mistake(sentence));
});
