import type { Compressor, Hello, Millis, Phase } from '@tessera/contracts';
import type { CommandEvents } from './command-events.js';
import type { FirstBytes } from './peer.js';
import type { Reauthentication } from './reauthentication.js';

/** The terms of a connection that the client and the server have agreed on. The handshake replaces them after hello and after authentication. */
export interface Agreement {
  /** The phase of the commands that are sent now. */
  readonly phase: Phase;
  /** Undefined before the server has answered hello. */
  readonly hello: Hello | undefined;
  /** The time limit of each command of the authentication, in place of the command's own deadline. */
  readonly commandLimit: Millis | undefined;
  /** The maximum size of a message in bytes. */
  readonly longest: number;
  readonly compressor: Compressor | undefined;
  /** Undefined on connections of monitors, whose commands emit no events. */
  readonly events: CommandEvents | undefined;
  readonly reauthentication: Reauthentication | undefined;
  /** Called when the connection ends while it is idle. */
  readonly ended: (() => void) | undefined;
  /** Records the first bytes of the server until the handshake is done. */
  readonly first: FirstBytes | undefined;
}

/** The agreement of a connection on which hello has not been answered. */
export const beforeHello = (first: FirstBytes): Agreement => ({
  phase: 'hello',
  hello: undefined,
  commandLimit: undefined,
  longest: Infinity,
  compressor: undefined,
  events: undefined,
  reauthentication: undefined,
  ended: undefined,
  first,
});
