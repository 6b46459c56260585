import type { Clock, Compressor, Hello, Millis, WireCodec } from '@tessera/contracts';
import type { CommandEvents } from './command-events.js';
import type { Deadlines } from './deadlines.js';
import type { Declaration } from './server-api.js';

/** What all connections of one `Connect` share. */
export interface Surroundings {
  readonly clock: Clock;
  readonly wire: WireCodec;
  readonly deadlines: Deadlines;
  /** Goes with every command. */
  readonly declaration: Declaration | undefined;
  /** How long the late reply to a command that was given up may take. */
  readonly drainLimit: Millis;
  /** How long the answer to a command without a deadline may take. */
  readonly answerLimit: Millis;
  readonly nextRequestId: () => number;
}

/** What the handshake found out. */
export interface Agreement {
  readonly hello: Hello;
  readonly compressor: Compressor | undefined;
  /** None for monitors. */
  readonly events: CommandEvents | undefined;
  /** Says again who is there, when the server has forgotten. */
  readonly reauthenticate: ((deadline: Millis) => Promise<void>) | undefined;
  readonly ended: (() => void) | undefined;
}
