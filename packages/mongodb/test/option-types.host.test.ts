/** Every numeric, boolean and enumerated option of an operation has a row in the tables that validate options. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import {
  bucketOptions,
  createCollectionOptions,
  findOptions,
  indexOptions,
} from '../../client/src/operation-options.js';

const entry = join(dirname(fileURLToPath(import.meta.url)), '../../client/src/index.ts');

/** The options without a row, and the reason. */
const exceptions: Readonly<Record<string, string>> = {
  timeoutMS: 'validated with the deadline',
  defaultTimeoutMS: 'validated with the deadline',
  sort: 'validated when it is converted to a document',
  willRetryWrite: 'has no effect',
  timeout: 'has no effect',
  retryWrites: 'has no effect in the options of a database',
  force: 'has no effect',
  forceClear: 'has no effect',
  new_collection: 'has no effect',
  enableUtf8Validation: 'has no effect: strings are always validated',
  causalConsistency: 'validated by startSession',
  snapshot: 'validated by startSession',
  enabled: 'a field of a read preference, which the server validates',
  granularity: 'a field of `timeseries`, which the server validates',
  bucketMaxSpanSeconds: 'a field of `timeseries`, which the server validates',
  bucketRoundingSeconds: 'a field of `timeseries`, which the server validates',
};

const { BooleanLike, NumberLike, StringLiteral } = ts.TypeFlags;

test('the tables list the numeric, boolean and enumerated options of all operations', { timeout: 60_000 }, () => {
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.Node20,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!);
  const interfaces = exported
    .map(symbol => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter(
      ({ name }) => /Options$/.test(name) && !/^(?:MongoClient|Mongo|Tls|Network|Log|ReadPref|WriteC)/.test(name),
    );
  const members = interfaces.flatMap(symbol => checker.getDeclaredTypeOfSymbol(symbol).getProperties());
  const simple = members.filter(member => {
    const type = checker.getTypeOfSymbol(member);
    return (type.isUnion() ? type.types : [type]).some(
      ({ flags }) => (flags & (BooleanLike | NumberLike | StringLiteral)) !== 0,
    );
  });
  const rows = [findOptions, createCollectionOptions, indexOptions, bucketOptions].flatMap(table => [...table]);
  const known = new Set(rows.flatMap(([name, { fields }]) => [name, ...(fields?.keys() ?? [])]));
  const without = [...new Set(simple.map(({ name }) => name))].filter(name => !known.has(name));
  expect(simple.length).toBeGreaterThan(100);
  expect(without.filter(name => !(name in exceptions))).toEqual([]);
  expect(Object.keys(exceptions).filter(name => !without.includes(name))).toEqual([]);
});
