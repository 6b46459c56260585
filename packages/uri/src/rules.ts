import { MongoError, nativeTls } from '@tessera/contracts';
import { hostsSuffix } from './hosts-suffix.js';

/** What the rules between options look at. */
export interface Stated {
  readonly srv: boolean;
  readonly hostCount: number;
  /** As written in a connection string; empty for options from code. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Options that must not stand together, whatever their values. Rule: URI Options, "Conflicting TLS options"; Initial DNS Seedlist Discovery. */
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

/** Whoever names a certificate expects it to be used. @throws MongoError `usage`. */
export const checkTlsIsAsked = (options: Readonly<Record<string, unknown>>): void => {
  if (options['tls'] !== undefined) return;
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && value !== false && (name.startsWith('tls') || nativeTls.includes(name)))
      refuse(`The option '${name}' needs TLS; add tls=true, or tls=false if it is to be passed over.`);
};

/** @throws MongoError `usage` for options that contradict one another. */
export const checkRules = ({ srv, hostCount, pairs, options }: Stated): void => {
  const valuesOf = (name: string): readonly string[] =>
    pairs.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  const has = (name: string): boolean => options[name] !== undefined;

  for (const [one, other] of exclusive)
    if (has(one) && has(other))
      refuse(`The options '${one}' and '${other}' contradict each other; give only one of them.`);
  const tls = new Set([...valuesOf('tls'), ...valuesOf('ssl')]);
  if (tls.size > 1) refuse("The options 'tls' and 'ssl' mean the same, but their values differ; give only 'tls'.");

  // Rule: SOCKS5 Support, "MongoClient Configuration".
  for (const name of once) {
    if (valuesOf(name).length > 1) refuse(`The option '${name}' may be given only once.`);
    if (name !== 'proxyHost' && has(name) && !has('proxyHost'))
      refuse(`The option '${name}' needs the option 'proxyHost'.`);
  }
  if (has('proxyUsername') !== has('proxyPassword'))
    refuse("The options 'proxyUsername' and 'proxyPassword' need each other; give both or neither.");

  // Rule: URI Options, "directConnection URI option with multiple seeds or SRV URI".
  if (options['directConnection'] === true && (srv || hostCount > 1))
    refuse("The option 'directConnection=true' is for one server, but the connection string may name several.");

  // Rule: Load Balancers, "URI Validation".
  if (options['loadBalanced'] === true) {
    if (hostCount > 1) refuse("The option 'loadBalanced=true' is for one load balancer, but several hosts are named.");
    for (const name of ['replicaSet', 'directConnection'])
      if (has(name) && options[name] !== false) refuse(`The option 'loadBalanced=true' cannot stand with '${name}'.`);
  }

  // Rule: Initial DNS Seedlist Discovery, "URI Validation".
  if (!srv)
    for (const name of ['srvServiceName', 'srvMaxHosts', 'srvAllowedHostsSuffix', 'srvHostValidator'])
      if (has(name)) refuse(`The option '${name}' is only for connection strings that begin with mongodb+srv://.`);
  const suffix = options['srvAllowedHostsSuffix'];
  if (typeof suffix === 'string') hostsSuffix(suffix);
  const most = options['srvMaxHosts'];
  if (typeof most === 'number' && most > 0) {
    if (has('replicaSet')) refuse("The option 'srvMaxHosts' cannot stand with 'replicaSet'.");
    if (options['loadBalanced'] === true) refuse("The option 'srvMaxHosts' cannot stand with 'loadBalanced=true'.");
  }
};
