import type { Soon } from '@tessera/contracts';
import { fail } from '@tessera/mql/engine';
import type { Waited, Waiting } from '../engine/wait.js';
import { waitUntil } from '../engine/wait.js';
import type { Call } from './command.js';

const check = (how: Waited): void => {
  switch (how) {
    case 'there':
      return;
    case 'late':
      throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
    case 'gone':
      throw fail('ClientDisconnect', 'operation was interrupted because a client disconnected');
  }
};

/** Waits until the condition holds. @throws CommandError 50 after `maxTimeMS`, 279 if the client disconnects */
export const awaited = (
  { engine: { clock }, client: { peer }, deadline }: Call,
  holds: () => boolean,
  once: Waiting['once'],
): Soon<void> => {
  const soon = waitUntil(holds, { clock, signal: peer.signal, within: deadline - clock.now(), once });
  return soon instanceof Promise ? soon.then(check) : check(soon);
};
