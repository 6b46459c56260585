import type { Millis } from '@tessera/contracts';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { Inward } from './inward.js';
import type { Find } from './outward.js';
import { elementAt, listToBson, toBson, wholeOf } from './outward.js';
import { prelude } from './prelude/prelude.js';
import { eachElement } from './read.js';
import type { Element } from './read.js';
import { fieldsRead } from './reads.js';

/** The error of a script. */
export class JavaScriptError extends Error {
  /** The field `code` of the value that the script threw, if it is a number. */
  readonly code: number | undefined;
  /** The calls in the script that led to the error, one per line: `name@:line:column`. */
  readonly frames: string;

  constructor(name: string, message: string, code: number | undefined, frames: string) {
    super(message);
    this.name = name;
    this.code = code;
    this.frames = frames;
  }
}

/** The environment and the limits of functions that share their global variables. */
export interface RealmOptions {
  /**
   * The sources by names. A source is a function, an expression or statements, of which the last expression is the
   * result.
   */
  readonly functions: Readonly<Record<string, string>>;
  /** A BSON document of global variables. */
  readonly scope?: Uint8Array | undefined;
  /** Whether the functions can call `emit(key, value)`. Default: false. */
  readonly emits?: boolean;
  /** The maximum memory in bytes. Default: 64 MB. */
  readonly memory?: number;
  /** The maximum number of loop iterations and calls of one call, rounded to 10,000. Default: 100,000,000, which is about 10 s. */
  readonly iterations?: number;
  /** Called for about 10,000 loop iterations and calls. An error that it throws ends the call, and is thrown to the caller. */
  readonly tick?: () => void;
  /** Called for `sleep(ms)`. The script continues at once. An error that it throws ends the call. Default: ignored. */
  readonly sleep?: (duration: Millis) => void;
  /** Returns the milliseconds since 1970 for `Date`. Default: 0. */
  readonly now?: () => Millis;
  /** Returns a number in [0, 1) for `Math.random`. Default: 0.5. */
  readonly random?: () => number;
  /** The result of `version()`. Default: 8.0.0. */
  readonly version?: string;
  /** Creates the error for a script that fails. Default: a {@link JavaScriptError}. */
  readonly failure?: (name: string, message: string, code: number | undefined, frames: string) => Error;
}

const defaults = {
  memory: 64 * 1024 * 1024,
  iterations: 100_000_000,
  now: () => 0,
  random: () => 0.5,
  version: '8.0.0',
  failure: (name: string, message: string, code: number | undefined, frames: string): Error =>
    new JavaScriptError(name, message, code, frames),
} satisfies Partial<RealmOptions>;

/** The number of loop iterations and calls between two interrupts of QuickJS. */
const perTick = 10_000;

/** The size of the stack. Most recursions then end before the stack of the host overflows, which breaks the engine. */
const stackSize = 128 * 1024;

/** The maximum length of a source. Parsing cannot be interrupted. */
const longestSource = 1024 * 1024;

/** The parts of the engine that realms share. */
export interface Engine {
  /** A `QuickJSWASMModule`. Its declarations need types of a host, so the declarations of this package do not name it. */
  readonly module: object;
  /** Called when the realm is closed. */
  readonly closed: () => void;
  /** Called after an error of the engine itself. */
  readonly broke: () => void;
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const emptyDocument = Uint8Array.of(5, 0, 0, 0, 0);

/** Functions with their own globals, memory and limits. Close it after use. */
export class Realm {
  readonly #engine: Engine;
  readonly #options: RealmOptions & typeof defaults;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #handles = new Map<string, QuickJSHandle>();
  readonly #fields: ReadonlySet<string> | undefined;
  #ticks = 0;
  #isOpen = true;
  #isBroken = false;
  /** The error for which the running call ends. */
  #stopped: { readonly error: unknown } | undefined;

  /** @throws JavaScriptError for a source that is not JavaScript */
  constructor(engine: Engine, options: RealmOptions) {
    this.#engine = engine;
    this.#options = { ...defaults, ...options };
    this.#runtime = (engine.module as QuickJSWASMModule).newRuntime();
    this.#runtime.setMemoryLimit(this.#options.memory);
    this.#runtime.setMaxStackSize(stackSize);
    this.#context = this.#runtime.newContext();
    const test = options.functions['test'];
    this.#fields = test === undefined ? undefined : fieldsRead(test);
    try {
      this.#start();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #start(): void {
    const context = this.#context;
    const { version, scope, emits, functions } = this.#options;
    const prepared = this.#unwrap(() => context.evalCode(prelude, 'mongodb.js', { type: 'global' }));
    const given = [
      this.#number('sleep', duration => {
        this.#options.sleep?.(context.getNumber(duration!));
        return 0;
      }),
      this.#number('now', () => this.#options.now()),
      this.#number('random', () => this.#options.random()),
      this.#number('bsonSize', text => toBson(context.getString(text!), () => undefined).length - 12),
      context.newString(version),
    ];
    const made = this.#unwrap(() => context.callFunction(prepared, context.undefined, ...given));
    for (const name of ['define', 'emits', 'compile', 'call', 'test', 'failed', 'emitted'])
      this.#handles.set(name, context.getProp(made, name));
    for (const handle of [prepared, made, ...given]) handle.dispose();
    this.#runtime.setInterruptHandler(() => this.#tick());
    if (scope !== undefined) {
      this.#text('define', new Inward().add(scope, 0).finish());
    }
    if (emits === true) this.#text('emits');
    for (const [name, source] of Object.entries(functions)) this.#compile(name, source);
  }

  /** Creates a function of the host that returns a number. */
  #number(name: string, work: (given?: QuickJSHandle) => number): QuickJSHandle {
    return this.#context.newFunction(name, given => {
      try {
        return this.#context.newNumber(work(given));
      } catch (error) {
        this.#stopped = { error };
        throw error;
      }
    });
  }

  #tick(): boolean {
    if (this.#stopped !== undefined) return true;
    this.#ticks += 1;
    try {
      this.#options.tick?.();
      if (this.#ticks * perTick >= this.#options.iterations)
        throw this.#failure(
          'InternalError',
          `the script takes more than ${this.#options.iterations} iterations and calls`,
        );
      return false;
    } catch (error) {
      this.#stopped = { error };
      return true;
    }
  }

  #failure(name: string, message: string, code?: number, frames = ''): Error {
    return this.#options.failure(name, message, code, frames);
  }

  /** Returns the result of a call. @throws the error that stopped it, or the error of the realm */
  #unwrap(work: () => ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    this.#ticks = 0;
    this.#stopped = undefined;
    let result: ReturnType<typeof work>;
    try {
      result = work();
    } catch (error) {
      // An error of the engine itself, such as an overflow of the host's stack. Its memory may be inconsistent.
      this.#isBroken = true;
      this.#engine.broke();
      throw this.#failure('InternalError', `the JavaScript engine failed: ${(error as Error).message}`);
    }
    const stopped = this.#stopped as { readonly error: unknown } | undefined;
    if (stopped !== undefined) {
      (result.error ?? result.value).dispose();
      throw stopped.error;
    }
    if (result.error === undefined) return result.value;
    const error = this.#context.dump(result.error) as { readonly name?: unknown; readonly message?: unknown } | null;
    result.error.dispose();
    throw this.#failure(textOr(error?.name, 'InternalError'), textOr(error?.message, 'out of memory'));
  }

  #call(name: string, given: readonly (string | boolean)[]): QuickJSHandle {
    if (!this.#isOpen) throw new TypeError('The realm is closed. Open another.');
    const context = this.#context;
    const handles = given.map(one =>
      typeof one === 'string' ? context.newString(one) : one ? context.true : context.false,
    );
    try {
      return this.#unwrap(() => context.callFunction(this.#handles.get(name)!, context.undefined, ...handles));
    } finally {
      if (!this.#isBroken) for (const handle of handles) handle.dispose();
    }
  }

  #text(name: string, ...given: readonly (string | boolean)[]): string {
    const handle = this.#call(name, given);
    const text = this.#context.getString(handle);
    handle.dispose();
    return text;
  }

  #compile(name: string, source: string): void {
    if (source.length > longestSource)
      throw this.#failure('InternalError', `the script is longer than ${longestSource} characters`);
    this.#check(this.#text('compile', name, source, /\bobj\b|\\u|globalThis/.test(source)));
  }

  /** @throws the error that the text describes */
  #check(text: string): string {
    if (!text.startsWith('!')) return text;
    let parts: unknown;
    try {
      parts = JSON.parse(text.slice(1));
    } catch {
      // A script can replace functions of the language.
    }
    const [name, message, code, frames] = Array.isArray(parts) ? (parts as readonly unknown[]) : [];
    throw this.#failure(
      textOr(name, 'Error'),
      textOr(message, 'the script failed'),
      typeof code === 'number' ? code : undefined,
      textOr(frames, ''),
    );
  }

  #converted<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#failure('TypeError', (error as Error).message);
    }
  }

  /**
   * Calls a function.
   * @param self the BSON document that is `this`
   * @param given a BSON document whose values are the arguments
   * @returns a BSON document whose field `value` is the result
   * @throws JavaScriptError if the script fails
   */
  call(name: string, self: Uint8Array = emptyDocument, given: Uint8Array = emptyDocument): Uint8Array {
    const inward = new Inward().add(self, 0).addValues(given);
    const text = this.#check(this.#text('call', name, inward.finish()));
    return this.#converted(() => toBson(text, findIn(self, given)));
  }

  /**
   * Returns whether the result of the function `test` counts as true. The document is `this` and `obj`.
   * @param at the offset of the document in the bytes
   * @throws JavaScriptError if the script fails
   */
  test(bytes: Uint8Array, at = 0): boolean {
    const handle = this.#call('test', [new Inward().add(bytes, at, this.#fields).finish()]);
    const result = this.#context.getNumber(handle);
    handle.dispose();
    if (result === 2) this.#check(this.#text('failed'));
    return result === 1;
  }

  /**
   * Calls the function as {@link call} does, and returns what it emitted.
   * @returns a BSON document whose values are the keys and values in turn
   * @throws JavaScriptError if the script fails
   */
  emitted(name: string, self: Uint8Array): Uint8Array {
    this.#check(this.#text('call', name, new Inward().add(self, 0).finish()));
    const text = this.#text('emitted');
    return this.#converted(() => listToBson(text, findIn(self, emptyDocument)));
  }

  /** Frees the memory. Does nothing if the realm is closed. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#engine.closed();
    if (this.#isBroken) return;
    for (const handle of this.#handles.values()) handle.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }
}

/** Finds values in the document that is `this`, at position 0, and in the arguments after it. */
const findIn = (self: Uint8Array, given: Uint8Array): Find => {
  let values: readonly Element[] | undefined;
  return ([position, ...rest]) => {
    if (position === 0) return elementAt(wholeOf(self), rest);
    if (values === undefined) {
      const found: Element[] = [];
      eachElement(given, 0, (_name, element) => found.push(element));
      values = found;
    }
    return elementAt(values[Number(position) - 1], rest);
  };
};
