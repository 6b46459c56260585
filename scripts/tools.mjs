// The paths of the tools' programs.
import { join } from 'node:path';

/** The folders of programs that share a package with others. @type {Readonly<Record<string, readonly string[]>>} */
const within = {
  docs: ['house', 'docs'],
  language: ['house', 'language'],
  fixtures: ['conformance', 'published'],
  real: ['conformance', 'real'],
  'load-check': ['publish'],
  ...Object.fromEntries(
    ['engines', 'peers', 'dependents', 'differential', 'facts', 'fuzz', 'mistakes', 'rough'].map(name => [
      name,
      ['judges', name],
    ]),
  ),
  ...Object.fromEntries(['durability', 'overload', 'resilience', 'soak'].map(name => [name, ['bench', name]])),
};

/**
 * Returns the built program of a command. `npm run docs` runs `tools/house/dist/docs/main.js`.
 * @param {string} command
 */
export function mainOf(command) {
  const [tool = command, ...folder] = within[command] ?? [];
  return join('tools', tool, 'dist', ...folder, 'main.js');
}
