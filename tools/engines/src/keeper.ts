// A process between whoever started an engine and the engine: `keeper.js DATA PROGRAM ARGUMENT…`. It ends the engine and removes its
// data as soon as its input closes, which happens however the starter ends, killed or not.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { killGroup } from './program.js';

/** What the keeper tells, a line of JSON each. */
export type Told = { readonly port: number } | { readonly ended: string };

const tell = (told: Told): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

const [data = '', file = '', ...args] = process.argv.slice(2);
const env = { ...process.env, HOME: data, PYTHONUNBUFFERED: '1' };
const engine = spawn(file, args, { cwd: data, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });

let said = '';
let ready = false;
let leaving = false;

/** Only the end of what it says is kept. */
const hear = (text: string): void => {
  said = (said + text).slice(-8_000);
  const port = /listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  if (ready || port === undefined) return;
  ready = true;
  tell({ port: Number(port) });
};
engine.stdout.setEncoding('utf8').on('data', hear);
engine.stderr.setEncoding('utf8').on('data', hear);

const leave = (): void => {
  leaving = true;
  killGroup(engine);
};
process.stdin.resume().once('end', leave).once('close', leave).once('error', leave);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
// Whoever listened is gone; the input closes in the same moment.
process.stdout.on('error', leave);

const end = (how: string): void => {
  rmSync(data, { recursive: true, force: true });
  if (!leaving) tell({ ended: `${how}\n${said.trimEnd()}` });
  process.exitCode = leaving ? 0 : 1;
  process.stdin.destroy();
};
engine.once('error', error => end(error.message));
engine.once('close', (code, signal) => end(`exit code ${code ?? signal ?? '?'}`));
