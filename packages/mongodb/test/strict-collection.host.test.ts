/** The compiler's messages for mistakes that `StrictCollection` rejects, and the compiler's work for its types. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const folder = dirname(fileURLToPath(import.meta.url));

const schema = `
import type { Collection, StrictCollection } from '@tessera/mongodb';
interface Film {
  title: string; year: number; price: number; tags: string[]; seen?: Date;
  crew: { name: string; age: number };
  cast: { name: string; role: string }[];
}
declare const loose: Collection<Film>;
declare const films: StrictCollection<Film>;
declare const film: Film;
`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.Node20,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Files of earlier programs, so that a later program does not parse them again. */
const files = new Map<string, ts.SourceFile | undefined>();

/** Compiles statements below the schema. Returns the messages by statement, and measures of the compiler's work. */
const compile = (statements: readonly string[]): { messages: string[][]; types: number; instantiations: number } => {
  const name = join(folder, 'statements.ts');
  const first = schema.split('\n').length - 1;
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile(name, schema + statements.join('\n'), ts.ScriptTarget.ES2023);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (path === name) return source;
    if (!files.has(path)) files.set(path, parse(path, ...rest));
    return files.get(path);
  };
  const program = ts.createProgram([name], options, host);
  const messages = statements.map((): string[] => []);
  for (const { start, messageText } of program.getSemanticDiagnostics(source)) {
    const { line } = source.getLineAndCharacterOfPosition(start ?? 0);
    messages[line - first]?.push(ts.flattenDiagnosticMessageText(messageText, '\n'));
  }
  return { messages, types: program.getTypeCount(), instantiations: program.getInstantiationCount() };
};

const unknownField = (field: string, type: string, meant?: string): string =>
  `Object literal may only specify known properties, ${meant === undefined ? 'and' : 'but'} '${field}' does not exist in type '${type}'.` +
  (meant === undefined ? '' : ` Did you mean to write '${meant}'?`);
const wrongType = (given: string, type: string): string => `Type '${given}' is not assignable to type '${type}'.`;

const filter = 'CheckedFilter<WithId<Film>>';
const numbers = 'Compared<number> | CheckedOperators<number> | undefined';
const sort = 'CheckedKeys<WithId<Film>>';
const projection = 'CheckedProjection<WithId<Film>>';
const assigned = 'AssignedFields<UpdateValues<Film>>';

const mistakes: readonly (readonly [mistake: string, statement: string, message: string])[] = [
  ['a misspelled field in a filter', `films.find({ titel: 'x' })`, unknownField('titel', filter, 'title')],
  [
    'a misspelled operator in a filter',
    `films.find({ year: { $gtt: 3 } })`,
    unknownField('$gtt', 'Double | Int32 | Long | Decimal128 | CheckedOperators<number>'),
  ],
  ['a value of another type', `films.find({ year: '3' })`, wrongType('string', numbers)],
  ['a value of another type under a dotted path', `films.find({ 'crew.age': '3' })`, wrongType('string', numbers)],
  ['a misspelled dotted path', `films.find({ 'crew.agee': 3 })`, unknownField(`'crew.agee'`, filter)],
  ['a misspelled operator at the top level', `films.find({ $orr: [] })`, unknownField('$orr', filter, '$or')],
  ['a misspelled field in $or', `films.find({ $or: [{ titel: '' }] })`, unknownField('titel', filter, 'title')],
  ['an item of another type in $in', `films.find({ year: { $in: ['3'] } })`, wrongType('string', 'Compared<number>')],
  [
    'an operator for arrays on a string',
    `films.find({ title: { $size: 3 } })`,
    unknownField('$size', 'RegExp | CheckedOperators<string>'),
  ],
  [
    'a misspelled field in $elemMatch',
    `films.find({ cast: { $elemMatch: { nmae: 'x' } } })`,
    unknownField('nmae', 'CheckedFilter<{ name: string; role: string; }>'),
  ],
  ['a misspelled field in deleteMany', `films.deleteMany({ yaer: 1 })`, unknownField('yaer', filter)],
  [
    'a misspelled field in $set',
    `films.updateOne({ year: 1 }, { $set: { prise: 3 } })`,
    unknownField('prise', assigned, 'price'),
  ],
  [
    'a value of another type in $set',
    `films.updateOne({ year: 1 }, { $set: { 'crew.age': 'x' } })`,
    wrongType('string', 'NumericType | undefined'),
  ],
  [
    'an update without an operator',
    `films.updateOne({ year: 1 }, { price: 3 })`,
    unknownField('price', 'readonly Document[] | CheckedUpdate<Film>'),
  ],
  [
    'a misspelled update operator',
    `films.updateMany({ year: 1 }, { $sett: { price: 3 } })`,
    unknownField('$sett', 'readonly Document[] | CheckedUpdate<Film>'),
  ],
  [
    '$inc of a string',
    `films.updateOne({ year: 1 }, { $inc: { title: 1 } })`,
    unknownField('title', 'FieldsOfType<UpdateValues<Film>, NumericType, NumericType>'),
  ],
  [
    '$push to a field that is no array',
    `films.updateOne({ year: 1 }, { $push: { title: 'x' } })`,
    unknownField('title', 'PushedFields<UpdateValues<Film>>'),
  ],
  [
    'a misspelled field in $unset',
    `films.updateOne({ year: 1 }, { $unset: { prise: '' } })`,
    unknownField('prise', 'NamedFields<UpdateValues<Film>, true | "" | 1>', 'price'),
  ],
  [
    'a misspelled operator in arrayFilters',
    `films.updateOne({ year: 1 }, { $set: { 'cast.$[a].role': 'x' } }, { arrayFilters: [{ 'a.role': { $gtt: 'x' } }] })`,
    unknownField('$gtt', 'RegExp | Date | readonly unknown[] | { readonly _bsontype: string; } | AnyOperators'),
  ],
  [
    'a misspelled field behind $[…]',
    `films.updateOne({ year: 1 }, { $set: { 'cast.$[a].rol': 'x' } }, { arrayFilters: [{ 'a.role': 'x' }] })`,
    unknownField(`'cast.$[a].rol'`, assigned),
  ],
  [
    'an index with an invalid direction',
    `films.createIndex({ price: 3 })`,
    wrongType('3', '1 | -1 | "2d" | "2dsphere" | "text" | "hashed" | undefined'),
  ],
  [
    'an index on a misspelled field',
    `films.createIndexes([{ key: { prise: 1 } }])`,
    unknownField('prise', 'CheckedIndexKeys<Film>', 'price'),
  ],
  [
    'a misspelled field in a projection',
    `films.find({}, { projection: { titel: 1 } })`,
    unknownField('titel', projection, 'title'),
  ],
  ['a misspelled field in a sort', `films.find().limit(3).sort({ yaer: 1 })`, unknownField('yaer', sort)],
  [
    'an invalid direction in a sort',
    `films.findOneAndUpdate({ year: 1 }, { $set: { price: 3 } }, { sort: { year: 'up' } })`,
    wrongType('"up"', 'SortDirection | undefined'),
  ],
  [
    'an insert with an unknown field',
    `films.insertOne({ ...film, prise: 3 })`,
    unknownField('prise', 'OptionalId<Film>', 'price'),
  ],
  [
    'a misspelled member of a bulk write',
    `films.bulkWrite([{ insertone: { document: film } }])`,
    unknownField('insertone', 'CheckedBulkWrite<Film>', 'insertOne'),
  ],
  [
    'an update without an operator in a bulk write',
    `films.bulkWrite([{ updateOne: { filter: { year: 1 }, update: { price: 3 } } }])`,
    unknownField('price', 'CheckedUpdate<Film> | Document[]'),
  ],
];

/** The names of a union, in the order of the alphabet: the compiler's order depends on the order of the program's files. */
const sorted = (message: string): string =>
  message.replace(/in type '(.*)'\./, (_, type: string) => `in type '${type.split(' | ').sort().join(' | ')}'.`);

describe('StrictCollection', { timeout: 60_000 }, () => {
  const found = compile(mistakes.map(([, statement]) => statement)).messages;

  test.each(mistakes.map(([mistake, , message], index) => ({ mistake, message, index })))(
    '$mistake causes one error in one line',
    ({ message, index }) => {
      expect(found[index]?.map(sorted)).toEqual([sorted(message)]);
    },
  );

  test('distinct accepts only a path of the schema', () => {
    const { messages } = compile([`films.distinct('titel')`, `films.distinct('crew.name')`]);
    expect(messages).toEqual([
      [expect.stringMatching(/^Argument of type '"titel"' is not assignable to parameter of type '[^\n]*'\.$/)],
      [],
    ]);
  });

  // The time of the compiler for 200 calls grows by a quarter. A test of the time itself would depend on the machine.
  test('200 calls make the compiler create at most as many types as with Collection, and 20 instances per call', () => {
    const calls = (name: string, times: number): string[] =>
      Array.from({ length: times }, (_, index) => [
        `${name}.find({ title: 'a${index}', year: { $gt: ${index} }, 'crew.name': 'x' }).sort({ year: -1 }).toArray()`,
        `${name}.updateOne({ year: ${index} }, { $set: { price: 3, 'crew.age': 4 }, $push: { tags: 'a' } })`,
        `${name}.findOneAndUpdate({ tags: 'b' }, { $inc: { year: 1 } }, { sort: { year: 1 }, projection: { title: 1 } })`,
        `${name}.bulkWrite([{ insertOne: { document: film } }, { deleteMany: { filter: { year: ${index} } } }])`,
      ]).flat();
    const loose = compile(calls('loose', 50));
    const first = compile(calls('films', 1));
    const strict = compile(calls('films', 50));
    expect([...loose.messages, ...strict.messages].flat()).toEqual([]);
    expect(strict.types).toBeLessThanOrEqual(loose.types);
    expect((strict.instantiations - first.instantiations) / 196).toBeLessThan(20);
  });
});
