import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Budget } from './budget.js';

/** A value as programs see it. Nothing in it is an object of the host that a program could reach through. */
export type ScriptValue =
  undefined | null | boolean | number | string | ScriptArray | ScriptObject | ScriptFunction | Namespace | Foreign;

/** A value of BSON that is no JavaScript value: an ObjectId, a date, an int64. */
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

/** `Math` and its like: they are the same for every program, and never change. */
export class Namespace {
  readonly members: ReadonlyMap<string, ScriptValue>;
  constructor(members: Iterable<readonly [string, ScriptValue]>) {
    this.members = new Map(members);
  }
}

export class ScriptArray {
  readonly items: ScriptValue[];
  /** What it was read from: elements that are as they were keep their types. */
  readonly origin: readonly Value[];

  constructor(items: ScriptValue[], origin: readonly Value[] = []) {
    this.items = items;
    this.origin = origin;
  }
}

/** An object; one that stands for a document is read when it is looked at. */
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

  /** Nobody has looked at its fields: it is the document that it was. */
  get isUntouched(): boolean {
    return this.#fields === undefined;
  }
}
