import type { Command } from './command.js';

/** The commands by name and alias. Names are case-sensitive. */
export interface Registry {
  get(name: string): Command | undefined;
  /** Returns the name of the command that has this name or alias. */
  readonly nameOf: (spelling: string) => string | undefined;
  /** All commands, sorted by name. */
  readonly all: readonly Command[];
}

export const createRegistry = (commands: readonly Command[]): Registry => {
  const byName = new Map<string, Command>();
  for (const command of commands) for (const name of [command.name, ...command.aliases]) byName.set(name, command);
  return {
    get: name => byName.get(name),
    nameOf: spelling => byName.get(spelling)?.name,
    all: [...commands].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
};
