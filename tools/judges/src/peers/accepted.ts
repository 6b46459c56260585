import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted as folder } from '../folders.js';

/** A test of a peer that is allowed to fail. */
export interface Accepted {
  readonly id: string;
  /** Why the failure is correct or cannot be avoided, in one sentence. */
  readonly reason: string;
  /**
   * The deployments on which the test fails. Each entry is a list of words that must all match, such as `replicaset` or
   * `replicaset, tls`. Defaults to every deployment.
   */
  readonly on?: readonly string[];
  /** Whether the test may also pass, because its result depends on more than the server. */
  readonly varies?: true;
}

export const acceptedFile = (peer: string): string => join(folder, `${peer}.json`);

/** An entry of the file: the tests that fail for the same reason. */
type Group = Omit<Accepted, 'id'> & { readonly ids: readonly string[] };

/**
 * Parses a list of accepted failures.
 * @throws Error if a test is listed twice for the same deployment, or without a reason
 */
export function readAccepted(text: string): readonly Accepted[] {
  const groups = JSON.parse(text) as readonly Group[];
  const all = groups.flatMap(({ ids, ...rest }) => ids.map(id => ({ id, ...rest })));
  const seen = new Set<string>();
  for (const { id, reason, on = [''] } of all) {
    if (reason.trim() === '') throw new Error(`${id} is accepted without a reason.`);
    for (const place of on) {
      if (seen.has(`${id} ${place}`)) throw new Error(`${id} is accepted twice.`);
      seen.add(`${id} ${place}`);
    }
  }
  return all;
}

const isThere = ({ on }: Accepted, words: readonly string[]): boolean =>
  on?.some(place => place.split(', ').every(word => words.includes(word))) ?? true;

/**
 * Returns the accepted failures of a peer on a deployment with these words (see `wordsOf`). Empty for a peer without a
 * list.
 */
export const acceptedOf = (peer: string, words: readonly string[]): readonly Accepted[] => {
  const file = acceptedFile(peer);
  return existsSync(file) ? readAccepted(readFileSync(file, 'utf8')).filter(entry => isThere(entry, words)) : [];
};
