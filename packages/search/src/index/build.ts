import type { Document } from '@tessera/contracts';
import type { DocumentRule, Mapping, Rule, TextRule } from '../definition/mapping.js';
import { isDocument, scalarOf } from '../values.js';
import type { Level } from './level.js';
import { textKey } from './level.js';
import { pointOf } from './point.js';

/** The place of a value in the index. */
interface Place {
  readonly level: Level;
  readonly unit: number;
  readonly path: string;
  readonly inArray: boolean;
}

const addText = ({ level, unit, path }: Place, rule: TextRule, text: string): void => {
  if (text.length <= rule.ignoreAbove) level.text(textKey(path), rule).add(unit, text);
  for (const [name, alternate] of rule.multi)
    if (text.length <= alternate.ignoreAbove) level.text(textKey(path, name), alternate).add(unit, text);
};

const addScalar = (place: Place, rule: Rule, value: unknown): void => {
  const scalar = scalarOf(value);
  if (scalar === undefined) return;
  const { level, unit, path, inArray } = place;
  if (rule.type === 'string' && scalar.kind === 'string') addText(place, rule, scalar.value as string);
  if (rule.type === 'autocomplete' && scalar.kind === 'string')
    level.autocomplete(path, rule).add(unit, scalar.value as string);
  if (rule.type !== 'scalar' || rule.kind !== scalar.kind) return;
  const { normalize } = rule;
  const stored = normalize === undefined ? scalar : { ...scalar, value: normalize(scalar.value as string) };
  level.scalarColumn(path, rule.kind, normalize).add(unit, stored, inArray);
};

const addEmbedded = ({ level, unit, path }: Place, { mapping }: DocumentRule, value: Document): void => {
  const below = level.level(path);
  addFields({ level: below, unit: below.create(unit), path, inArray: false }, mapping, value);
};

const addByRule = (place: Place, rule: Rule, value: unknown): void => {
  switch (rule.type) {
    case 'document':
      if (isDocument(value)) addFields(place, rule.mapping, value);
      return;
    case 'embeddedDocuments':
      if (isDocument(value)) addEmbedded(place, rule, value);
      return;
    case 'geo': {
      const point = pointOf(value);
      if (point !== undefined) place.level.point(place.path).add(place.unit, point, place.inArray);
      return;
    }
    default:
      addScalar(place, rule, value);
  }
};

const addValue = (place: Place, rules: readonly Rule[], value: unknown): void => {
  if (Array.isArray(value)) {
    for (const item of value) addValue({ ...place, inArray: true }, rules, item);
    return;
  }
  if (value === null) place.level.scalarColumn(place.path, 'null').add(place.unit, scalarOf(null)!, place.inArray);
  else for (const rule of rules) addByRule(place, rule, value);
};

/** Adds the fields that no rule names. Embedded documents are searched for more of them. */
const addDynamic = (place: Place, rules: readonly Rule[], value: unknown): void => {
  if (Array.isArray(value)) {
    for (const item of value) addDynamic({ ...place, inArray: true }, rules, item);
    return;
  }
  if (isDocument(value)) addFields(place, { fields: new Map(), dynamic: rules }, value);
  else addValue(place, rules, value);
};

/** Adds the fields of a document to a unit. */
export const addFields = (
  { level, unit, path, inArray }: Place,
  { fields, dynamic }: Mapping,
  document: Document,
): void => {
  for (const [name, value] of Object.entries(document)) {
    const rules = fields.get(name);
    if (rules === undefined && dynamic === undefined) continue;
    const place: Place = { level, unit, path: path === '' ? name : `${path}.${name}`, inArray };
    level.notePresent(unit, place.path);
    if (rules === undefined) addDynamic(place, dynamic!, value);
    else addValue(place, rules, value);
  }
};
