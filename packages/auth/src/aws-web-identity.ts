/** Keys for a token of OpenID Connect, from AWS STS. Rule: Authentication, "AssumeRoleWithWebIdentity". */
import type { HttpRequest } from './http.js';

export interface WebIdentity {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly token: string;
}

/** The token stands in the body: what stands in a path is told in errors. */
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

/** In the form of the other services: STS itself wraps it, and names the token otherwise. */
export const webIdentityKeys = (answer: unknown): Found => {
  const result = fieldOf(fieldOf(answer, 'AssumeRoleWithWebIdentityResponse'), 'AssumeRoleWithWebIdentityResult');
  const found = { ...((fieldOf(result, 'Credentials') ?? fieldOf(answer, 'Credentials')) as Found | undefined) };
  const { Expiration: until } = found;
  return {
    ...found,
    Token: found['SessionToken'],
    // STS counts seconds.
    Expiration: typeof until === 'number' ? new Date(until * 1000).toISOString() : until,
  };
};
