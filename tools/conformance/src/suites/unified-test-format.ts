import { Ajv2019 } from 'ajv/dist/2019.js';
import type { ValidateFunction } from 'ajv';
import { readText } from '../fixtures.js';
import { noSchemas } from '../skips.js';
import type { Fixture, Result, Suite } from '../suite.js';

const latest = 'latest';

/** `1.3` of a `schemaVersion` such as `1.3` or `1.3.0`; undefined if it is none. */
const versionOf = (json: unknown): string | undefined => {
  const stated: unknown = (json as { readonly schemaVersion?: unknown }).schemaVersion;
  return typeof stated === 'string' ? /^\d+\.\d+(?=(?:\.\d+)?$)/.exec(stated)?.[0] : undefined;
};

/** Without the dialect that it names: the older ones are in draft 7, whose words mean the same in 2019-09. */
const read = (text: string): object => {
  const { $schema: _, ...schema } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return schema;
};

/** The schemas of the format by their versions, each read and compiled once; undefined if there is none. */
const createSchemas = (): ((version: string) => ValidateFunction | undefined) => {
  const ajv = new Ajv2019({ strict: false });
  const known = new Map<string, ValidateFunction | undefined>();
  return version => {
    if (!known.has(version)) {
      const text = readText(`unified-test-format/schema-${version}.json`);
      known.set(version, text === undefined ? undefined : ajv.compile(read(text)));
    }
    return known.get(version);
  };
};

const judgeFile = (
  { name: file, json }: Fixture,
  schemaOf: (version: string) => ValidateFunction | undefined,
): Result => {
  const isInvalid = file.startsWith('invalid');
  // What is invalid is so by every schema; what is valid is so by that of its own version, where there is one.
  const version = isInvalid ? latest : (versionOf(json) ?? latest);
  const schema = schemaOf(version) ?? schemaOf(latest);
  const name = isInvalid ? 'is refused by the schema' : 'is accepted by the schema of its version';
  if (schema === undefined) return { file, name, outcome: 'skipped', reason: noSchemas };
  if (schema(json) === !isInvalid) return { file, name, outcome: 'passed' };
  const reason = isInvalid
    ? 'it was accepted'
    : (schema.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  return { file, name, outcome: 'failed', reason };
};

/** Whether test files are what they claim to be, by the format's JSON schemas. */
export const run: Suite = files => {
  const schemaOf = createSchemas();
  return files.map(file => judgeFile(file, schemaOf));
};
