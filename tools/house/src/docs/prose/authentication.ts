import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const scram: readonly Row[] = [
  ['2.1', 'A user authenticates with each of its mechanisms named explicitly'],
  ['2.2', 'A user authenticates with a negotiated mechanism'],
  ['2.3', 'Negotiation selects SCRAM-SHA-256 for a user with both mechanisms'],
  ['3.1', 'Authentication with a mechanism that the user lacks fails'],
  ['3.2', 'An unknown user fails with the same error as a wrong password'],
  ['4', 'Passwords are accepted in every form that SASLprep normalizes to the same form'],
  ['5', 'Speculative authentication'],
  ['6', 'The minimum iteration count'],
];

const oidc: readonly Row[] = [
  ['1.1', 'The callback is called during authentication'],
  ['1.2', 'The callback is called once for many connections'],
  ['2.1', 'The callback receives its documented parameters'],
  ['2.2', 'A callback that returns null causes an error'],
  ['2.3', 'A callback that returns incomplete data causes an error'],
  ['2.4', 'A callback together with ENVIRONMENT is an error'],
  ['2.5', 'ALLOWED_HOSTS together with ENVIRONMENT is an error'],
  ['3.1', 'A rejected cached token is replaced by a new token'],
  ['3.2', 'A rejected new token is an error'],
  ['3.3', 'An unexpected error code does not clear the cache'],
  ['4.1', 'Reauthentication succeeds'],
  ['4.2', 'A read fails if reauthentication fails'],
  ['4.3', 'A write fails if reauthentication fails'],
  ['4.4', 'Reauthentication does not use speculative authentication'],
  ['4.5', 'Reauthentication succeeds for an operation with a session'],
  ['5.1', 'Azure without a user name'],
  ['5.2', 'Azure with a wrong user name'],
  ['H1.1', 'One principal, no user name'],
  ['H1.2', 'One principal, explicit user name'],
  ['H1.3', 'Several principals, first user'],
  ['H1.4', 'Several principals, second user'],
  ['H1.5', 'Several principals, no user name'],
  ['H1.6', 'A host outside ALLOWED_HOSTS is an error'],
  ['H1.7', 'ALLOWED_HOSTS in the connection string is an error'],
  ['H1.8', 'An identity provider without clientId'],
  ['H2.1', 'The human callback receives its documented parameters'],
  ['H2.2', 'A human callback that returns incomplete data causes an error'],
  ['H2.3', 'The human callback receives the refresh token'],
  ['H3.1', 'Speculative authentication is used with a cached token'],
  ['H3.2', 'Speculative authentication is not used without a cached token'],
  ['H4.1', 'Reauthentication uses the refresh token'],
  ['H4.2', 'Reauthentication succeeds without a refresh token'],
  ['H4.3', 'Reauthentication succeeds after the refresh token is rejected'],
  ['H4.4', 'Reauthentication fails'],
];

const aws: readonly Row[] = [
  ['1', 'Regular credentials in the connection string'],
  ['2', 'Credentials from EC2'],
  ['3', 'Credentials from ECS'],
  ['4', 'AssumeRole: a session token in the connection string'],
  ['5.1', 'Web identity with AWS_ROLE_SESSION_NAME'],
  ['5.2', 'Web identity without AWS_ROLE_SESSION_NAME'],
  ['6.1', 'AWS Lambda without a session token'],
  ['6.2', 'AWS Lambda with a session token'],
  ['7.1', 'Credentials are cached, refreshed before they expire, and dropped when the server rejects them'],
  ['7.2', 'Environment variables are not cached, and cached credentials take precedence over them'],
  ['8.1', 'A custom credential provider authenticates'],
  ['8.2', 'Credentials in the connection string take precedence over a custom provider'],
  ['8.3', 'A custom provider takes precedence over environment variables'],
];

/** Credentials and the mechanisms that use them. */
export const authentication: readonly Specification[] = [
  specification(
    'Authentication',
    '2 to 4 are the steps of the test plan for SCRAM (step 1 creates the users), 5 and 6 the headings after it.',
    scram,
  ),
  specification('MONGODB-OIDC', 'H1.1 to H4.4 are the tests of the human authentication flow.', oidc),
  specification(
    'MONGODB-AWS',
    '1 to 7 are numbered as the list of scenarios; 8.1 to 8.3 are the tests of custom credential providers.',
    aws,
  ),
];
