import { engineNames } from './engines.js';
import type { EngineName } from './engines.js';

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
  | { readonly kind: 'command'; readonly chosen: readonly Chosen[]; readonly command: readonly string[] }
  /** The first example, there and on the embedded server: do they find the same? */
  | { readonly kind: 'compare'; readonly chosen: readonly Chosen[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage = `npm run engines                                      what each engine accepts of the driver, as a table
npm run engines -- NAME [--standalone]               the driver's integration tests on that engine
npm run engines -- NAME [--standalone] -- COMMAND …  that command, with MONGODB_URI set; its exit code is the exit code
npm run engines -- --all                             the integration tests on every engine, one after the other, and the table
npm run engines -- --short                           the same on secantusdb alone
npm run engines -- NAME --quick-start                what \`npm start\` finds on that engine and on the embedded server, compared

An engine is installed on first use and kept under .cache/engines; it runs on a free port, with data of its own that are removed.
An engine that cannot be had (a language is missing, a registry is out of reach) counts as skipped; a command that needs it is not run,
and the exit code is 69. Of the table the exit code is 1 if an engine does not accept what it is expected to.
`;

const isEngine = (name: string): name is EngineName => (engineNames as readonly string[]).includes(name);

const mistake = (sentence: string): Wish => ({ kind: 'mistake', sentence });

const chosenOf = (names: readonly EngineName[], standalone: boolean): readonly Chosen[] =>
  names.map(name => ({ name, standalone }));

/** @param given the arguments after the program's name */
export function readArguments(given: readonly string[]): Wish {
  const at = given.indexOf('--');
  const words = at < 0 ? given : given.slice(0, at);
  const command = at < 0 ? undefined : given.slice(at + 1);
  if (command?.length === 0) return mistake('A command is to follow the last `--`.');
  const options = words.filter(word => word.startsWith('--'));
  const names = words.filter(word => !word.startsWith('--'));
  if (options.includes('--help')) return { kind: 'help' };
  const unknown = options.find(option => !['--all', '--short', '--standalone', '--quick-start'].includes(option));
  if (unknown !== undefined) return mistake(`There is no option ${unknown}.`);
  const wrong = names.find(name => !isEngine(name));
  if (wrong !== undefined) return mistake(`There is no engine ${wrong}: ${engineNames.join(', ')}.`);
  const standalone = options.includes('--standalone');
  const several = options.includes('--all') ? engineNames : options.includes('--short') ? engineNames.slice(0, 1) : [];
  if (several.length > 0 && names.length > 0) return mistake('Name engines, or ask for --all or --short, not both.');
  const chosen = chosenOf([...several, ...names.filter(isEngine)], standalone);
  const compare = options.includes('--quick-start');
  if (compare && command !== undefined) return mistake('--quick-start is a command already; leave the other out.');
  if (chosen.length === 0) {
    const bare = words.length === 0 && command === undefined;
    return bare ? { kind: 'table', chosen: chosenOf(engineNames, false) } : mistake('Name an engine.');
  }
  if (compare) return { kind: 'compare', chosen };
  return command === undefined
    ? { kind: 'tests', chosen, table: several.length > 0 }
    : { kind: 'command', chosen, command };
}
