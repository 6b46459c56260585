import type { DriverInfo } from '@tessera/contracts';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import type { ClientSettings } from './default-options.js';
import { HostAddress } from './host-address.js';
import type { ResolvedOptions } from './resolved-options.js';

/** A client's credentials. Not enumerable, so that printed options do not contain them. */
export interface MongoCredentials {
  readonly username: string;
  readonly password: string;
  readonly source: string;
  readonly mechanism: string;
  readonly mechanismProperties: Readonly<Record<string, unknown>>;
}

/** The options of a client with all defaults, in the form in which programs for the official driver read them. */
export interface MongoOptions extends Omit<
  ClientSettings,
  'hosts' | 'driverInfo' | 'readPreference' | 'readConcern' | 'writeConcern' | 'compressors'
> {
  readonly hosts: HostAddress[];
  /** The first of the libraries that are built on the driver; empty if there is none. */
  readonly driverInfo: DriverInfo;
  readonly readPreference: ReadPreference;
  readonly readConcern: ReadConcern | undefined;
  readonly writeConcern: WriteConcern | undefined;
  readonly compressors: readonly string[];
  readonly monitorCommands: boolean;
  readonly forceServerObjectId: boolean;
  readonly credentials?: MongoCredentials;
}

/** The part of the official driver's internal state of a client that libraries read. */
export interface ClientState {
  /** The connection string as it was given. */
  readonly url: string;
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

/** Converts the settings. Secrets stay non-enumerable. */
export const toMongoOptions = (settings: ClientSettings, resolved: ResolvedOptions): MongoOptions => {
  const options = Object.defineProperties({}, Object.getOwnPropertyDescriptors(settings));
  const credentials = credentialsOf(settings);
  Object.assign(options, {
    hosts: settings.hosts.map(host => new HostAddress(host)),
    driverInfo: settings.driverInfo[0] ?? {},
    readPreference: resolved.readPreference ?? ReadPreference.primary,
    readConcern: resolved.readConcern,
    writeConcern: resolved.writeConcern,
    compressors: settings.compressors ?? ['none'],
    monitorCommands: settings.monitorCommands ?? false,
    forceServerObjectId: settings.forceServerObjectId ?? false,
  });
  if (credentials !== undefined) Object.defineProperty(options, 'credentials', { value: credentials });
  return Object.freeze(options) as MongoOptions;
};
