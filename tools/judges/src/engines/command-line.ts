import { flag, Mistake, readArguments } from '@tessera-tools/house';
import { engineNames, engines } from '../outside/engines.js';
import type { EngineName } from '../outside/engines.js';

/** An engine, as a replica set or as a standalone server. */
export interface Chosen {
  readonly name: EngineName;
  readonly standalone: boolean;
}

/** The parsed command line. */
export type CommandLine =
  /** Prints the abilities of the driver on these engines as a table. */
  | { readonly kind: 'table'; readonly chosen: readonly Chosen[] }
  /** Runs the driver's integration tests on these engines, and prints the table if `table` is set. */
  | { readonly kind: 'tests'; readonly chosen: readonly Chosen[]; readonly table: boolean }
  | { readonly kind: 'command'; readonly chosen: readonly Chosen[]; readonly command: readonly string[] };

export const usage: string = `npm run engines                                      prints the abilities of the driver on each engine as a table
npm run engines -- NAME [--standalone]               runs the driver's integration tests on this engine
npm run engines -- NAME [--standalone] -- COMMAND …  runs a command with MONGODB_URI set, and exits with its exit code
npm run engines -- --all                             runs the integration tests on every engine, and prints the table
npm run engines -- --short                           does the same with secantusdb alone
An engine is installed on first use and kept under .cache/engines. It runs on a free port, and its data are removed at the end.
An engine that is not available, because a language is not installed or a registry cannot be reached, counts as skipped. A
command that needs it is not run, and the exit code is 69. The exit code of the table is 1 if an ability fails unexpectedly.
${engineNames.map(name => `${name.padEnd(20)}${engines[name].description}\n`).join('')}`;

const options = { all: flag, short: flag, standalone: flag };

const chosenOf = (names: readonly EngineName[], standalone: boolean): readonly Chosen[] =>
  names.map(name => ({ name, standalone }));

/**
 * Parses the command line.
 * @param given the arguments after the program's name
 * @throws Mistake if an argument is not valid
 */
export function readCommandLine(given: readonly string[]): CommandLine {
  const words = { noun: 'engine', known: engineNames };
  const { options: found, words: names, rest: command } = readArguments({ options, words, takesRest: true }, given);
  if (command?.length === 0) throw new Mistake('Write a command after "--".');
  const { all, short, standalone } = found;
  const several = all ? engineNames : short ? engineNames.slice(0, 1) : [];
  if (several.length > 0 && names.length > 0) throw new Mistake('Name engines, or use --all or --short, but not both.');
  if (given.length === 0) return { kind: 'table', chosen: chosenOf(engineNames, false) };
  const chosen = chosenOf([...several, ...names], standalone);
  if (chosen.length === 0) throw new Mistake('Name an engine.');
  return command === undefined
    ? { kind: 'tests', chosen, table: several.length > 0 }
    : { kind: 'command', chosen, command };
}
