import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Budget } from './budget.js';

/** A value in a script. It contains no objects of the host through which a script could reach the host. */
export type ScriptValue =
  | undefined
  | null
  | boolean
  | number
  | string
  | ScriptArray
  | ScriptObject
  | ScriptFunction
  | Namespace
  | Foreign;

/** A BSON value without a JavaScript equivalent: an ObjectId, a date, an int64. */
export class Foreign {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

export class ScriptFunction {
  readonly name: string;
  readonly call: (self: ScriptValue, given: readonly ScriptValue[], budget: Budget) => ScriptValue;

  constructor(name: string, call: ScriptFunction['call']) {
    this.name = name;
    this.call = call;
  }
}

/** An immutable object such as `Math`, shared by all scripts. */
export class Namespace {
  readonly members: ReadonlyMap<string, ScriptValue>;
  constructor(members: Iterable<readonly [string, ScriptValue]>) {
    this.members = new Map(members);
  }
}

export class ScriptArray {
  readonly items: ScriptValue[];
  /** The BSON values from which the array was created. Unchanged elements keep their types. */
  readonly origin: readonly Value[];

  constructor(items: ScriptValue[], origin: readonly Value[] = []) {
    this.items = items;
    this.origin = origin;
  }
}

/** An object. The fields of a document are converted on first use. */
export class ScriptObject {
  readonly origin: Doc;
  readonly #read: (value: Value) => ScriptValue;
  #fields: Map<string, ScriptValue> | undefined;

  constructor(origin: Doc, read: (value: Value) => ScriptValue) {
    this.origin = origin;
    this.#read = read;
  }

  static of(entries: Iterable<readonly [string, ScriptValue]>): ScriptObject {
    const made = new ScriptObject(Doc.EMPTY, () => undefined);
    made.#fields = new Map(entries);
    return made;
  }

  get fields(): Map<string, ScriptValue> {
    this.#fields ??= new Map(this.origin.entries().map(([name, value]) => [name, this.#read(value)]));
    return this.#fields;
  }

  /** Whether no field has been read, so that the document is unchanged. */
  get isUntouched(): boolean {
    return this.#fields === undefined;
  }
}
