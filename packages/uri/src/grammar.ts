import type { Address } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { optionTable } from './option-table.js';

/** One host of a connection string. A Unix socket has no port; the default port of other hosts is 27017. */
export interface HostIdentifier {
  /** The kind of host. */
  readonly type: 'hostname' | 'ipv4' | 'ip_literal' | 'unix';
  /** The host name, the IP address without brackets, or the path of the Unix domain socket. */
  readonly host: string;
  /** The port. Undefined: none is given. */
  readonly port: number | undefined;
}

/** The parts of a connection string. Values are decoded, but options are not yet interpreted. */
export interface ConnectionStringParts {
  readonly srv: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly hosts: readonly HostIdentifier[];
  readonly database: string | undefined;
  /** Keys as they are written. A key may occur several times. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

const invalid = (message: string): MongoError => new MongoError('usage', message);

const decode = (what: string, text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(
      `The ${what} of the connection string is not percent-encoded correctly. Encode it with encodeURIComponent.`,
    );
  }
};

const schemes: readonly (readonly [prefix: string, srv: boolean])[] = [
  ['mongodb://', false],
  ['mongodb+srv://', true],
];

/**
 * Splits a connection string into its parts. Rule: Connection String, "General Syntax".
 * @throws MongoError `usage`. The message never contains a possible password.
 */
export const splitConnectionString = (uri: string): ConnectionStringParts => {
  if (typeof uri !== 'string') throw invalid(`A connection string must be a string, but is ${typeof uri}.`);
  const scheme = schemes.find(([prefix]) => uri.startsWith(prefix));
  if (scheme === undefined) throw invalid('A connection string must begin with mongodb:// or mongodb+srv://.');
  const [prefix, srv] = scheme;
  const rest = uri.slice(prefix.length);
  const question = rest.indexOf('?');
  const beforeOptions = question < 0 ? rest : rest.slice(0, question);
  const slash = beforeOptions.indexOf('/');
  const authority = slash < 0 ? beforeOptions : beforeOptions.slice(0, slash);
  const path = slash < 0 ? '' : beforeOptions.slice(slash + 1);
  // An at-sign after the first slash suggests an unescaped slash in the user name or password rather than a database.
  if (path.includes('@'))
    throw invalid(
      'The user name or password contains an unescaped slash. Percent-encode both with encodeURIComponent.',
    );
  const at = authority.lastIndexOf('@');
  const { username, password } = splitUserinfo(at < 0 ? undefined : authority.slice(0, at));
  return {
    srv,
    username,
    password,
    hosts: splitHosts(authority.slice(at + 1), srv),
    database: splitDatabase(path),
    pairs: question < 0 ? [] : splitPairs(rest.slice(question + 1)),
  };
};

/** Splits user name and password. Rule: Connection String, "Userinfo". */
const splitUserinfo = (
  userinfo: string | undefined,
): { readonly username: string | undefined; readonly password: string | undefined } => {
  if (userinfo === undefined) return { username: undefined, password: undefined };
  const [name = '', password, ...more] = userinfo.split(':');
  if (more.length > 0 || userinfo.includes('@'))
    throw invalid(
      'The user name or password contains an unescaped ":" or "@". Percent-encode both with encodeURIComponent.',
    );
  if (name === '') throw invalid('The user name before the "@" is empty. Remove the "@", or add a user name.');
  return {
    username: decode('user name', name),
    password: password === undefined ? undefined : decode('password', password),
  };
};

const ipv4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** Splits the list of hosts. Rule: Connection String, "Host Information". */
const splitHosts = (text: string, srv: boolean): readonly HostIdentifier[] => {
  const hosts = text.split(',').map(splitHost);
  const [first] = hosts;
  if (!srv) return hosts;
  if (hosts.length > 1)
    throw invalid('A mongodb+srv connection string must have exactly one host, whose SRV records contain the servers.');
  if (first?.port !== undefined)
    throw invalid('A mongodb+srv connection string must have no port, because its SRV records contain the ports.');
  return hosts;
};

const splitHost = (text: string): HostIdentifier => {
  if (text === '')
    throw invalid(
      'The connection string has no host, or an empty one. A unix socket path must be percent-encoded (/ becomes %2F).',
    );
  if (text.startsWith('[')) return splitLiteral(text);
  const host = decode('host', text);
  if (host.endsWith('.sock') && host.includes('/')) return { type: 'unix', host, port: undefined };
  const [name = '', port, ...more] = text.split(':');
  // The text after the colon is not shown: it may be the password of a user whose "@" is missing.
  if (more.length > 0)
    throw invalid(
      `The host '${name}' is followed by more than one ":". Write an IPv6 address in brackets, as in [::1]:27017.`,
    );
  if (name === '') throw invalid('A host has a port but no name.');
  const decoded = decode('host', name);
  return {
    type: ipv4.test(decoded) ? 'ipv4' : 'hostname',
    host: decoded.toLowerCase(),
    port: port === undefined ? undefined : parsePort(port, name),
  };
};

const splitLiteral = (text: string): HostIdentifier => {
  const end = text.indexOf(']');
  const host = decode('host', text.slice(1, end));
  const rest = text.slice(end + 1);
  if (end < 0 || !/^[0-9a-f:.]*:[0-9a-f:.]*(%.+)?$/i.test(host) || (rest !== '' && !rest.startsWith(':')))
    throw invalid('A host that begins with "[" must be an IPv6 address in brackets, as in [::1]:27017.');
  return {
    type: 'ip_literal',
    host: host.toLowerCase(),
    port: rest === '' ? undefined : parsePort(rest.slice(1), host),
  };
};

const parsePort = (text: string, host: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535)
    throw invalid(
      `The port of '${host}' must be a number from 1 to 65535. A user name and password must precede an "@" and be percent-encoded.`,
    );
  return port;
};

/** Decodes and checks the database name. Rule: Connection String, "Auth Database". */
const splitDatabase = (path: string): string | undefined => {
  if (path === '') return undefined;
  const database = decode('database', path);
  if (/[/\\ "$\0]/.test(database))
    throw invalid(
      `The database name '${database}' contains one of the characters / \\ space " $, which are not allowed.`,
    );
  return database;
};

const isOption = (text: string): boolean => optionTable.some(({ name }) => name.toLowerCase() === text.toLowerCase());

/**
 * Splits the options. An option without "=" is named in the error only if it is known, because it may contain a secret.
 * Rule: Connection String, "Connection Options".
 */
const splitPairs = (text: string): readonly (readonly [string, string])[] =>
  text
    .split(/[&;]/)
    .filter(pair => pair !== '')
    .map(pair => {
      const equals = pair.indexOf('=');
      if (equals < 1)
        throw invalid(`${isOption(pair) ? `The option '${pair}'` : 'An option'} must have the form name=value.`);
      return [decode('option name', pair.slice(0, equals)), pair.slice(equals + 1)] as const;
    });

/** Formats the host as an address, in the form that all packages use. */
export const toAddress = ({ type, host, port }: HostIdentifier): Address => {
  if (type === 'unix') return host;
  return `${type === 'ip_literal' ? `[${host}]` : host}:${port ?? 27_017}`;
};
