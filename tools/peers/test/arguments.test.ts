import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';
import type { Peer } from '../src/peer.js';
import { topologies } from '../src/topology.js';

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
const read = (...given: readonly string[]): unknown => readArguments(given, [one, two]);

const open = (topology: string): unknown => ({ topology, auth: false, tls: false });
const secured = (topology: string): unknown => ({ topology, auth: true, tls: true });
const run = (chosen: readonly unknown[], against = false): unknown => ({ kind: 'run', chosen, against });
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

test('a mistake gets one sentence', () => {
  const mistake = (sentence: string): unknown => ({ kind: 'mistake', sentence });
  expect(read('three')).toEqual(mistake('There is no client three: one, two.'));
  expect(read('--shrot')).toEqual(mistake('There is no option --shrot.'));
  expect(read('--auth', 'yes')).toEqual(mistake('--auth needs a value: on, off.'));
  expect(read('--file')).toEqual(mistake('--file needs a value: the name of a file of tests.'));
  expect(read('--file', 'test_a')).toEqual(mistake('Files and further arguments are for one client: name it.'));
  expect(read('one', '--short', '--file', 'test_a')).toEqual(mistake('Name files, or ask for --short, not both.'));
});
