import { Doc } from '../value/doc.js';
import type { Entry } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, typeName } from '../value/value.js';
import { keywordTest, schemaTest } from './json-schema.js';
import { schemaKey } from './json-schema-equality.js';
import { compileRegex } from './regex.js';

type Explain = (argument: Value, value: Value, schema: Doc) => readonly Entry[];

/** Explains a failure by its reason and the value that did not pass. */
const considered =
  (reason: string, more: (value: Value) => readonly Entry[] = () => []): Explain =>
  (_argument, value) => [['reason', reason], ['consideredValue', value], ...more(value)];

const comparison = considered('comparison failed');
const type = considered('type did not match', value => [['consideredType', typeName(value)]]);
const length = considered('specified string length was not satisfied');
const itemCount = considered('array did not match specified length', value => [
  ['numberOfItems', (value as readonly Value[]).length],
]);
const propertyCount: Explain = (_argument, value) => [
  ['reason', 'specified number of properties was not satisfied'],
  ['numberOfProperties', (value as Doc).size],
];

const described = (schema: Value): readonly Entry[] => {
  const entries: Entry[] = [];
  for (const name of ['title', 'description']) {
    const words = isDoc(schema) ? schema.get(name) : undefined;
    if (words !== undefined) entries.push([name, words]);
  }
  return entries;
};

const properties: Explain = (argument, value) => {
  const failing = (argument as Doc).entries().flatMap(([name, schema]) => {
    const property = (value as Doc).get(name);
    if (property === undefined || schemaTest(schema)(property)) return [];
    return [
      Doc.of([['propertyName', name], ...described(schema), ['details', explainSchema(schema as Doc, property)]]),
    ];
  });
  return [['propertiesNotSatisfied', failing]];
};

const patternProperties: Explain = (argument, value) => {
  const failing = (value as Doc).entries().flatMap(([name, property]) =>
    (argument as Doc)
      .entries()
      .filter(([pattern, schema]) => compileRegex(pattern).test(name) && !schemaTest(schema)(property))
      .map(([pattern, schema]) =>
        Doc.of([
          ['propertyName', name],
          ['regexMatched', pattern],
          ['details', explainSchema(schema as Doc, property)],
        ]),
      ),
  );
  return [['details', failing]];
};

const additionalProperties: Explain = (_argument, value, schema) => {
  const alone = schema.without('required');
  const failing = (value as Doc)
    .entries()
    .filter(entry => !keywordTest('additionalProperties', alone)(Doc.of([entry])))
    .map(([name]) => name);
  return [['additionalProperties', failing]];
};

const dependencies: Explain = (argument, value, schema) => {
  const failing = (argument as Doc).entries().flatMap(([name, needs]) => {
    if (keywordTest('dependencies', Doc.of([['dependencies', Doc.of([[name, needs]])]]))(value)) return [];
    const why: Entry = isArray(needs)
      ? ['missingProperties', needs.filter(other => !(value as Doc).has(other as string))]
      : ['details', explainSchema(needs as Doc, value)];
    return [Doc.of([['conditionalProperty', name], why])];
  });
  return [['failingDependencies', failing], ...described(schema)];
};

const items: Explain = (argument, value) => {
  const all = value as readonly Value[];
  const schemaOf = (i: number): Value | undefined => (isArray(argument) ? argument[i] : argument);
  const index = all.findIndex((item, i) => {
    const schema = schemaOf(i);
    return schema !== undefined && !schemaTest(schema)(item);
  });
  return [
    ['reason', 'At least one item did not match the sub-schema'],
    ['itemIndex', index],
    ['details', explainSchema(schemaOf(index) as Doc, all[index]!)],
  ];
};

const uniqueItems: Explain = (_argument, value) => {
  const all = value as readonly Value[];
  const duplicate = all.find((item, i) => all.slice(0, i).some(earlier => schemaKey(earlier) === schemaKey(item)))!;
  return [
    ['reason', 'found a duplicate item'],
    ['consideredValue', value],
    ['duplicatedValue', duplicate],
  ];
};

const failingSchemas = (argument: Value, value: Value): readonly Entry[] => {
  const failing = (argument as readonly Doc[]).flatMap((schema, index) =>
    schemaTest(schema)(value)
      ? []
      : [
          Doc.of([
            ['index', index],
            ['details', explainSchema(schema, value)],
          ]),
        ],
  );
  return [['schemasNotSatisfied', failing]];
};

const oneOf: Explain = (argument, value) => {
  const matching = (argument as readonly Doc[]).flatMap((schema, index) => (schemaTest(schema)(value) ? [index] : []));
  if (matching.length === 0) return failingSchemas(argument, value);
  return [
    ['reason', 'more than one subschema matched'],
    ['matchingSchemaIndexes', matching],
  ];
};

/** Keywords whose rule is repeated in the explanation before the reason. */
const specified: Readonly<Record<string, Explain>> = {
  bsonType: type,
  type,
  enum: considered('value was not found in enum'),
  minimum: comparison,
  maximum: comparison,
  multipleOf: considered('considered value is not a multiple of the specified value'),
  minLength: length,
  maxLength: length,
  pattern: considered('regular expression did not match'),
  minItems: itemCount,
  maxItems: itemCount,
  minProperties: propertyCount,
  maxProperties: propertyCount,
  uniqueItems,
  additionalItems: considered('found additional items'),
  additionalProperties,
  required: (argument, value) => [
    ['missingProperties', (argument as readonly string[]).filter(name => !(value as Doc).has(name))],
  ],
};

/** Keywords that contain schemas. The explanation lists the schemas that failed. */
const nested: Readonly<Record<string, Explain>> = {
  properties,
  patternProperties,
  dependencies,
  items,
  allOf: failingSchemas,
  anyOf: failingSchemas,
  oneOf,
  not: () => [['reason', 'child expression matched']],
};

/** The order in which rules are listed, regardless of their order in the schema. */
const ranks: readonly string[] = [
  ...['maximum', 'minimum', 'maxLength', 'minLength', 'pattern', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'items', 'additionalItems'],
  ...['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
  ...['dependencies', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'type', 'bsonType'],
];

/**
 * Returns an explanation for every rule of a schema that a value does not satisfy, as `schemaRulesNotSatisfied` lists
 * them.
 */
export const explainSchema = (schema: Doc, value: Value): readonly Doc[] =>
  ranks.flatMap(name => {
    const argument = schema.get(name);
    if (argument === undefined || keywordTest(name, schema)(value)) return [];
    const explain = (specified[name] ?? nested[name])!;
    const rule: readonly Entry[] = specified[name] === undefined ? [] : [['specifiedAs', Doc.of([[name, argument]])]];
    return [Doc.of([['operatorName', name], ...rule, ...explain(argument, value, schema)])];
  });

/** Returns the details of a document that does not satisfy a `$jsonSchema`. */
export const explainJsonSchema = (schema: Doc, doc: Doc): Doc =>
  Doc.of([
    ['operatorName', '$jsonSchema'],
    ...described(schema),
    ['schemaRulesNotSatisfied', explainSchema(schema, doc)],
  ]);
