import { flag, Mistake, readArguments } from '@tessera-tools/house';
import { engineNames, engines } from '../outside/engines.js';
import type { EngineName } from '../outside/engines.js';

/** An engine in one of its personas. */
export interface Chosen {
  readonly name: EngineName;
  readonly standalone: boolean;
}

/** What the command line asks for. */
export type Wish =
  /** The table of what these engines accept of the driver. */
  | { readonly kind: 'table'; readonly chosen: readonly Chosen[] }
  /** The driver's integration tests, and that table if it is asked for. */
  | { readonly kind: 'tests'; readonly chosen: readonly Chosen[]; readonly table: boolean }
  | { readonly kind: 'command'; readonly chosen: readonly Chosen[]; readonly command: readonly string[] };

export const usage: string = `npm run engines                                      what each engine accepts of the driver, as a table
npm run engines -- NAME [--standalone]               the driver's integration tests on that engine
npm run engines -- NAME [--standalone] -- COMMAND …  that command, with MONGODB_URI set; its exit code is the exit code
npm run engines -- --all                             the integration tests on every engine, one after the other, and the table
npm run engines -- --short                           the same on secantusdb alone

An engine is installed on first use and kept under .cache/engines; it runs on a free port, with data of its own that are removed.
An engine that cannot be had (a language is missing, a registry is out of reach) counts as skipped; a command that needs it is not run,
and the exit code is 69. Of the table the exit code is 1 if an engine does not accept what it is expected to.

${engineNames.map(name => `${name.padEnd(20)}${engines[name].description}\n`).join('')}`;

const options = { all: flag, short: flag, standalone: flag };

const chosenOf = (names: readonly EngineName[], standalone: boolean): readonly Chosen[] =>
  names.map(name => ({ name, standalone }));

/** @param given the arguments after the program's name @throws Mistake */
export function readWish(given: readonly string[]): Wish {
  const words = { noun: 'engine', known: engineNames };
  const { options: found, words: names, rest: command } = readArguments({ options, words, takesRest: true }, given);
  if (command?.length === 0) throw new Mistake('A command is to follow the last `--`.');
  const { all, short, standalone } = found;
  const several = all ? engineNames : short ? engineNames.slice(0, 1) : [];
  if (several.length > 0 && names.length > 0) throw new Mistake('Name engines, or ask for --all or --short, not both.');
  if (given.length === 0) return { kind: 'table', chosen: chosenOf(engineNames, false) };
  const chosen = chosenOf([...several, ...names], standalone);
  if (chosen.length === 0) throw new Mistake('Name an engine.');
  return command === undefined
    ? { kind: 'tests', chosen, table: several.length > 0 }
    : { kind: 'command', chosen, command };
}
