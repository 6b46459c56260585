/** Reads and writes SCRAM messages. Rule: RFC 5802, section 7. */
import { fromBase64 } from '@tessera/contracts';

/**
 * The minimum iteration count; fewer iterations would be a downgrade. Rule: RFC 7677, section 4, and Authentication.
 */
const leastIterations = 4096;
/**
 * The maximum iteration count. The default of MongoDB is 15,000. A million iterations take a thread about a second; a
 * server that asks for more is malicious.
 */
const mostIterations = 1_000_000;

/** The problem with a server's message, as the end of a sentence. */
export class ScramMistake {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

export interface ServerFirst {
  /** The client's nonce followed by the server's. */
  readonly nonce: string;
  readonly salt: Uint8Array;
  readonly iterations: number;
}

/**
 * Returns the client-first-message-bare. The user name is not prepared with SASLprep. Rule: RFC 5802, section 5.1, "n";
 * Authentication, "SCRAM-SHA-1".
 */
export const clientFirstBare = (username: string, nonce: string): string =>
  `n=${username.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;

/** The header for no channel binding and no other identity. */
export const gs2Header = 'n,,';

/** Returns the client's final message without the proof. `biws` is the header in base64. */
export const clientFinalWithoutProof = (nonce: string): string => `c=biws,r=${nonce}`;

const attribute = (part: string | undefined, name: string): string | undefined =>
  part?.startsWith(`${name}=`) === true ? part.slice(2) : undefined;

/** Parses the server's first message. Rule: RFC 5802, section 7, "server-first-message". */
export const readServerFirst = (text: string, clientNonce: string): ServerFirst | ScramMistake => {
  const [first, second, third] = text.split(',');
  if (first?.startsWith('m=') === true) return new ScramMistake('it requires an unknown extension');
  const nonce = attribute(first, 'r');
  const salt = fromBase64(attribute(second, 's') ?? '');
  const count = attribute(third, 'i');
  if (nonce === undefined || salt === undefined || salt.length === 0 || count === undefined)
    return new ScramMistake('its first message lacks nonce, salt or iteration count');
  if (nonce.length <= clientNonce.length || !nonce.startsWith(clientNonce))
    return new ScramMistake("its nonce does not begin with the client's nonce");
  const iterations = /^[1-9]\d{0,15}$/.test(count) ? Number(count) : 0;
  if (iterations < leastIterations)
    return new ScramMistake(`it asks for fewer than ${leastIterations} iterations, which would weaken the password`);
  if (iterations > mostIterations) return new ScramMistake(`it asks for more than ${mostIterations} iterations`);
  return { nonce, salt, iterations };
};

/** Returns the server's signature. Rule: RFC 5802, section 7, "server-final-message". */
export const readServerFinal = (text: string): Uint8Array | ScramMistake => {
  const [first] = text.split(',');
  const error = attribute(first, 'e');
  if (error !== undefined) return new ScramMistake(`it ends with the error '${error.slice(0, 100)}'`);
  const signature = fromBase64(attribute(first, 'v') ?? '');
  return signature === undefined || signature.length === 0
    ? new ScramMistake('its last message has no signature')
    : signature;
};
