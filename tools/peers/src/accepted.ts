import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test of a peer that fails, and may. */
export interface Accepted {
  readonly id: string;
  /** Why a failure is right, or cannot be helped, in one sentence. */
  readonly reason: string;
}

/** Beside the sources; this file lies in `tools/peers/src`, compiled in `tools/peers/dist`. */
const folder = join(import.meta.dirname, '..', 'accepted');

export const acceptedFile = (peer: string): string => join(folder, `${peer}.json`);

/** The accepted failures of a peer. @throws Error if one is listed twice, or without a reason */
export function readAccepted(text: string): readonly Accepted[] {
  const all = JSON.parse(text) as readonly Accepted[];
  const seen = new Set<string>();
  for (const { id, reason } of all) {
    if (reason.trim() === '') throw new Error(`${id} is accepted without a reason.`);
    if (seen.has(id)) throw new Error(`${id} is accepted twice.`);
    seen.add(id);
  }
  return all;
}

export const acceptedOf = (peer: string): readonly Accepted[] => readAccepted(readFileSync(acceptedFile(peer), 'utf8'));
