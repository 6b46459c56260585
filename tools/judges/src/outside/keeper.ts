// Runs an engine and cleans up after it: `keeper.js DATA PROGRAM ARGUMENT…`. A line on stdin is a JSON list of
// arguments. It makes the keeper end the engine and start it again with these arguments on the same data. When stdin
// closes, the keeper kills the engine and removes its data. Stdin also closes when the parent process is killed.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endGroup, killGroup } from './program.js';

/** A line of JSON that the keeper prints. */
export type KeeperMessage = { readonly port: number } | { readonly ended: string };

const report = (message: KeeperMessage): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

const [data = '', file = '', ...args] = process.argv.slice(2);
const env = { ...process.env, HOME: data, PYTHONUNBUFFERED: '1' };

/** How long an engine has to end after SIGTERM, in milliseconds. */
const patience = 10_000;

let next: readonly string[] | undefined;
let leaving = false;

const end = (how: string, output: string): void => {
  rmSync(data, { recursive: true, force: true });
  if (!leaving) report({ ended: `${how}\n${output.trimEnd()}` });
  process.exitCode = leaving ? 0 : 1;
  process.stdin.destroy();
};

function start(withArgs: readonly string[]): ChildProcess {
  const child = spawn(file, withArgs, { cwd: data, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  let ready = false;
  /** Appends to the output, of which only the end is kept. */
  const append = (text: string): void => {
    output = (output + text).slice(-8_000);
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
    if (ready || port === undefined) return;
    ready = true;
    report({ port: Number(port) });
  };
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  child.once('error', error => end(error.message, output));
  child.once('close', (code, signal) => {
    const again = next;
    next = undefined;
    if (again !== undefined && !leaving) engine = start(again);
    else end(`exit code ${code ?? signal ?? '?'}`, output);
  });
  return child;
}

let engine = start(args);

const restart = (line: string): void => {
  next = JSON.parse(line) as string[];
  const ending = engine;
  const killing = setTimeout(() => killGroup(ending), patience);
  ending.once('close', () => clearTimeout(killing));
  endGroup(ending);
};

const leave = (): void => {
  leaving = true;
  killGroup(engine);
};
createInterface({ input: process.stdin }).on('line', restart);
process.stdin.once('end', leave).once('close', leave).once('error', leave);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
// Nothing reads stdout any more. Stdin closes at the same time.
process.stdout.on('error', leave);
