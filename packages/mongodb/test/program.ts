/** A program in a separate process that uses a built package as an application would. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves when the program has printed these words. Rejects if it ends before. */
  printed(words: string): Promise<void>;
}

/** Runs the script as an ES module in which `module` is the package's exports and `MongoClient` one of them. */
export const start = (script: string, name = '@tessera/mongodb'): Program => {
  const source = `import * as module from '${name}';\nconst { MongoClient } = module;\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd: home, timeout: 15_000 });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const endedEarly = async (words: string): Promise<never> => {
    const { code } = await ended;
    throw new Error(`The program ended with code ${code} before it printed "${words}". Its errors: ${stderr}`);
  };
  const printed = async (words: string): Promise<void> => {
    while (!stdout.includes(words)) await Promise.race([once(child.stdout, 'data'), endedEarly(words)]);
  };
  return { child, ended, printed };
};
