/** Exchanges an OpenID Connect token for AWS keys. Rule: Authentication, "AssumeRoleWithWebIdentity". */
import type { HttpRequest } from './http.js';

export interface WebIdentity {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly token: string;
}

/** The token is sent in the body, because errors contain the path. */
export const webIdentityRequest = ({ roleArn, sessionName, token }: WebIdentity): HttpRequest => ({
  method: 'POST',
  at: 'sts.amazonaws.com:443',
  path: '/',
  tls: { allowInvalidCertificates: false, allowInvalidHostnames: false, native: {} },
  headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
  body: Object.entries({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
  })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&'),
});

type Found = Readonly<Record<string, unknown>>;

const fieldOf = (found: unknown, name: string): unknown => (found as Found | null | undefined)?.[name];

/**
 * Converts the response of STS, which is wrapped and names the session token differently, to the form of the other
 * services.
 */
export const webIdentityKeys = (answer: unknown): Found => {
  const result = fieldOf(fieldOf(answer, 'AssumeRoleWithWebIdentityResponse'), 'AssumeRoleWithWebIdentityResult');
  const found = { ...((fieldOf(result, 'Credentials') ?? fieldOf(answer, 'Credentials')) as Found | undefined) };
  const { Expiration: until } = found;
  return {
    ...found,
    Token: found['SessionToken'],
    // STS returns seconds.
    Expiration: typeof until === 'number' ? new Date(until * 1000).toISOString() : until,
  };
};
