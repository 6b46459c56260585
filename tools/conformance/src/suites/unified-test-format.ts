import { Ajv2019 } from 'ajv/dist/2019.js';
import type { ValidateFunction } from 'ajv';
import { readText } from '../fixtures.js';
import { noSchemas } from '../skips.js';
import type { Fixture, Result, Suite } from '../suite.js';

const latest = 'latest';

/** Returns `1.3` for a `schemaVersion` such as `1.3` or `1.3.0`; undefined if it is missing or malformed. */
const versionOf = (json: unknown): string | undefined => {
  const stated: unknown = (json as { readonly schemaVersion?: unknown }).schemaVersion;
  return typeof stated === 'string' ? /^\d+\.\d+(?=(?:\.\d+)?$)/.exec(stated)?.[0] : undefined;
};

/** Parses a schema without its `$schema`. Older schemas use draft 7; the keywords in them mean the same in 2019-09. */
const read = (text: string): object => {
  const { $schema: _, ...schema } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return schema;
};

/** Returns a function that finds the schema of a format version, compiled once; undefined if there is none. */
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
  // Invalid files must fail the latest schema. Valid files must match the schema of their own version, if it exists.
  const version = isInvalid ? latest : (versionOf(json) ?? latest);
  const schema = schemaOf(version) ?? schemaOf(latest);
  const name = isInvalid ? 'fails schema validation' : 'passes validation by the schema of its version';
  if (schema === undefined) return { file, name, outcome: 'skipped', reason: noSchemas };
  if (schema(json) === !isInvalid) return { file, name, outcome: 'passed' };
  const reason = isInvalid
    ? 'the file passed validation'
    : (schema.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  return { file, name, outcome: 'failed', reason };
};

/**
 * Validates test files with the JSON schemas of the format. Files in "invalid" folders must fail, all others must pass.
 */
export const run: Suite = files => {
  const schemaOf = createSchemas();
  return files.map(file => judgeFile(file, schemaOf));
};
