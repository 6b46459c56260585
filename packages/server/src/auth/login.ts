import type { Doc, Entry, Value } from '@tessera/mql/engine';
import { BinaryValue, compare, fail, isDoc, readUtf8, typeName, fromBase64 } from '@tessera/mql/engine';
import type { Auth } from './auth.js';
import type { Privilege } from './privilege.js';
import { fits, impostor, isMechanism, plainKeys, readClientFirst, ScramExchange } from './scram.js';
import type { User } from './user.js';
import { digestOf } from './user-digest.js';
import { external, keyOf } from './user.js';
import { roleKey } from './roles.js';

/** The error of every failed authentication. It gives no reason, so that an attacker learns nothing from it. */
const failed = (): Error => fail('AuthenticationFailed', 'Authentication failed.');

const unknownMechanism = (name: Value | undefined): Error =>
  fail(
    'MechanismUnavailable',
    `Received authentication for mechanism ${typeof name === 'string' ? name : typeName(name ?? null)} which is unknown or not enabled`,
  );

export const x509 = 'MONGODB-X509';
export const plain = 'PLAIN';

const nothing = new Uint8Array(0);

/** The id of every conversation. A connection has at most one at a time, so all ids may be the same. */
const conversationId = 1;

type Conversation =
  | {
      readonly step: 'proof';
      readonly exchange: ScramExchange;
      readonly user: User | undefined;
      readonly skips: boolean;
    }
  | { readonly step: 'end'; readonly user: User };

/**
 * Returns a copy of the payload, because the request's buffer is reused for the next request.
 * @throws CommandError 14
 */
const payloadOf = (value: Value | undefined): Uint8Array => {
  if (value instanceof BinaryValue) return value.bytes.slice();
  const bytes = typeof value === 'string' ? fromBase64(value) : undefined;
  if (bytes === undefined)
    throw fail('TypeMismatch', 'Wrong type for field (payload): it must be BinData or a base64 string');
  return bytes;
};

const step = (done: boolean, payload: Uint8Array): readonly Entry[] => [
  ['conversationId', conversationId],
  ['done', done],
  ['payload', new BinaryValue(0, payload)],
];

/** The users authenticated on a connection, in their current state, with their privileges. */
export interface AuthenticatedUsers {
  readonly users: readonly User[];
  /** The keys of the users, `db.name`. */
  readonly names: ReadonlySet<string>;
  /** The keys of the users' roles, with inherited roles. */
  readonly roles: ReadonlySet<string>;
  readonly privileges: readonly Privilege[];
}

const noUsers: AuthenticatedUsers = { users: [], names: new Set(), roles: new Set(), privileges: [] };

/** The users authenticated on one connection, and the authentication in progress. */
export class Login {
  #users: readonly User[] = [];
  #conversation: Conversation | undefined;
  #present: AuthenticatedUsers = noUsers;
  /**
   * The versions of users and roles from which `#present` was computed; undefined after the authenticated users
   * changed.
   */
  #computedFrom: { readonly auth: Auth; readonly users: number; readonly roles: number } | undefined;
  readonly #upstream: (() => AuthenticatedUsers) | undefined;
  #digest: { readonly of: User; readonly digest: string } | undefined;

  /**
   * @param upstream returns the users authenticated on the connection to another server, for a connection on which
   * that server forwards requests
   */
  constructor(upstream?: () => AuthenticatedUsers) {
    this.#upstream = upstream;
  }

  /**
   * Returns the authenticated users in their current state. A user that was dropped is left out, even if a new user has
   * the same name.
   */
  present(auth: Auth): AuthenticatedUsers {
    if (this.#upstream !== undefined) return this.#upstream();
    if (this.#users.length === 0) return noUsers;
    const [users, roles] = [auth.users.version, auth.roles.version];
    const { auth: server, users: before, roles: rolesBefore } = this.#computedFrom ?? {};
    if (server !== auth || before !== users || rolesBefore !== roles) {
      const known = this.#users.flatMap(({ db, user, id }) => {
        const now = auth.users.get(db, user);
        return now !== undefined && compare(now.id, id) === 0 ? [now] : [];
      });
      const granted = known.flatMap(user => user.roles);
      this.#present = {
        users: known,
        names: new Set(known.map(keyOf)),
        roles: new Set(auth.roles.closure(granted).map(roleKey)),
        privileges: auth.roles.privileges(granted),
      };
      this.#computedFrom = { auth, users, roles };
    }
    return this.#present;
  }

  get users(): readonly User[] {
    return this.#users;
  }

  /**
   * Returns the digest of the user, which is part of the keys of the user's sessions, or '' without a user or without
   * required authentication.
   */
  digest({ required, scram }: Auth): string {
    const [user] = this.#users;
    if (!required || user === undefined) return '';
    if (this.#digest?.of !== user) this.#digest = { of: user, digest: digestOf(scram.crypto, user) };
    return this.#digest.digest;
  }

  /**
   * Authenticates with the certificate of the connection. Rule: Authentication, "MONGODB-X509".
   * @param subject the subject of the verified certificate
   * @throws CommandError 11, 17, 18, 334
   */
  authenticate(auth: Auth, db: string, command: Doc, subject: string | undefined): readonly Entry[] {
    const [mechanism, name] = [command.get('mechanism'), command.get('user')];
    if (mechanism !== x509) throw unknownMechanism(mechanism);
    if (db !== external) throw fail('ProtocolError', 'X.509 authentication must always use the $external database.');
    if (subject === undefined || (name !== undefined && name !== subject)) throw failed();
    const user = auth.users.get(external, subject);
    if (user === undefined) throw fail('UserNotFound', `Could not find user "${subject}" for db "${external}"`);
    this.#enter(user);
    return [
      ['dbname', external],
      ['user', subject],
    ];
  }

  /** Starts an authentication. @throws CommandError 14, 18, 334 */
  async start(auth: Auth, db: string, command: Doc): Promise<readonly Entry[]> {
    this.#conversation = undefined;
    const mechanism = command.get('mechanism');
    const options = command.get('options');
    const skips = isDoc(options) && options.get('skipEmptyExchange') === true;
    if (mechanism === plain && auth.offersPlain) return this.#plainly(auth, db, payloadOf(command.get('payload')));
    const first = readClientFirst(payloadOf(command.get('payload')));
    if (typeof mechanism !== 'string' || !isMechanism(mechanism)) throw unknownMechanism(mechanism);
    if (first === undefined) throw failed();
    const user = auth.users.get(db, first.user);
    const derive = user?.credentials.get(mechanism);
    if (user !== undefined && derive === undefined) throw failed();
    const credential = await (derive?.() ?? impostor(auth.scram, mechanism, first.user, auth.secret));
    const exchange = new ScramExchange(auth.scram, mechanism, first, credential);
    this.#conversation = { step: 'proof', exchange, user, skips };
    return step(false, exchange.first);
  }

  /**
   * Authenticates with PLAIN, in one step: `authorization NUL name NUL password`. Rule: RFC 4616.
   * @throws CommandError 18
   */
  async #plainly(auth: Auth, db: string, payload: Uint8Array): Promise<readonly Entry[]> {
    const [, name, password] = readUtf8(payload, 0, payload.length).split('\0');
    if (name === undefined || password === undefined) throw failed();
    // Derive the keys of all users first, so that the response time does not reveal whether a user exists.
    await Promise.allSettled(auth.users.all().map(async ({ plain: keys }) => keys?.()));
    const user = db === external ? auth.users.get(external, name) : undefined;
    const credential = (await user?.plain?.()) ?? impostor(auth.scram, plainKeys, name, auth.secret);
    const isRight = await fits(auth.scram, credential, password);
    if (!isRight || user?.plain === undefined) throw failed();
    this.#enter(user);
    return step(true, nothing);
  }

  /** Continues the authentication in progress. @throws CommandError 14, 17, 18 */
  continue(id: Value | undefined, given: Value | undefined): readonly Entry[] {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    if (conversation === undefined) throw fail('ProtocolError', 'No SASL session state found');
    if (id !== conversationId) throw fail('ProtocolError', 'sasl: Mismatched conversation id');
    const payload = payloadOf(given);
    switch (conversation.step) {
      case 'proof': {
        const { exchange, user, skips } = conversation;
        const proof = exchange.answer(payload);
        if (proof === undefined || user === undefined) throw failed();
        if (skips) this.#enter(user);
        else this.#conversation = { step: 'end', user };
        return step(skips, proof);
      }
      case 'end':
        if (payload.length > 0) throw failed();
        this.#enter(conversation.user);
        return step(true, nothing);
    }
  }

  /** Logs out the user of one database. */
  leave(db: string): void {
    this.#users = this.#users.filter(user => user.db !== db);
    this.#computedFrom = undefined;
  }

  #enter(user: User): void {
    this.#users = [...this.#users.filter(({ db }) => db !== user.db), user];
    this.#computedFrom = undefined;
  }
}
