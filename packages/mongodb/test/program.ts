/** A program in a process of its own, with a built package, as a user would run it. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves once it has written this. */
  said(words: string): Promise<void>;
}

/** Runs the script as an ES module, with everything that the package exports as `module` and MongoClient by its name. */
export const start = (script: string, name = '@tessera/mongodb'): Program => {
  const source = `import * as module from '${name}';\nconst { MongoClient } = module;\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd: home, timeout: 15_000 });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const said = async (words: string): Promise<void> => {
    while (!stdout.includes(words)) await Promise.race([once(child.stdout, 'data'), ended]);
  };
  return { child, ended, said };
};
