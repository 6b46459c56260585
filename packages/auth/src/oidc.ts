import { MongoError } from '@tessera/contracts';
import type { Authenticator, BsonCodec, Connection, Credential, Document, Millis } from '@tessera/contracts';
import { checkAllowedHost, defaultAllowedHosts } from './allowed-hosts.js';
import type { IdpInfo, OidcCallback } from './oidc-callback.js';
import { environmentCallback } from './oidc-environments.js';
import type { EnvironmentDeps } from './oidc-environments.js';
import { OidcTokens } from './oidc-tokens.js';
import { fromPayload, Sasl, toPayload } from './sasl.js';
import type { SaslReply } from './sasl.js';

export interface OidcDeps extends EnvironmentDeps {
  readonly bson: BsonCodec;
}

const mechanism = 'MONGODB-OIDC';

/** The maximum time limits of a machine callback and of a human callback. */
const machineLimit: Millis = 60_000;
const humanLimit: Millis = 300_000;

/**
 * Whether another token may help: AuthenticationFailed and ReauthenticationRequired. Other errors are not about the
 * token.
 */
const isRefusal = (error: unknown): boolean => MongoError.is(error) && (error.code === 18 || error.code === 391);

/**
 * Authenticates with OpenID Connect access tokens from an environment, a callback, or a human callback. The last token
 * is cached. Rule: Authentication, "MONGODB-OIDC".
 */
export const createOidc = (deps: OidcDeps, { source, username, properties }: Credential): Authenticator => {
  const { bson, clock } = deps;
  const sasl = new Sasl({ bson, mechanism, source });
  const human = properties['OIDC_HUMAN_CALLBACK'] as OidcCallback | undefined;
  const callback = human ?? environmentCallback(deps, properties) ?? (properties['OIDC_CALLBACK'] as OidcCallback);
  const allowed = (properties['ALLOWED_HOSTS'] ?? defaultAllowedHosts) as readonly string[];
  const tokens = new OidcTokens(clock, callback);
  /** The token that authenticated each connection. */
  const ofConnection = new WeakMap<Connection, string>();

  const jwt = (token: string): Uint8Array => toPayload(bson, { jwt: token });

  const mustBeDone = (connection: Connection, { done }: SaslReply): void => {
    if (!done) throw sasl.broken(connection, 'it does not end the conversation');
  };

  /** Sends a token in one step. Rule: "One-Step". */
  const send = async (connection: Connection, token: string, deadline: Millis): Promise<void> => {
    mustBeDone(connection, await sasl.ask(connection, sasl.start(jwt(token)), deadline));
    ofConnection.set(connection, token);
  };

  /** Whether the server accepted the token. A rejected token is not used again. */
  const isTaken = async (connection: Connection, token: string, deadline: Millis): Promise<boolean> => {
    try {
      await send(connection, token, deadline);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      tokens.invalidate(token);
      return false;
    }
  };

  const asMachine = async (connection: Connection, deadline: Millis): Promise<void> => {
    const { cached } = tokens;
    if (cached !== undefined && (await isTaken(connection, cached, deadline))) return;
    const fetchedBy = (): Millis => Math.min(deadline, clock.now() + machineLimit);
    await send(connection, await tokens.fetch({ username }, fetchedBy), deadline);
  };

  const readIdpInfo = (connection: Connection, { payload }: SaslReply): IdpInfo => {
    const { issuer, clientId, requestScopes } = fromPayload(bson, payload);
    if (typeof issuer !== 'string') throw sasl.broken(connection, 'its reply has no issuer');
    return {
      issuer,
      clientId: typeof clientId === 'string' ? clientId : undefined,
      requestScopes: Array.isArray(requestScopes) ? requestScopes.map(String) : undefined,
    };
  };

  /** Calls the human callback. The time that a human user takes does not count against the connection's deadline. */
  const askHuman = async (
    request: { readonly idpInfo: IdpInfo; readonly refreshToken?: string },
    deadline: Millis,
  ): Promise<readonly [token: string, deadline: Millis]> => {
    const began = clock.now();
    const token = await tokens.fetch({ username, ...request }, () => clock.now() + humanLimit);
    return [token, deadline + (clock.now() - began)];
  };

  const asPerson = async (connection: Connection, deadline: Millis): Promise<void> => {
    const { cached } = tokens;
    if (cached !== undefined && (await isTaken(connection, cached, deadline))) return;
    const { renewal } = tokens;
    if (renewal !== undefined) {
      const [token, later] = await askHuman(renewal, deadline);
      if (await isTaken(connection, token, later)) return;
      tokens.forgetRenewal();
    }
    // Rule: "Two-Step".
    const start = sasl.start(toPayload(bson, username === undefined ? {} : { n: username }));
    const first = await sasl.ask(connection, start, deadline);
    if (first.done) throw sasl.broken(connection, 'it ends the conversation before receiving a token');
    const [token, later] = await askHuman({ idpInfo: readIdpInfo(connection, first) }, deadline);
    mustBeDone(connection, await sasl.next(connection, first, jwt(token), later));
    ofConnection.set(connection, token);
  };

  return {
    mechanism,
    begin: async at => {
      if (human !== undefined) checkAllowedHost(at, allowed);
      const offered = tokens.cached;
      const first: Document | undefined =
        offered === undefined ? undefined : { ...sasl.start(jwt(offered)), db: source };
      return {
        first,
        finish: async (connection, answer, deadline) => {
          const expired = ofConnection.get(connection);
          ofConnection.delete(connection);
          if (expired !== undefined) tokens.invalidate(expired);
          else if (offered !== undefined && answer?.['done'] === true) {
            ofConnection.set(connection, offered);
            return;
          }
          await (human === undefined ? asMachine : asPerson)(connection, deadline);
        },
      };
    },
  };
};
