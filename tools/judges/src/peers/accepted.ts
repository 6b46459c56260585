import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted as folder } from '../folders.js';

/** A test of a peer that fails, and may. */
export interface Accepted {
  readonly id: string;
  /** Why a failure is right, or cannot be helped, in one sentence. */
  readonly reason: string;
  /** Where it fails: all words of one of these, each of them such as `replicaset` or `replicaset, tls`. Without it, everywhere. */
  readonly on?: readonly string[];
  /** It passes here and there, now and then: what the test needs is not the server's. */
  readonly varies?: true;
}

export const acceptedFile = (peer: string): string => join(folder, `${peer}.json`);

/** As the files have it: what fails for the same reason stands together. */
type Group = Omit<Accepted, 'id'> & { readonly ids: readonly string[] };

/** The accepted failures of a peer. @throws Error if one is listed twice for the same place, or without a reason */
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

/** Those that count on a deployment of these words (`wordsOf`); none for a peer without a list. */
export const acceptedOf = (peer: string, words: readonly string[]): readonly Accepted[] => {
  const file = acceptedFile(peer);
  return existsSync(file) ? readAccepted(readFileSync(file, 'utf8')).filter(entry => isThere(entry, words)) : [];
};
