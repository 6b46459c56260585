import { toBase64 } from '@tessera/contracts';
import type {
  Authenticator,
  BsonCodec,
  Connection,
  Credential,
  Crypto,
  Document,
  Host,
  Millis,
  Random,
  Raw,
} from '@tessera/contracts';
import { Sasl } from './sasl.js';
import { ScramKeyCache, scramHash } from './scram-keys.js';
import type { ScramMechanism } from './scram-keys.js';
import {
  clientFinalWithoutProof,
  clientFirstBare,
  gs2Header,
  readServerFinal,
  readServerFirst,
  ScramMistake,
} from './scram-messages.js';
import { textOf, utf8 } from './utf8.js';

export interface ScramDeps {
  readonly bson: BsonCodec;
  readonly crypto: Crypto;
  readonly random: Random;
  /** Waits for the tables of SASLprep, which are loaded for a password that needs them. */
  readonly host?: Host | undefined;
}

/** The first message of one connection. */
interface Opening {
  readonly sasl: Sasl;
  readonly mechanism: ScramMechanism;
  readonly nonce: string;
  readonly bare: string;
  readonly command: Document;
}

const nothing: Raw = new Uint8Array(0);

const xor = (one: Raw, other: Raw): Raw => one.map((byte, i) => byte ^ other[i]!);

/** Compares bytes in constant time. */
const areEqual = (one: Raw, other: Raw): boolean => {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one[i]! ^ other[i]!;
  return difference === 0;
};

/**
 * Authenticates with SCRAM-SHA-1 or SCRAM-SHA-256. If the credential names no mechanism, SCRAM-SHA-256 is sent with
 * hello, which also asks for the user's mechanisms. Rule: Authentication, "SCRAM-SHA-1", "SCRAM-SHA-256", "Default
 * Authentication Methods"; RFC 5802; RFC 7677.
 */
export const createScram = (deps: ScramDeps, credential: Credential): Authenticator => {
  const { bson, crypto, random } = deps;
  const { source } = credential;
  const username = credential.username!;
  const named = credential.mechanism as ScramMechanism | undefined;
  const keys = new ScramKeyCache(deps, username, credential.password!);

  const open = (mechanism: ScramMechanism): Opening => {
    const sasl = new Sasl({ bson, mechanism, source });
    const nonce = toBase64(random.bytes(24));
    const bare = clientFirstBare(username, nonce);
    const command = sasl.start(utf8(gs2Header + bare), { options: { skipEmptyExchange: true } });
    return { sasl, mechanism, nonce, bare, command };
  };

  const negotiated = (connection: Connection, { sasl }: Opening, isAnswered: boolean): ScramMechanism => {
    const offered: unknown = connection.hello.document['saslSupportedMechs'];
    if (offered === undefined) return isAnswered ? 'SCRAM-SHA-256' : 'SCRAM-SHA-1';
    if (!Array.isArray(offered)) throw sasl.broken(connection, 'its saslSupportedMechs is not a list of mechanisms');
    return offered.includes('SCRAM-SHA-256') ? 'SCRAM-SHA-256' : 'SCRAM-SHA-1';
  };

  const finish = async (
    opening: Opening,
    connection: Connection,
    answer: Document | undefined,
    deadline: Millis,
  ): Promise<void> => {
    const { sasl, mechanism, nonce, bare, command } = opening;
    const hash = scramHash[mechanism];
    const broken = ({ what }: ScramMistake): Error => sasl.broken(connection, what);

    const first = answer === undefined ? await sasl.ask(connection, command, deadline) : sasl.read(connection, answer);
    if (first.done) throw broken(new ScramMistake('it ends the conversation too early'));
    const serverFirst = textOf(first.payload);
    const challenge = readServerFirst(serverFirst, nonce);
    if (challenge instanceof ScramMistake) throw broken(challenge);

    const { client, stored, server } = await keys.for(mechanism, challenge);
    const withoutProof = clientFinalWithoutProof(challenge.nonce);
    const signed = utf8(`${bare},${serverFirst},${withoutProof}`);
    const proof = xor(client, crypto.hmac(hash, stored, signed));
    const final = utf8(`${withoutProof},p=${toBase64(proof)}`);
    const second = await sasl.next(connection, first, final, deadline);
    const signature = readServerFinal(textOf(second.payload));
    if (signature instanceof ScramMistake) throw broken(signature);
    if (!areEqual(signature, crypto.hmac(hash, server, signed)))
      throw broken(new ScramMistake('its signature is wrong: it does not know the password'));
    if (second.done) return;
    // Servers before 4.4 expect one more empty message.
    const last = await sasl.next(connection, second, nothing, deadline);
    if (!last.done) throw broken(new ScramMistake('it does not end the conversation'));
  };

  return {
    mechanism: named ?? 'SCRAM',
    begin: () => {
      const opening = open(named ?? 'SCRAM-SHA-256');
      return {
        first: { ...opening.command, db: source },
        user: named === undefined ? `${source}.${username}` : undefined,
        finish: async (connection, answer, deadline) => {
          const mechanism = named ?? negotiated(connection, opening, answer !== undefined);
          if (mechanism === opening.mechanism) await finish(opening, connection, answer, deadline);
          else await finish(open(mechanism), connection, undefined, deadline);
        },
      };
    },
  };
};
