import type { Millis } from '@tessera/contracts';
import type { CommandError } from '../errors.js';
import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { ScriptEngine, ScriptRealm } from './script-engine.js';
import { ScriptSleep } from './script-sleep.js';

/** Aborts a command that needs the JavaScript engine before it is loaded. Nothing of it is committed. */
export class ScriptsPending extends Error {
  constructor() {
    super('The JavaScript engine is not loaded');
  }
}

/** Creates the error of a script with mongod's message. An error with a code has that code. */
const failureOf = (name: string, message: string, code: number | undefined, frames: string): CommandError => {
  if (code !== undefined) return fail(code, message);
  return fail('JSInterpreterFailure', `${name}: ${message}${frames === '' ? '' : ` :\n${frames}`}`);
};

export interface ScriptsOptions {
  /** Returns the milliseconds since 1970. */
  readonly now: () => Millis;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The server's version. */
  readonly version: string;
}

/** The maximum number of programs that are open at the same time. Others are compiled again when they run. */
const mostOpen = 8;

/** The steps of the meter for one tick. It takes 0.1 ms in an empty loop, and 2 ms if objects are created. */
const stepsPerTick = 10_000;

/** The scripts of one server. They end with the commands that run them. */
export class Scripts {
  readonly sleep: ScriptSleep = new ScriptSleep();
  readonly #options: ScriptsOptions;
  readonly #open = new Map<Program, ScriptRealm>();
  #engine: ScriptEngine | undefined;
  /** The number of commands that pause. */
  #pausing = 0;

  constructor(options: ScriptsOptions) {
    this.#options = options;
  }

  /** Whether an engine is loaded. */
  get isReady(): boolean {
    return this.#engine?.isBroken === false;
  }

  /** The number of open programs. */
  get open(): number {
    return this.#open.size;
  }

  /** Runs later scripts in this engine. */
  use(engine: ScriptEngine): void {
    this.release();
    this.#engine = engine;
  }

  /** @throws ScriptsPending if no engine is loaded */
  require(): void {
    if (!this.isReady) throw new ScriptsPending();
  }

  /**
   * Returns the compiled functions of a program.
   * @throws CommandError 139 if the program is not JavaScript
   */
  realm(program: Program): ScriptRealm {
    this.require();
    const found = this.#open.get(program);
    if (found !== undefined) return found;
    for (const oldest of this.#open.keys()) if (this.#open.size >= mostOpen) this.#close(oldest);
    const { functions, scope, emits = false } = program.options;
    const realm = this.#engine!.open({
      ...this.#options,
      functions,
      scope: scope?.bytes,
      emits,
      tick: () => spend(stepsPerTick),
      sleep: duration => this.sleep.sleep(duration),
      failure: failureOf,
    });
    this.#open.set(program, realm);
    return realm;
  }

  #close(program: Program): void {
    this.#open.get(program)?.close();
    this.#open.delete(program);
  }

  /** Closes all programs and frees their memory. A program that runs again has new global variables. */
  release(): void {
    for (const program of this.#open.keys()) this.#close(program);
  }

  /** Keeps the programs open while a command pauses, until it calls {@link exit}. */
  enter(): void {
    this.#pausing += 1;
  }

  exit(): void {
    this.#pausing -= 1;
    this.leave();
  }

  /** Closes all programs at the end of a command, unless another command pauses. */
  leave(): void {
    if (this.#pausing === 0) this.release();
  }
}

export interface ProgramOptions {
  /** The sources by names. */
  readonly functions: Readonly<Record<string, string>>;
  /** Global variables. */
  readonly scope?: Doc | undefined;
  /** Whether the functions can call `emit`. */
  readonly emits?: boolean;
}

/** The bytes of a whole document, without a surrounding buffer. */
const bytesOf = (doc: Doc): Uint8Array => {
  const { bytes, start, end } = doc.encoded();
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
};

const listOf = (values: readonly Value[]): Doc => Doc.of(values.map((value, i) => [String(i), value]));

/** Functions that share their global variables while a command runs. They are compiled before the first call. */
export class Program {
  readonly options: ProgramOptions;
  readonly #scripts: Scripts;

  /** @throws ScriptsPending if no engine is loaded */
  constructor(scripts: Scripts, options: ProgramOptions) {
    this.#scripts = scripts;
    this.options = options;
    scripts.require();
  }

  /** Compiles the functions. @throws CommandError 139 if they are not JavaScript */
  compile(): void {
    this.#scripts.realm(this);
  }

  /** Calls a function. @throws CommandError 139, or the code of the thrown value, if the script fails */
  call(name: string, self: Doc, given: readonly Value[]): Value {
    const result = this.#scripts.realm(this).call(name, bytesOf(self), listOf(given).bytes);
    return Doc.fromBytes(result).get('value')!;
  }

  /** Returns whether the result of the function `test` counts as true. @throws CommandError as {@link call} */
  test(doc: Doc): boolean {
    const { bytes, start } = doc.encoded();
    return this.#scripts.realm(this).test(bytes, start);
  }

  /** Calls a function, and returns the keys and values that it emitted, in turn. @throws CommandError as {@link call} */
  emitted(name: string, self: Doc): readonly Value[] {
    return Doc.fromBytes(this.#scripts.realm(this).emitted(name, bytesOf(self)))
      .entries()
      .map(([, value]) => value);
  }
}

const unused: ScriptsOptions = { now: () => 0, random: () => 0, version: '' };

class UncheckedScripts extends Scripts {
  override require(): void {
    // A pipeline that does not run needs no engine.
  }
}

class ForbiddenScripts extends Scripts {
  override require(): never {
    throw fail(4660800, '$function cannot be used inside a validator.');
  }
}

/** Accepts all scripts without compiling them, for pipelines that are checked and not run. */
export const uncheckedScripts: Scripts = new UncheckedScripts(unused);

/** Rejects all scripts, for validators. */
export const forbiddenScripts: Scripts = new ForbiddenScripts(unused);
