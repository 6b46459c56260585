import type { Document } from '@tessera/contracts';
import { invalid } from './error.js';
import { isDocument, scalarOf } from './values.js';

/** The bounds of a number. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** Reads the fields of a definition or query. Errors name the path of the field. */
export class Fields {
  readonly document: Document;
  readonly path: string;

  /** @throws SearchError if the value is not a document */
  constructor(value: unknown, path: string) {
    if (!isDocument(value)) throw invalid(`"${path}" must be a document.`);
    this.document = value;
    this.path = path;
  }

  #name(field: string): string {
    return this.path === '' ? field : `${this.path}.${field}`;
  }

  /** @throws SearchError if there is a field with another name */
  allow(...known: readonly string[]): this {
    const unknown = Object.keys(this.document).find(name => !known.includes(name));
    if (unknown === undefined) return this;
    throw invalid(`Unrecognized field "${this.#name(unknown)}". The known fields are: ${known.join(', ')}.`);
  }

  has(field: string): boolean {
    return this.get(field) !== undefined;
  }

  /** Returns the value; undefined if it is missing or null. */
  get(field: string): unknown {
    return Object.hasOwn(this.document, field) ? (this.document[field] ?? undefined) : undefined;
  }

  /** @throws SearchError if the field is missing or null */
  required(field: string): unknown {
    const value = this.get(field);
    if (value === undefined) throw this.problem(field, 'is required');
    return value;
  }

  problem(field: string, problem: string): Error {
    return invalid(`"${this.#name(field)}" ${problem}.`);
  }

  child(field: string): Fields {
    return new Fields(this.required(field), this.#name(field));
  }

  optionalChild(field: string): Fields | undefined {
    return this.has(field) ? this.child(field) : undefined;
  }

  /** Returns the documents of a field that holds one document or an array of documents. */
  children(field: string): readonly Fields[] {
    const value = this.get(field);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [this.child(field)];
    return value.map((item, i) => new Fields(item, `${this.#name(field)}[${i}]`));
  }

  string(field: string): string {
    const value = this.required(field);
    if (typeof value !== 'string') throw this.problem(field, 'must be a string');
    if (value === '') throw this.problem(field, 'cannot be empty');
    return value;
  }

  optionalString(field: string): string | undefined {
    return this.has(field) ? this.string(field) : undefined;
  }

  /** Returns the strings of a field that holds a string or an array of strings. */
  strings(field: string): readonly string[] {
    const value = this.required(field);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) throw this.problem(field, 'cannot be empty');
    if (!values.every(item => typeof item === 'string'))
      throw this.problem(field, 'must be a string or an array of strings');
    return values;
  }

  boolean(field: string, fallback: boolean): boolean {
    const value = this.get(field) ?? fallback;
    if (typeof value !== 'boolean') throw this.problem(field, 'must be a boolean');
    return value;
  }

  number(field: string): number {
    const value = scalarOf(this.required(field));
    if (value?.kind !== 'number' || !Number.isFinite(value.value)) throw this.problem(field, 'must be a number');
    return value.value as number;
  }

  optionalNumber(field: string, fallback: number): number {
    return this.has(field) ? this.number(field) : fallback;
  }

  positive(field: string): number {
    const value = this.number(field);
    if (value <= 0) throw this.problem(field, 'must be positive');
    return value;
  }

  integer(field: string, { from, to }: Bounds): number {
    const value = this.number(field);
    if (!Number.isInteger(value)) throw this.problem(field, 'must be an integer');
    if (value < from || value > to) throw this.problem(field, `must be within bounds [${from}..${to}]`);
    return value;
  }

  optionalInteger(field: string, bounds: Bounds, fallback: number): number {
    return this.has(field) ? this.integer(field, bounds) : fallback;
  }

  oneOf<T extends string>(field: string, values: readonly T[], fallback?: T): T {
    if (fallback !== undefined && !this.has(field)) return fallback;
    const value = this.string(field);
    const found = values.find(each => each === value);
    if (found === undefined) throw this.problem(field, `must be one of [${values.join(', ')}], but is "${value}"`);
    return found;
  }
}
