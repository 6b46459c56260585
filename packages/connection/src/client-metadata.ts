import { MongoError } from '@tessera/contracts';
import type { BsonCodec, Document, DriverInfo, MetadataOptions, Platform } from '@tessera/contracts';
import { executionEnvironment, present } from './execution-environment.js';
import type { Environment } from './execution-environment.js';
import { utf8Cut, utf8Length } from './utf8.js';

const LONGEST_APP_NAME = 128;
const LONGEST = 512;
const DELIMITER = '|';

/** @throws MongoError `usage` if `info` is not an object, or if a part is not a string or contains the delimiter */
export const checkDriverInfo = (info: DriverInfo): void => {
  if (typeof (info as unknown) !== 'object' || (info as unknown) === null)
    throw new MongoError(
      'usage',
      `'driverInfo' must be an object of name, version and platform, but is ${kindOf(info)}.`,
    );
  for (const part of ['name', 'version', 'platform'] as const) {
    const text: unknown = info[part];
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string')
      throw new MongoError('usage', `'driverInfo.${part}' must be a string, but is ${kindOf(text)}.`);
    if (text.includes(DELIMITER)) {
      throw new MongoError(
        'usage',
        `'driverInfo.${part}' is '${text}', but must not contain '${DELIMITER}', which separates names. Remove it.`,
      );
    }
  }
};

const kindOf = (given: unknown): string =>
  given === undefined || given === null ? String(given) : `of type ${typeof given}`;

/** @throws MongoError `usage` if `appName` is longer than 128 bytes in UTF-8 */
export const checkAppName = (appName: string): void => {
  const length = utf8Length(appName);
  if (length > LONGEST_APP_NAME) {
    throw new MongoError(
      'usage',
      `'appName' has ${length} bytes in UTF-8. Servers accept at most ${LONGEST_APP_NAME}.`,
    );
  }
};

/** Removes duplicates. A missing part equals an empty one. Rule: MongoDB Handshake, "Supporting Wrapping Libraries". */
const distinct = (infos: readonly DriverInfo[]): readonly DriverInfo[] => {
  const known = new Map<string, DriverInfo>();
  for (const info of infos) {
    checkDriverInfo(info);
    const key = [info.name ?? '', info.version ?? '', info.platform ?? ''].join(DELIMITER);
    if (!known.has(key)) known.set(key, info);
  }
  return [...known.values()];
};

/**
 * Joins the values with the delimiter. Empty values keep their position, because names and versions correspond by
 * position.
 */
const inPlaces = (own: string, infos: readonly DriverInfo[], part: 'name' | 'version'): string =>
  [own, ...infos.map(info => info[part] ?? '')].join(DELIMITER);

const platforms = (own: string, infos: readonly DriverInfo[]): string =>
  [own, ...infos.map(info => info.platform ?? '').filter(text => text !== '')].join(DELIMITER);

/**
 * Returns the `client` document of the handshake, at most 512 bytes of BSON. If it is too long, the least important
 * fields are removed first.
 * Rule: MongoDB Handshake, "Limitations".
 * @throws MongoError `usage` for an `appName` over 128 bytes and for names that contain the delimiter
 */
export const clientMetadata = (
  bson: BsonCodec,
  platform: Platform,
  from: Environment,
  options: MetadataOptions,
): Document => {
  const { appName = '', driver } = options;
  checkAppName(appName);
  const infos = distinct(options.driverInfo);
  const env = executionEnvironment(platform, from);
  const full: Document = {
    ...(appName === '' ? {} : { application: { name: appName } }),
    driver: { name: inPlaces(driver.name, infos, 'name'), version: inPlaces(driver.version, infos, 'version') },
    os: present(platform.os),
    platform: platforms(platform.runtime, infos),
    ...(env === undefined ? {} : { env }),
  };
  const excess = (document: Document): number => bson.elements(document).byteLength + 5 - LONGEST;
  const without = (document: Document, key: string): Document =>
    Object.fromEntries(Object.entries(document).filter(([k]) => k !== key));

  if (excess(full) <= 0) return full;
  const nameOnly: Document | undefined = present({ name: env?.['name'] as unknown });
  const a = nameOnly === undefined ? without(full, 'env') : { ...full, env: nameOnly };
  if (excess(a) <= 0) return a;
  const b = { ...a, os: { type: platform.os.type } };
  if (excess(b) <= 0) return b;
  const c = without(b, 'env');
  if (excess(c) <= 0) return c;
  const text = full['platform'] as string;
  const d = { ...c, platform: utf8Cut(text, Math.max(0, utf8Length(text) - excess(c))) };
  if (excess(d) <= 0) return d;
  // Only the names of wrapping libraries, which have no limit, can still make the document too long.
  return { ...without(c, 'platform'), driver: { ...driver } };
};
