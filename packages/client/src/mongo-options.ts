import { defaults as connection } from '@tessera/connection';
import type { DriverInfo } from '@tessera/contracts';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import type { ClientSettings } from './default-options.js';
import { HostAddress } from './host-address.js';
import type { ServerApi, TlsOptions } from './options.js';
import type { ResolvedOptions } from './resolved-options.js';

/** A client's credentials. Not enumerable, so that printed options do not contain them. */
export interface MongoCredentials {
  /** The user name. Empty if there is none. */
  readonly username: string;
  /** The password. Empty if there is none. */
  readonly password: string;
  /** The database in which the user is defined. */
  readonly source: string;
  /** The mechanism; `DEFAULT` negotiates it with the server. */
  readonly mechanism: string;
  /** Options of the mechanism. */
  readonly mechanismProperties: Readonly<Record<string, unknown>>;
}

/** The options of a client with all defaults, in the form in which programs for the official driver read them. */
export interface MongoOptions
  extends
    Omit<
      ClientSettings,
      | 'hosts'
      | 'driverInfo'
      | 'readPreference'
      | 'readConcern'
      | 'writeConcern'
      | 'compressors'
      | 'tls'
      | 'raw'
      | 'noDelay'
      | 'serverApi'
    >,
    Readonly<Omit<TlsOptions, keyof ClientSettings>> {
  /** Whether connections are encrypted. */
  readonly tls: boolean;
  /** Whether documents are returned as bytes. */
  readonly raw: boolean;
  /** Whether small packets are sent at once. */
  readonly noDelay: boolean;
  /** The addresses of the connection string. */
  readonly hosts: HostAddress[];
  /** The first of the libraries that are built on the driver; empty if there is none. */
  readonly driverInfo: DriverInfo;
  /** The servers that reads use. */
  readonly readPreference: ReadPreference;
  /** The read concern. Undefined means the default of the server. */
  readonly readConcern: ReadConcern | undefined;
  /** The write concern. Undefined means the default of the server. */
  readonly writeConcern: WriteConcern | undefined;
  /** The version of the Stable API. Absent if commands declare none. */
  readonly serverApi?: ServerApi;
  /** The compressors to offer to servers, in order of preference. */
  readonly compressors: readonly string[];
  /** Has no effect: command events are emitted whenever there are listeners. */
  readonly monitorCommands: boolean;
  /** Whether the server generates the `_id` of inserted documents. */
  readonly forceServerObjectId: boolean;
  /** Whether strings that are not valid UTF-8 are rejected. */
  readonly enableUtf8Validation: boolean;
  /** The user and the mechanism. Absent without authentication. */
  readonly credentials?: MongoCredentials;
  /** The name and version of the driver, as in the handshake. Not enumerable. */
  readonly metadata: Promise<{ readonly driver: { readonly name: string; readonly version: string } }>;
}

/** The part of the official driver's internal state of a client that libraries read. */
export interface ClientState {
  /** The connection string as it was given. */
  readonly url: string;
  /** The options of the client with all defaults. */
  readonly options: MongoOptions;
}

const credentialsOf = (settings: ClientSettings): MongoCredentials | undefined => {
  const { username, password, authMechanism, authMechanismProperties = {}, authSource, defaultauthdb } = settings;
  if (username === undefined && authMechanism === undefined) return undefined;
  return {
    username: username ?? '',
    password: password ?? '',
    source: authSource ?? defaultauthdb ?? 'admin',
    mechanism: authMechanism ?? 'DEFAULT',
    mechanismProperties: authMechanismProperties,
  };
};

/** Returns a copy of the version of the Stable API as an object. */
export const serverApiOf = ({ serverApi }: ClientSettings): ServerApi | undefined =>
  typeof serverApi === 'string' ? { version: serverApi } : serverApi && { ...serverApi };

/** Converts the settings. Secrets stay non-enumerable. */
export const toMongoOptions = (settings: ClientSettings, resolved: ResolvedOptions): MongoOptions => {
  const options = Object.defineProperties({}, Object.getOwnPropertyDescriptors(settings));
  const credentials = credentialsOf(settings);
  const serverApi = serverApiOf(settings);
  Object.assign(options, {
    hosts: settings.hosts.map(host => new HostAddress(host)),
    driverInfo: settings.driverInfo[0] ?? {},
    readPreference: resolved.readPreference ?? ReadPreference.primary,
    readConcern: resolved.readConcern,
    writeConcern: resolved.writeConcern,
    compressors: settings.compressors ?? ['none'],
    tls: settings.tls ?? false,
    raw: settings.raw ?? false,
    noDelay: settings.noDelay ?? true,
    monitorCommands: settings.monitorCommands ?? false,
    forceServerObjectId: settings.forceServerObjectId ?? false,
    enableUtf8Validation: settings.enableUtf8Validation ?? true,
  });
  if (serverApi !== undefined) Object.assign(options, { serverApi });
  Object.defineProperty(options, 'metadata', { value: Promise.resolve({ driver: connection.driver }) });
  if (credentials !== undefined) Object.defineProperty(options, 'credentials', { value: credentials });
  return Object.freeze(options) as MongoOptions;
};

/** The options that a database inherits from its client. */
const inherited = [
  'readPreference',
  'readConcern',
  'writeConcern',
  'authSource',
  'retryWrites',
  'forceServerObjectId',
  'pkFactory',
  'raw',
  'serializeFunctions',
  'ignoreUndefined',
  'useBigInt64',
  'promoteBuffers',
  'promoteLongs',
  'promoteValues',
  'bsonRegExp',
  'enableUtf8Validation',
] as const satisfies readonly (keyof MongoOptions)[];

/** Returns the options of a database that it may inherit: its own, else those of its client. */
export const databaseOptions = <Own extends object>(client: MongoOptions, own: Own): Own => {
  const options: Record<string, unknown> = { ...client, ...own };
  return Object.fromEntries(
    inherited.map(name => [name, options[name]]).filter(([, value]) => value !== undefined),
  ) as Own;
};
