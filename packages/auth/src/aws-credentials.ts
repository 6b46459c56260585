/** Finds the AWS keys. Rule: Authentication, "MONGODB-AWS", "Obtaining Credentials". */
import { MongoError, waitFor } from '@tessera/contracts';
import type { Credential, Host, Millis, Random } from '@tessera/contracts';
import type { AwsCredentials } from './aws-signature.js';
import { webIdentityKeys, webIdentityRequest } from './aws-web-identity.js';
import { http } from './http.js';
import type { HttpDeps, HttpRequest } from './http.js';

/** A function that provides keys, such as the result of `fromNodeProviderChain()` of the AWS SDK. */
export type AwsCredentialProvider = () => Promise<AwsCredentials & { readonly expiration?: Date | undefined }>;

export interface AwsCredentialDeps extends HttpDeps {
  readonly host: Host;
  readonly random: Random;
}

/** The time limit of an AWS service, and how long before their expiration keys are replaced. */
const patience: Millis = 10_000;
const margin: Millis = 300_000;

const failed = (what: string): MongoError => new MongoError('auth', `No AWS credentials: ${what}.`);

interface Fetched extends AwsCredentials {
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A value from outside, whose members are not known. */
type Found = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Checks the keys. The error contains nothing of the value, part of which is secret. */
const checked = (from: string, found: Found): AwsCredentials => {
  const { accessKeyId, secretAccessKey, sessionToken } = found;
  if (!isText(accessKeyId) || !isText(secretAccessKey) || (sessionToken !== undefined && !isText(sessionToken)))
    throw failed(`${from} returned no access key with its secret`);
  return { accessKeyId, secretAccessKey, sessionToken };
};

/** Fetches keys. Keys from an AWS service are cached until shortly before they expire. */
export class AwsKeys {
  readonly #deps: AwsCredentialDeps;
  readonly #given: AwsCredentials | undefined;
  readonly #provider: AwsCredentialProvider | undefined;
  #fetched: Fetched | undefined;

  constructor(deps: AwsCredentialDeps, { username, password, properties }: Credential) {
    this.#deps = deps;
    this.#given =
      username === undefined
        ? undefined
        : checked('the connection string', {
            accessKeyId: username,
            secretAccessKey: password,
            sessionToken: properties['AWS_SESSION_TOKEN'],
          });
    this.#provider = properties['AWS_CREDENTIAL_PROVIDER'] as AwsCredentialProvider | undefined;
  }

  /** Drops cached keys after the server rejected them. */
  forget(): void {
    this.#fetched = undefined;
  }

  /** Returns the keys. @throws MongoError `auth`; `timeout` at the deadline */
  async get(deadline: Millis): Promise<AwsCredentials> {
    if (this.#given !== undefined) return this.#given;
    if (this.#provider !== undefined) return this.#provided(this.#provider, deadline);
    const kept = this.#fetched;
    if (kept !== undefined && kept.until - margin > this.#deps.clock.wallTime()) return kept;
    return this.#fromEnvironment() ?? (this.#fetched = await this.#fromService(deadline));
  }

  async #provided(provider: AwsCredentialProvider, deadline: Millis): Promise<AwsCredentials> {
    const { clock } = this.#deps;
    const limit = deadline - clock.now();
    const call = async (): Promise<Found> => {
      try {
        return { ...(await provider()) };
      } catch (cause) {
        throw new MongoError('auth', 'No AWS credentials: AWS_CREDENTIAL_PROVIDER threw an error; see the cause.', {
          cause,
        });
      }
    };
    const found = await waitFor(call(), { clock, deadline }, () => {
      const what = `AWS_CREDENTIAL_PROVIDER did not return within ${Math.round(limit)} ms`;
      return new MongoError('timeout', `No AWS credentials: ${what}.`);
    });
    return checked('AWS_CREDENTIAL_PROVIDER', found);
  }

  #variable(name: string): string | undefined {
    const value = this.#deps.host.environment(name);
    return value === '' ? undefined : value;
  }

  #fromEnvironment(): AwsCredentials | undefined {
    const accessKeyId = this.#variable('AWS_ACCESS_KEY_ID');
    const secretAccessKey = this.#variable('AWS_SECRET_ACCESS_KEY');
    if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
    return checked('the environment', {
      accessKeyId,
      secretAccessKey,
      sessionToken: this.#variable('AWS_SESSION_TOKEN'),
    });
  }

  async #fromService(deadline: Millis): Promise<Fetched> {
    const tokenFile = this.#variable('AWS_WEB_IDENTITY_TOKEN_FILE');
    const roleArn = this.#variable('AWS_ROLE_ARN');
    if (tokenFile !== undefined && roleArn !== undefined) return this.#fromWebIdentity(tokenFile, roleArn, deadline);
    const ofContainer = this.#variable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
    return ofContainer === undefined ? this.#fromMachine(deadline) : this.#fromContainer(ofContainer, deadline);
  }

  /** Gets keys for a web identity (EKS). The token file is read every time, because other processes update it. */
  async #fromWebIdentity(tokenFile: string, roleArn: string, deadline: Millis): Promise<Fetched> {
    const { host, random } = this.#deps;
    if (host.readText === undefined) throw failed('this host has no files; pass an AWS_CREDENTIAL_PROVIDER');
    const token = await host.readText(tokenFile).catch(() => {
      throw failed(`the file ${tokenFile} of AWS_WEB_IDENTITY_TOKEN_FILE cannot be read`);
    });
    const name = `tessera-${Array.from(random.bytes(8), byte => byte.toString(16).padStart(2, '0')).join('')}`;
    const sessionName = this.#variable('AWS_ROLE_SESSION_NAME') ?? name;
    const request = webIdentityRequest({ roleArn, sessionName, token: token.trim() });
    return this.#keysOf(request.at, webIdentityKeys(this.#parse(request.at, await this.#ask(request, deadline))));
  }

  /** Gets keys from ECS. */
  async #fromContainer(given: string, deadline: Millis): Promise<Fetched> {
    const at = '169.254.170.2:80';
    const path = given.replace(/^\/?/, '/');
    return this.#read(at, await this.#ask({ method: 'GET', at, path, headers: {} }, deadline));
  }

  /** Gets keys from EC2, with version 2 of its metadata service. */
  async #fromMachine(deadline: Millis): Promise<Fetched> {
    const at = '169.254.169.254:80';
    const ttl = { 'X-aws-ec2-metadata-token-ttl-seconds': '30' };
    const token = await this.#ask({ method: 'PUT', at, path: '/latest/api/token', headers: ttl }, deadline);
    const headers = { 'X-aws-ec2-metadata-token': token.trim() };
    const path = '/latest/meta-data/iam/security-credentials/';
    const role = await this.#ask({ method: 'GET', at, path, headers }, deadline);
    const ofRole = path + encodeURIComponent(role.trim());
    return this.#read(at, await this.#ask({ method: 'GET', at, path: ofRole, headers }, deadline));
  }

  async #ask(request: HttpRequest, deadline: Millis): Promise<string> {
    const limit = Math.min(deadline, this.#deps.clock.now() + patience);
    const { status, body } = await http(this.#deps, request, limit);
    if (status !== 200) throw failed(`${request.at} answered ${request.path} with status ${status}`);
    return body;
  }

  #read(at: string, body: string): Fetched {
    return this.#keysOf(at, this.#parse(at, body));
  }

  #parse(at: string, body: string): Found {
    try {
      return { ...(JSON.parse(body) as Found) };
    } catch {
      throw failed(`the response of ${at} is not JSON`);
    }
  }

  #keysOf(at: string, { AccessKeyId, SecretAccessKey, Token, Expiration }: Found): Fetched {
    const keys = checked(at, { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token });
    const until = new Date(String(Expiration)).getTime();
    return { ...keys, until: Number.isNaN(until) ? 0 : until };
  }
}
