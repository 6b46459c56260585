// A process between whoever started an engine and the engine: `keeper.js DATA PROGRAM ARGUMENT…`. A line of JSON on its input, a list of
// arguments, ends the engine in peace and starts it again with these on the same data. It ends the engine and removes its data as soon
// as its input closes, which happens however the starter ends, killed or not.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endGroup, killGroup } from './program.js';

/** What the keeper tells, a line of JSON each. */
export type Told = { readonly port: number } | { readonly ended: string };

const tell = (told: Told): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

const [data = '', file = '', ...args] = process.argv.slice(2);
const env = { ...process.env, HOME: data, PYTHONUNBUFFERED: '1' };

/** Milliseconds that an engine has to end in peace. */
const patience = 10_000;

let next: readonly string[] | undefined;
let leaving = false;

const end = (how: string, said: string): void => {
  rmSync(data, { recursive: true, force: true });
  if (!leaving) tell({ ended: `${how}\n${said.trimEnd()}` });
  process.exitCode = leaving ? 0 : 1;
  process.stdin.destroy();
};

function start(withArgs: readonly string[]): ChildProcess {
  const child = spawn(file, withArgs, { cwd: data, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  let ready = false;
  /** Only the end of what it says is kept. */
  const hear = (text: string): void => {
    said = (said + text).slice(-8_000);
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (ready || port === undefined) return;
    ready = true;
    tell({ port: Number(port) });
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  child.once('error', error => end(error.message, said));
  child.once('close', (code, signal) => {
    const again = next;
    next = undefined;
    if (again !== undefined && !leaving) engine = start(again);
    else end(`exit code ${code ?? signal ?? '?'}`, said);
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
// Whoever listened is gone; the input closes in the same moment.
process.stdout.on('error', leave);
