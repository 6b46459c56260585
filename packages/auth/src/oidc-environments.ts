/** Gets tokens without a user's callback. Rule: Authentication, "Built-in OIDC Environment Integrations". */
import { MongoError } from '@tessera/contracts';
import type { Millis, Host } from '@tessera/contracts';
import type { Properties } from './mechanism-rules.js';
import { http } from './http.js';
import type { HttpDeps } from './http.js';
import type { OidcCallback } from './oidc-callback.js';

export interface EnvironmentDeps extends HttpDeps {
  readonly host: Host;
}

/** The time limit of a local service. */
const patience: Millis = 10_000;

const failed = (name: string, what: string): MongoError => new MongoError('auth', `No token from ${name}: ${what}.`);

const fetched = async (
  deps: HttpDeps,
  name: string,
  at: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> => {
  const { status, body } = await http(deps, { method: 'GET', at, path, headers }, deps.clock.now() + patience);
  if (status !== 200) throw failed(name, `it answered with status ${status}: ${body.slice(0, 500)}`);
  return body;
};

const tokenIn = (body: string): string => {
  try {
    const token = (JSON.parse(body) as { readonly access_token?: unknown }).access_token;
    if (typeof token === 'string') return token;
  } catch {
    // The response is not JSON, so it contains no token.
  }
  throw failed('azure', 'its response has no access_token');
};

/** Reads a token from a file that other processes keep up to date. */
const fromFile = async ({ host }: EnvironmentDeps, name: string, path: string | undefined): Promise<string> => {
  if (path === undefined) throw failed(name, 'the environment variable for the file is not set');
  if (host.readText === undefined) throw failed(name, 'this host has no files; pass an OIDC_CALLBACK');
  try {
    return (await host.readText(path)).trim();
  } catch {
    throw failed(name, `the file ${path} cannot be read`);
  }
};

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Returns the callback of the environment in the properties. Undefined if they name none. */
export const environmentCallback = (deps: EnvironmentDeps, properties: Properties): OidcCallback | undefined => {
  const { ENVIRONMENT: environment, TOKEN_RESOURCE: resource } = properties as Readonly<Record<string, string>>;
  const variable = (name: string): string | undefined => deps.host.environment(name);
  const wanted = encodeURIComponent(resource ?? '');
  switch (environment) {
    case 'azure':
      return async ({ username }) => {
        const client = username === undefined ? '' : `&client_id=${encodeURIComponent(username)}`;
        const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${wanted}${client}`;
        const headers = { Accept: 'application/json', Metadata: 'true' };
        return { accessToken: tokenIn(await fetched(deps, 'azure', '169.254.169.254:80', path, headers)) };
      };
    case 'gcp':
      return async () => {
        const path = `/computeMetadata/v1/instance/service-accounts/default/identity?audience=${wanted}`;
        return { accessToken: await fetched(deps, 'gcp', 'metadata:80', path, { 'Metadata-Flavor': 'Google' }) };
      };
    case 'k8s':
      return async () => ({
        accessToken: await fromFile(
          deps,
          'k8s',
          variable('AZURE_FEDERATED_TOKEN_FILE') ?? variable('AWS_WEB_IDENTITY_TOKEN_FILE') ?? serviceAccount,
        ),
      });
    case 'test':
      return async () => ({ accessToken: await fromFile(deps, 'test', variable('OIDC_TOKEN_FILE')) });
    default:
      return undefined;
  }
};
