import { MongoError, waitFor } from '@tessera/contracts';
import type { Clock, Document, Millis, Signal } from '@tessera/contracts';

/** The web platform's class for the signals that `fetch` accepts. Every host has it. */
declare class AbortController {
  readonly signal: Signal;
  abort(reason: unknown): void;
}

/** The server's data about the identity provider. */
export interface IdpInfo {
  /** The URL of the identity provider. */
  issuer: string;
  /** The id of the application at the identity provider. */
  clientId?: string | undefined;
  /** The scopes to request. */
  requestScopes?: string[] | undefined;
}

/** The arguments of an OIDC callback. */
export interface OidcCallbackParams {
  /** An `AbortSignal` that aborts when the time limit passes. */
  timeoutContext: Signal;
  /** The version of these arguments. */
  version: 1;
  /** The user name of the connection string. */
  username?: string;
  /** Only in the human flow. */
  idpInfo?: IdpInfo;
  /** Only in the human flow: the refresh token returned with the last token. */
  refreshToken?: string;
  /** Always absent: the audience belongs to the built-in callbacks. For compatibility. */
  tokenAudience?: string;
}

/** The result of an OIDC callback. */
export interface OidcResponse {
  /** The access token. */
  accessToken: string;
  /** The time in seconds for which the token is valid. Default: until the server rejects it. */
  expiresInSeconds?: number | undefined;
  /** The token for the next call. Only in the human flow. */
  refreshToken?: string | undefined;
}

/** Fetches a token. Rule: Authentication, "OIDC Callback", "OIDC Human Callback". */
export type OidcCallback = (params: OidcCallbackParams) => Promise<OidcResponse>;

/** Checks the callback's result, which errors never contain. @throws MongoError `auth` */
const checked = (response: unknown): OidcResponse => {
  const { accessToken, expiresInSeconds, refreshToken } = (response ?? {}) as Document;
  const isToken = (token: unknown): boolean => typeof token === 'string' && token !== '';
  const isWell =
    isToken(accessToken) &&
    (refreshToken === undefined || isToken(refreshToken)) &&
    (expiresInSeconds === undefined || (typeof expiresInSeconds === 'number' && expiresInSeconds >= 0));
  if (!isWell)
    throw new MongoError(
      'auth',
      'The OIDC callback must return { accessToken: string, expiresInSeconds?: number from 0, refreshToken?: string }.',
    );
  return { accessToken: accessToken as string, refreshToken: refreshToken as string | undefined };
};

/**
 * Calls the callback. @throws MongoError `auth` if it fails or returns no token, `timeout` when the time limit passes
 */
export const callForToken = async (
  clock: Clock,
  callback: OidcCallback,
  params: Omit<OidcCallbackParams, 'timeoutContext' | 'version'>,
  deadline: Millis,
): Promise<OidcResponse> => {
  const limit = deadline - clock.now();
  const controller = new AbortController();
  const call = async (): Promise<unknown> => {
    try {
      return await callback({ ...params, version: 1, timeoutContext: controller.signal });
    } catch (cause) {
      if (MongoError.is(cause)) throw cause;
      throw new MongoError('auth', 'The OIDC callback threw an error; see the cause.', { cause });
    }
  };
  return checked(
    await waitFor(call(), { clock, deadline }, () => {
      const error = new MongoError('timeout', `The OIDC callback did not return within ${Math.round(limit)} ms.`);
      controller.abort(error);
      return error;
    }),
  );
};
