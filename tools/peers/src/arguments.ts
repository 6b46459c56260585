import type { Peer } from './peer.js';
import type { Shape, Topology } from './topology.js';
import { topologies } from './topology.js';

/** What is to be run of one peer, on deployments of one shape. */
export interface Chosen {
  readonly peer: Peer;
  readonly shape: Shape;
  readonly files: readonly string[];
  /** Further arguments for the peer's own test runner. */
  readonly more: readonly string[];
}

export type Wish =
  | { readonly kind: 'run'; readonly chosen: readonly Chosen[]; readonly against: boolean }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage: string = `npm run peers                            the tests of all clients, on deployments of every topology
npm run peers -- --short                 some of their files, in less than a minute
npm run peers -- NAME … [OPTION …] [-- ARGUMENT …]
                                         those of some clients; ARGUMENTs are for their own test runner

  --topology T           ${topologies.join(', ')}; may be repeated
  --auth on|off          whether the deployment asks who is there (default off)
  --tls on|off           whether it speaks TLS (default off)
  --file F               only this file of tests; may be repeated: npm run peers -- pymongo --file test_cursor -- -k sort
  --against secantusdb   runs them on SecantusDB, too: no file may pass fewer tests on the embedded server

A client is installed on first use and kept under .cache/. What may fail is listed, with reasons, in tools/peers/accepted.
`;

const mistake = (sentence: string): Wish => ({ kind: 'mistake', sentence });

/** `test/test_cursor.py` is `test_cursor`. */
const fileOf = (word: string): string => word.replace(/^.*\//, '').replace(/\.py$/, '');

interface Words {
  readonly names: string[];
  readonly values: Map<string, string[]>;
  readonly flags: Set<string>;
}

const valued: Readonly<Record<string, readonly string[] | undefined>> = {
  '--topology': topologies,
  '--auth': ['on', 'off'],
  '--tls': ['on', 'off'],
  '--against': ['secantusdb'],
  '--file': undefined,
};

/** @returns a sentence if the words are wrong */
function read(words: readonly string[]): Words | string {
  const [names, values, flags] = [[] as string[], new Map<string, string[]>(), new Set<string>()];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--short') flags.add(word);
    else if (Object.hasOwn(valued, word)) {
      const value = words[++i];
      const allowed = valued[word];
      if (value === undefined || (allowed !== undefined && !allowed.includes(value))) {
        return `${word} needs a value: ${allowed?.join(', ') ?? 'the name of a file of tests'}.`;
      }
      values.set(word, [...(values.get(word) ?? []), value]);
    } else if (word.startsWith('-')) return `There is no option ${word}.`;
    else names.push(word);
  }
  return { names, values, flags };
}

/** More than was asked for, where nothing particular was. */
const securedFor = (peer: Peer): readonly Shape[] =>
  peer.secured.map(topology => ({ topology, auth: true, tls: true }));

function shapesOf({ values, flags }: Words, peer: Peer): readonly Shape[] {
  const short = flags.has('--short');
  const [auth, tls] = ['--auth', '--tls'].map(name => values.get(name)?.at(-1) === 'on') as [boolean, boolean];
  const asked = values.get('--topology') as readonly Topology[] | undefined;
  const plain = (asked ?? (short ? (['standalone', 'replicaset'] as const) : topologies)).map(topology => ({
    topology,
    auth,
    tls,
  }));
  const anything = short || asked !== undefined || values.has('--auth') || values.has('--tls');
  return anything ? plain : [...plain, ...securedFor(peer)];
}

/** @param given the arguments after the program's name */
export function readArguments(given: readonly string[], peers: readonly Peer[]): Wish {
  const at = given.indexOf('--');
  const words = read(at < 0 ? given : given.slice(0, at));
  if (typeof words === 'string') return mistake(words);
  const more = at < 0 ? [] : given.slice(at + 1);
  const { names, values, flags } = words;
  const unknown = names.find(name => !peers.some(peer => peer.name === name));
  if (unknown !== undefined) {
    return mistake(`There is no client ${unknown}: ${peers.map(({ name }) => name).join(', ')}.`);
  }
  const short = flags.has('--short');
  const named = (values.get('--file') ?? []).map(fileOf);
  if ((named.length > 0 || more.length > 0) && names.length !== 1) {
    return mistake('Files and further arguments are for one client: name it.');
  }
  if (short && named.length > 0) return mistake('Name files, or ask for --short, not both.');
  const wanted = names.length === 0 ? peers : peers.filter(({ name }) => names.includes(name));
  const filesOf = (peer: Peer): readonly string[] => (named.length > 0 ? named : short ? peer.short : peer.files);
  const chosen = wanted
    .filter(peer => filesOf(peer).length > 0)
    .flatMap(peer =>
      shapesOf(words, peer)
        .filter(({ topology }) => peer.topologies?.includes(topology) !== false || values.has('--topology'))
        .map(shape => ({ peer, shape, files: filesOf(peer), more })),
    );
  return { kind: 'run', chosen, against: values.has('--against') };
}
