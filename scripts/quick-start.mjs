// `npm start`: runs the first example with the user's terminal. `npm start -- --transcript` writes its output into
// README.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runAloud, runQuietly } from './child.mjs';
import { Failure } from './failure.mjs';
import { root } from './workspace.mjs';

const begin = '<!-- transcript -->';
const end = '<!-- /transcript -->';

/** @param {string} text */
function putTranscript(text) {
  const file = join(root, 'README.md');
  const readme = readFileSync(file, 'utf8');
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Failure(`README.md has no place for the transcript. Add ${begin} and ${end}.`);
  const block = `${begin}\n\n\`\`\`text\n$ npm start\n${stripVTControlCharacters(text).trimEnd()}\n\`\`\`\n\n`;
  writeFileSync(file, readme.slice(0, from) + block + readme.slice(to));
}

/** @param {{ env: NodeJS.ProcessEnv }} ready @param {readonly string[]} args @returns {Promise<number>} */
export async function quickStart({ env }, args) {
  const program = join('examples', 'quick-start', 'dist', 'main.js');
  if (!existsSync(join(root, program)))
    throw new Failure(`${program} does not exist, because examples/quick-start is missing from this checkout.`);
  if (args[0] !== '--transcript') return runAloud(process.execPath, [program, ...args], { cwd: root, env });
  const { code, log } = await runQuietly(process.execPath, [program, ...args.slice(1)], { cwd: root, env });
  if (code !== 0)
    throw new Failure(`The quick start ended with exit code ${String(code)}. README.md was not changed.`, log);
  putTranscript(log);
  process.stderr.write('README.md contains the transcript of this run.\n');
  return 0;
}
