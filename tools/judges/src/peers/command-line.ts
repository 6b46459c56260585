import { flag, many, Mistake, oneOf, readArguments, text } from '@tessera-tools/house';
import type { Peer } from './peer.js';
import type { Shape, Topology } from './topology.js';
import { topologies } from './topology.js';

/** The tests of one peer to run on deployments of one shape. */
export interface Chosen {
  readonly peer: Peer;
  readonly shape: Shape;
  readonly files: readonly string[];
  /** Additional arguments for the peer's test runner. */
  readonly more: readonly string[];
}

export interface CommandLine {
  readonly chosen: readonly Chosen[];
  /** Whether to run the tests on SecantusDB as well. */
  readonly against: boolean;
}

export const usage: string = `npm run peers                            runs the tests of all clients, on deployments of every topology
npm run peers -- --short                 runs some of their files, in less than a minute
npm run peers -- NAME … [OPTION …] [-- ARGUMENT …]
                                         runs those of some clients; each ARGUMENT goes to the client's test runner
  --topology T           ${topologies.join(', ')}; may be repeated
  --auth on|off          whether the deployment requires authentication (default: off)
  --tls on|off           whether the deployment uses TLS (default: off)
  --file F               runs only this file of tests; may be repeated: npm run peers -- pymongo --file test_cursor -- -k sort
  --against secantusdb   also runs the tests on SecantusDB; no file may pass fewer tests on the embedded server
A client is installed on first use and kept under .cache/. Accepted failures are listed, with reasons, in tools/judges/accepted.
`;

const options = {
  topology: many(oneOf(topologies)),
  auth: oneOf(['on', 'off']),
  tls: oneOf(['on', 'off']),
  against: oneOf(['secantusdb']),
  file: many(text),
  short: flag,
};

/** Returns `test_cursor` for `test/test_cursor.py`. */
const fileOf = (word: string): string => word.replace(/^.*\//, '').replace(/\.py$/, '');

const shortTopologies: readonly Topology[] = ['standalone', 'replicaset'];

/**
 * Parses the command line.
 * @param given the arguments after the program's name
 * @throws Mistake if an argument is not valid
 */
export function readCommandLine(given: readonly string[], peers: readonly Peer[]): CommandLine {
  const known = { noun: 'client', known: peers.map(({ name }) => name) };
  const {
    options: found,
    words: names,
    rest: more = [],
  } = readArguments({ options, words: known, takesRest: true }, given);
  const { topology: namedTopologies, auth, tls, short, against } = found;
  const named = found.file.map(fileOf);
  if ((named.length > 0 || more.length > 0) && names.length !== 1)
    throw new Mistake('Name one client: files and additional arguments are for one client only.');
  if (short && named.length > 0) throw new Mistake('Name files or use --short, but not both.');
  const filesOf = (peer: Peer): readonly string[] => (named.length > 0 ? named : short ? peer.short : peer.files);
  const shapesOf = (peer: Peer): readonly Shape[] => {
    const wanted = namedTopologies.length > 0 ? namedTopologies : short ? shortTopologies : topologies;
    const plain = wanted.map(topology => ({ topology, auth: auth === 'on', tls: tls === 'on' }));
    const anything = short || namedTopologies.length > 0 || auth !== undefined || tls !== undefined;
    // By default, also run with authentication and TLS.
    return anything ? plain : [...plain, ...peer.secured.map(topology => ({ topology, auth: true, tls: true }))];
  };
  const chosen = peers
    .filter(peer => (names.length === 0 || names.includes(peer.name)) && filesOf(peer).length > 0)
    .flatMap(peer =>
      shapesOf(peer)
        .filter(({ topology }) => namedTopologies.length > 0 || peer.topologies?.includes(topology) !== false)
        .map(shape => ({ peer, shape, files: filesOf(peer), more })),
    );
  return { chosen, against: against !== undefined };
}
