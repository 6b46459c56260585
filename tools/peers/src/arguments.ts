import type { Peer } from './peer.js';

/** What is to be run of one peer. */
export interface Chosen {
  readonly peer: Peer;
  readonly files: readonly string[];
  /** Further arguments for the peer's own test runner. */
  readonly more: readonly string[];
}

export type Wish =
  | { readonly kind: 'run'; readonly chosen: readonly Chosen[] }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage = `npm run peers                            the tests of all clients, against the embedded server
npm run peers -- --short                 some of their files, in less than a minute
npm run peers -- NAME … [-- FILE … ARGUMENT …]
                                         those of some clients; their files, and then arguments (from the first that
                                         begins with a dash) of their own test runner: npm run peers -- pymongo -- test_cursor -k sort

A client is installed on first use and kept under .cache/. What may fail is listed, with reasons, in tools/peers/accepted.
`;

const mistake = (sentence: string): Wish => ({ kind: 'mistake', sentence });

/** `test/test_cursor.py` is `test_cursor`. */
const fileOf = (word: string): string => word.replace(/^.*\//, '').replace(/\.py$/, '');

/** @param given the arguments after the program's name */
export function readArguments(given: readonly string[], peers: readonly Peer[]): Wish {
  const at = given.indexOf('--');
  const words = at < 0 ? given : given.slice(0, at);
  const rest = at < 0 ? [] : given.slice(at + 1);
  const short = words.includes('--short');
  const names = words.filter(word => word !== '--short');
  const unknown = names.find(name => !peers.some(peer => peer.name === name));
  if (unknown?.startsWith('-') === true) return mistake(`There is no option ${unknown}.`);
  if (unknown !== undefined) {
    return mistake(`There is no client ${unknown}: ${peers.map(({ name }) => name).join(', ')}.`);
  }
  const dash = rest.findIndex(word => word.startsWith('-'));
  const files = (dash < 0 ? rest : rest.slice(0, dash)).map(fileOf);
  const more = dash < 0 ? [] : rest.slice(dash);
  if (rest.length > 0 && names.length !== 1) return mistake('Files and further arguments are for one client: name it.');
  if (short && files.length > 0) return mistake('Name files, or ask for --short, not both.');
  const wanted = names.length === 0 ? peers : peers.filter(({ name }) => names.includes(name));
  return {
    kind: 'run',
    chosen: wanted.map(peer => ({ peer, files: files.length > 0 ? files : short ? peer.short : peer.files, more })),
  };
}
