import { MongoError } from '@tessera/contracts';

/** The authMechanismProperties, with names in upper case. */
export type Properties = Readonly<Record<string, unknown>>;

/** The rule for one authMechanismProperty. */
export interface PropertyRule {
  readonly expects: string;
  fits(value: unknown): boolean;
}

/** The requirements of a mechanism. Rule: Authentication, "MongoCredential Properties". */
export interface MechanismRule {
  /** The default authentication source. With `external`, no other source is allowed. */
  readonly source: 'admin' | '$external' | 'external';
  readonly username: 'required' | 'optional';
  readonly password: 'required' | 'optional' | 'none';
  readonly properties: Readonly<Record<string, PropertyRule>>;
  readonly defaults?: Properties;
  /** Checks the combination of options. @throws MongoError `usage` */
  readonly check?: (given: Given) => void;
}

interface Given {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly properties: Properties;
}

const refuse = (message: string): never => {
  throw new MongoError('usage', message);
};

const text: PropertyRule = { expects: 'a string', fits: value => typeof value === 'string' && value !== '' };
const callback: PropertyRule = { expects: 'a function, given in code', fits: value => typeof value === 'function' };
const oneOf = (...values: readonly unknown[]): PropertyRule => ({
  expects: `one of ${values.join(', ')}`,
  fits: value => values.includes(value),
});
const hosts: PropertyRule = {
  expects: 'a list of host names, given in code',
  fits: value => Array.isArray(value) && value.every(host => typeof host === 'string'),
};

const scram: MechanismRule = { source: 'admin', username: 'required', password: 'required', properties: {} };

/** Checks the options of MONGODB-OIDC. Rule: Authentication, "MONGODB-OIDC", "ENVIRONMENT", "TOKEN_RESOURCE". */
const checkOidc = ({ username, properties }: Given): void => {
  const { ENVIRONMENT: environment, TOKEN_RESOURCE: resource } = properties;
  const ways = ['ENVIRONMENT', 'OIDC_CALLBACK', 'OIDC_HUMAN_CALLBACK'];
  if (ways.filter(name => properties[name] !== undefined).length !== 1)
    refuse(`MONGODB-OIDC needs exactly one of the properties ${ways.join(', ')}.`);
  if (environment !== undefined && properties['ALLOWED_HOSTS'] !== undefined)
    refuse('MONGODB-OIDC takes the property ALLOWED_HOSTS only with a callback.');
  if (environment === 'test' && username !== undefined)
    refuse('MONGODB-OIDC takes no user name in the environment test.');
  const needsResource = environment === 'azure' || environment === 'gcp';
  if (needsResource && resource === undefined)
    refuse(`MONGODB-OIDC needs the property TOKEN_RESOURCE in the environment ${environment}.`);
  if (!needsResource && resource !== undefined)
    refuse('MONGODB-OIDC takes the property TOKEN_RESOURCE only in the environments azure and gcp.');
};

/** Checks the options of MONGODB-AWS. Rule: Authentication, "MONGODB-AWS", "Obtaining Credentials". */
const checkAws = ({ username, password, properties }: Given): void => {
  if ((username === undefined) !== (password === undefined))
    refuse('MONGODB-AWS takes an access key and its secret as user name and password: both or neither.');
  if (username === undefined && properties['AWS_SESSION_TOKEN'] !== undefined)
    refuse('MONGODB-AWS takes the property AWS_SESSION_TOKEN only together with an access key and its secret.');
};

/** Rejects NUL characters, which separate the parts of a PLAIN message. Rule: Authentication, "PLAIN"; RFC 4616. */
const checkPlain = ({ username = '', password = '' }: Given): void => {
  if (username.includes('\0') || password.includes('\0'))
    refuse('The user name and the password of PLAIN must not contain a NUL character.');
};

/** The rules by the names of authMechanism. */
export const rules: Readonly<Record<string, MechanismRule>> = {
  DEFAULT: scram,
  'SCRAM-SHA-1': scram,
  'SCRAM-SHA-256': scram,
  'MONGODB-X509': { source: 'external', username: 'optional', password: 'none', properties: {} },
  PLAIN: {
    source: '$external',
    username: 'required',
    password: 'required',
    properties: {},
    check: checkPlain,
  },
  GSSAPI: {
    source: 'external',
    username: 'required',
    password: 'optional',
    properties: {
      SERVICE_NAME: text,
      SERVICE_REALM: text,
      SERVICE_HOST: text,
      CANONICALIZE_HOST_NAME: oneOf('none', 'forward', 'forwardAndReverse', 'true', 'false', true, false),
    },
    defaults: { SERVICE_NAME: 'mongodb' },
  },
  'MONGODB-AWS': {
    source: 'external',
    username: 'optional',
    password: 'optional',
    properties: { AWS_SESSION_TOKEN: text, AWS_CREDENTIAL_PROVIDER: callback },
    check: checkAws,
  },
  'MONGODB-OIDC': {
    source: 'external',
    username: 'optional',
    password: 'none',
    properties: {
      ENVIRONMENT: oneOf('test', 'azure', 'gcp', 'k8s'),
      TOKEN_RESOURCE: text,
      OIDC_CALLBACK: callback,
      OIDC_HUMAN_CALLBACK: callback,
      ALLOWED_HOSTS: hosts,
    },
    check: checkOidc,
  },
};

/**
 * Checks properties and returns them with names in upper case. Names are case-insensitive. Rule: Authentication,
 * "Naming".
 * @throws MongoError `usage` for an unknown property or an invalid value
 */
export const propertiesOf = (mechanism: string, rule: MechanismRule, given: Properties): Properties => {
  const properties: Record<string, unknown> = { ...rule.defaults };
  for (const [written, value] of Object.entries(given)) {
    const name = written.toUpperCase();
    const accepts = Object.hasOwn(rule.properties, name) ? rule.properties[name] : undefined;
    if (accepts === undefined) {
      const known = Object.keys(rule.properties);
      throw new MongoError(
        'usage',
        `${mechanism === 'DEFAULT' ? 'SCRAM' : mechanism} has no such authMechanismProperties. ` +
          (known.length === 0 ? 'Remove them.' : `It has ${known.join(', ')}.`),
      );
    }
    if (!accepts.fits(value))
      throw new MongoError('usage', `The property ${name} of ${mechanism} must be ${accepts.expects}.`);
    properties[name] = value;
  }
  return properties;
};
