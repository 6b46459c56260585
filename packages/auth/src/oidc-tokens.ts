import type { Clock, Millis } from '@tessera/contracts';
import { callForToken } from './oidc-callback.js';
import type { IdpInfo, OidcCallback } from './oidc-callback.js';

/** The minimum pause between two calls of the callback, in milliseconds. */
const leastPause = 100;

export interface TokenRequest {
  readonly username: string | undefined;
  readonly idpInfo?: IdpInfo;
  readonly refreshToken?: string;
}

/**
 * The client's token cache: one access token, and in the human flow the data to renew it. Rule: Authentication,
 * "Credential Caching".
 */
export class OidcTokens {
  readonly #clock: Clock;
  readonly #callback: OidcCallback;
  #lastCall: Millis = -Infinity;
  #turn: Promise<unknown> = Promise.resolve();
  #token: string | undefined;
  #idpInfo: IdpInfo | undefined;
  #refreshToken: string | undefined;

  constructor(clock: Clock, callback: OidcCallback) {
    this.#clock = clock;
    this.#callback = callback;
  }

  get cached(): string | undefined {
    return this.#token;
  }

  /** The data that renews a human user's token without asking the server. */
  get renewal(): { readonly idpInfo: IdpInfo; readonly refreshToken: string } | undefined {
    const [idpInfo, refreshToken] = [this.#idpInfo, this.#refreshToken];
    return idpInfo === undefined || refreshToken === undefined ? undefined : { idpInfo, refreshToken };
  }

  /** Drops the token if it is still the cached one. */
  invalidate(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  forgetRenewal(): void {
    this.#refreshToken = undefined;
  }

  /** Returns the cached token, or one from the callback. Only one call of the callback runs at a time. */
  fetch({ username, ...more }: TokenRequest, deadline: () => Millis): Promise<string> {
    const fetched = this.#turn.then(async () => {
      if (this.#token !== undefined) return this.#token;
      const pause = this.#lastCall + leastPause - this.#clock.now();
      if (pause > 0) await this.#clock.sleep(pause);
      this.#lastCall = this.#clock.now();
      const params = { ...more, ...(username === undefined ? {} : { username }) };
      const { accessToken, refreshToken } = await callForToken(this.#clock, this.#callback, params, deadline());
      this.#token = accessToken;
      this.#refreshToken = refreshToken;
      this.#idpInfo = more.idpInfo;
      return accessToken;
    });
    this.#turn = fetched.catch(() => undefined);
    return fetched;
  }
}
