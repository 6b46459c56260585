import { MongoError, nativeTls } from '@tessera/contracts';
import { hostsSuffix } from './hosts-suffix.js';

/** The input of the rules between options. */
export interface Stated {
  readonly srv: boolean;
  readonly hostCount: number;
  /** The options as written in a connection string. Empty for options from code. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Options that must not be combined, with any values. Rule: URI Options, "Conflicting TLS options"; Initial DNS
 * Seedlist Discovery.
 */
const exclusive: readonly (readonly [string, string])[] = [
  ['tlsInsecure', 'tlsAllowInvalidCertificates'],
  ['tlsInsecure', 'tlsAllowInvalidHostnames'],
  ['tlsInsecure', 'tlsDisableOCSPEndpointCheck'],
  ['tlsInsecure', 'tlsDisableCertificateRevocationCheck'],
  ['tlsAllowInvalidCertificates', 'tlsDisableOCSPEndpointCheck'],
  ['tlsAllowInvalidCertificates', 'tlsDisableCertificateRevocationCheck'],
  ['tlsDisableOCSPEndpointCheck', 'tlsDisableCertificateRevocationCheck'],
  ['srvAllowedHostsSuffix', 'srvHostValidator'],
];

const once = ['proxyHost', 'proxyPort', 'proxyUsername', 'proxyPassword'];

const refuse = (message: string): never => {
  throw new MongoError('usage', message);
};

/** Options of trust that tools such as MongoDB's shell set for every connection, also without TLS. */
const harmless = ['allowPartialTrustChain', 'ca'];

/**
 * Checks that TLS is on if an option requires it, because a user who passes a certificate expects it to be used.
 * @throws MongoError `usage`.
 */
export const checkTlsIsAsked = (options: Readonly<Record<string, unknown>>): void => {
  if (options['tls'] !== undefined) return;
  for (const [name, value] of Object.entries(options))
    if (
      value !== undefined &&
      value !== false &&
      (name.startsWith('tls') || nativeTls.includes(name)) &&
      !harmless.includes(name)
    )
      refuse(`The option '${name}' requires TLS. Add tls=true, or tls=false to ignore the option.`);
};

/** Checks the rules between options. @throws MongoError `usage` for options that contradict each other. */
export const checkRules = ({ srv, hostCount, pairs, options }: Stated): void => {
  const valuesOf = (name: string): readonly string[] =>
    pairs.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  const has = (name: string): boolean => options[name] !== undefined;

  for (const [one, other] of exclusive)
    if (has(one) && has(other))
      refuse(`The options '${one}' and '${other}' contradict each other. Give only one of them.`);
  const tls = new Set([...valuesOf('tls'), ...valuesOf('ssl')]);
  if (tls.size > 1) refuse("The options 'tls' and 'ssl' mean the same, but their values differ. Give only 'tls'.");

  // Rule: SOCKS5 Support, "MongoClient Configuration".
  for (const name of once) {
    if (valuesOf(name).length > 1) refuse(`The option '${name}' may be given only once.`);
    if (name !== 'proxyHost' && has(name) && !has('proxyHost'))
      refuse(`The option '${name}' requires the option 'proxyHost'.`);
  }
  if (has('proxyUsername') !== has('proxyPassword'))
    refuse("The options 'proxyUsername' and 'proxyPassword' require each other. Give both or neither.");

  // Rule: URI Options, "directConnection URI option with multiple seeds or SRV URI".
  if (options['directConnection'] === true && (srv || hostCount > 1))
    refuse("The option 'directConnection=true' requires a single server, but the connection string may name several.");

  // Rule: Load Balancers, "URI Validation".
  if (options['loadBalanced'] === true) {
    if (hostCount > 1)
      refuse(
        "The option 'loadBalanced=true' requires a single load balancer, but the connection string has several hosts.",
      );
    for (const name of ['replicaSet', 'directConnection'])
      if (has(name) && options[name] !== false)
        refuse(`The option 'loadBalanced=true' cannot be combined with '${name}'.`);
  }

  // Rule: Initial DNS Seedlist Discovery, "URI Validation".
  if (!srv)
    for (const name of ['srvServiceName', 'srvMaxHosts', 'srvAllowedHostsSuffix', 'srvHostValidator'])
      if (has(name)) refuse(`The option '${name}' is valid only in connection strings that begin with mongodb+srv://.`);
  const suffix = options['srvAllowedHostsSuffix'];
  if (typeof suffix === 'string') hostsSuffix(suffix);
  const most = options['srvMaxHosts'];
  if (typeof most === 'number' && most > 0) {
    if (has('replicaSet')) refuse("The option 'srvMaxHosts' cannot be combined with 'replicaSet'.");
    if (options['loadBalanced'] === true)
      refuse("The option 'srvMaxHosts' cannot be combined with 'loadBalanced=true'.");
  }
};
