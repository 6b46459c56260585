import { MongoError, waitFor } from '@tessera/contracts';
import type { Clock, Document, Millis, Signal } from '@tessera/contracts';

/** The class of the web platform that `fetch` wants its signal from; every host has it. */
declare class AbortController {
  readonly signal: Signal;
  abort(reason: unknown): void;
}

/** What the server knows of the provider of identities. */
export interface IdpInfo {
  readonly issuer: string;
  readonly clientId?: string | undefined;
  readonly requestScopes?: readonly string[] | undefined;
}

export interface OidcCallbackParams {
  /** Aborts when the time is over: an `AbortSignal`. */
  readonly timeoutContext: Signal;
  readonly version: 1;
  readonly username?: string;
  /** Only for people. */
  readonly idpInfo?: IdpInfo;
  /** Only for people: what the callback gave with the last token. */
  readonly refreshToken?: string;
}

export interface OidcResponse {
  readonly accessToken: string;
  readonly expiresInSeconds?: number | undefined;
  readonly refreshToken?: string | undefined;
}

/** Fetches a token. Rule: Authentication, "OIDC Callback", "OIDC Human Callback". */
export type OidcCallback = (params: OidcCallbackParams) => Promise<OidcResponse>;

/** What comes back is checked and never shown. @throws MongoError `auth` */
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
      'The OIDC callback must return { accessToken: a text, expiresInSeconds?: a number from 0, refreshToken?: a text }.',
    );
  return { accessToken: accessToken as string, refreshToken: refreshToken as string | undefined };
};

/** @throws MongoError `auth` if the callback fails or returns no token, `timeout` when its time is over */
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
      throw new MongoError('auth', 'The OIDC callback failed; what it threw is the cause.', { cause });
    }
  };
  return checked(
    await waitFor(call(), { clock, deadline }, () => {
      const error = new MongoError('timeout', `The OIDC callback did not return within ${Math.round(limit)} ms`);
      controller.abort(error);
      return error;
    }),
  );
};
