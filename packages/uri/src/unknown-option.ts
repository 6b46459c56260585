import { nearestName } from './nearest-name.js';

const since4 = 'it has had no effect since version 4 of npm mongodb; remove it';
const reconnects = 'the driver always reconnects; remove it, and limit the waiting with serverSelectionTimeoutMS';
const noEncryption =
  'client-side encryption is not supported yet; for encrypted collections, use npm mongodb with mongodb-client-encryption';

/** The options of older drivers, with what to do instead. */
const former: Readonly<Record<string, string>> = {
  useNewUrlParser: since4,
  useUnifiedTopology: since4,
  useCreateIndex: since4,
  useFindAndModify: since4,
  useRecoveryToken: since4,
  native_parser: since4,
  validateOptions: since4,
  domainsEnabled: since4,
  promiseLibrary: since4,
  poolSize: 'use maxPoolSize',
  minSize: 'use minPoolSize',
  keepAlive: 'connections are always kept alive; remove it, or set keepAliveInitialDelay',
  autoReconnect: reconnects,
  auto_reconnect: reconnects,
  reconnectTries: reconnects,
  reconnectInterval: reconnects,
  numberOfRetries: reconnects,
  bufferMaxEntries: reconnects,
  haInterval: 'use heartbeatFrequencyMS',
  acceptableLatencyMS: 'use localThresholdMS',
  secondaryAcceptableLatencyMS: 'use localThresholdMS',
  maxStalenessMS: 'use maxStalenessSeconds',
  logger: 'use mongodbLogPath and mongodbLogComponentSeverities',
  loggerLevel: 'use mongodbLogComponentSeverities',
  authdb: 'use authSource',
  user: 'use auth: { username, password }',
  password: 'use auth: { username, password }',
  sslValidate: 'use tlsAllowInvalidCertificates, which has the opposite meaning',
  sslCA: 'use tlsCAFile, the path of a file',
  sslCert: 'use tlsCertificateKeyFile, the path of a file',
  sslKey: 'use tlsCertificateKeyFile, the path of a file',
  sslPass: 'use tlsCertificateKeyFilePassword',
  sslCRL: 'use tlsCRLFile, the path of a file',
  tlsCertificateFile: 'use tlsCertificateKeyFile',
  autoEncryption: noEncryption,
};

const advice: ReadonlyMap<string, string> = new Map(
  Object.entries(former).map(([name, instead]) => [name.toLowerCase(), instead]),
);

/** Returns the message for an unknown option, with what to use instead if that is known. */
export const unknownOption = (name: string, known: readonly string[]): string => {
  const instead = advice.get(name.toLowerCase());
  if (instead !== undefined) return `There is no option '${name}': ${instead}.`;
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `There is no option '${name}'.`
    : `There is no option '${name}'; did you mean '${nearest}'?`;
};
