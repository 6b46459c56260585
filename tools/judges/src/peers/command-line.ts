import { flag, many, Mistake, oneOf, readArguments, text } from '@tessera-tools/house';
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

export interface Wish {
  readonly chosen: readonly Chosen[];
  /** Runs the tests on SecantusDB, too. */
  readonly against: boolean;
}

export const usage: string = `npm run peers                            the tests of all clients, on deployments of every topology
npm run peers -- --short                 some of their files, in less than a minute
npm run peers -- NAME … [OPTION …] [-- ARGUMENT …]
                                         those of some clients; ARGUMENTs are for their own test runner

  --topology T           ${topologies.join(', ')}; may be repeated
  --auth on|off          whether the deployment asks who is there (default off)
  --tls on|off           whether it speaks TLS (default off)
  --file F               only this file of tests; may be repeated: npm run peers -- pymongo --file test_cursor -- -k sort
  --against secantusdb   runs them on SecantusDB, too: no file may pass fewer tests on the embedded server

A client is installed on first use and kept under .cache/. What may fail is listed, with reasons, in tools/judges/accepted.
`;

const options = {
  topology: many(oneOf(topologies)),
  auth: oneOf(['on', 'off']),
  tls: oneOf(['on', 'off']),
  against: oneOf(['secantusdb']),
  file: many(text),
  short: flag,
};

/** `test/test_cursor.py` is `test_cursor`. */
const fileOf = (word: string): string => word.replace(/^.*\//, '').replace(/\.py$/, '');

const shortTopologies: readonly Topology[] = ['standalone', 'replicaset'];

/** @param given the arguments after the program's name @throws Mistake */
export function readWish(given: readonly string[], peers: readonly Peer[]): Wish {
  const known = { noun: 'client', known: peers.map(({ name }) => name) };
  const {
    options: found,
    words: names,
    rest: more = [],
  } = readArguments({ options, words: known, takesRest: true }, given);
  const { topology: asked, auth, tls, short, against } = found;
  const named = found.file.map(fileOf);
  if ((named.length > 0 || more.length > 0) && names.length !== 1)
    throw new Mistake('Files and further arguments are for one client: name it.');
  if (short && named.length > 0) throw new Mistake('Name files, or ask for --short, not both.');
  const filesOf = (peer: Peer): readonly string[] => (named.length > 0 ? named : short ? peer.short : peer.files);
  const shapesOf = (peer: Peer): readonly Shape[] => {
    const wanted = asked.length > 0 ? asked : short ? shortTopologies : topologies;
    const plain = wanted.map(topology => ({ topology, auth: auth === 'on', tls: tls === 'on' }));
    const anything = short || asked.length > 0 || auth !== undefined || tls !== undefined;
    // More than was asked for, where nothing particular was.
    return anything ? plain : [...plain, ...peer.secured.map(topology => ({ topology, auth: true, tls: true }))];
  };
  const chosen = peers
    .filter(peer => (names.length === 0 || names.includes(peer.name)) && filesOf(peer).length > 0)
    .flatMap(peer =>
      shapesOf(peer)
        .filter(({ topology }) => asked.length > 0 || peer.topologies?.includes(topology) !== false)
        .map(shape => ({ peer, shape, files: filesOf(peer), more })),
    );
  return { chosen, against: against !== undefined };
}
