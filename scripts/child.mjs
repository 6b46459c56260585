// Runs child processes with the terminal of this process, or quietly with their output returned.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} Options */

/**
 * Returns the exit code, or 128 plus the number of the signal, as shells do.
 * @param {number | null} code @param {NodeJS.Signals | null} signal
 */
const exitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Ends the child when the shell of npm ends. npm runs scripts in a shell, which passes no signals on. Returns a
 * function that stops watching.
 * @param {import('node:child_process').ChildProcess} child
 */
function followShell(child) {
  if (process.env['npm_lifecycle_event'] === undefined) return () => undefined;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== shell) child.kill('SIGTERM');
  }, 500);
  return () => clearInterval(watch);
}

/**
 * Passes signals on to the child. Ctrl-C in a terminal reaches the child directly, so it is passed on only without a
 * terminal. Returns a function that stops passing signals on.
 * @param {import('node:child_process').ChildProcess} child
 */
function passSignalsTo(child) {
  /** @param {NodeJS.Signals} signal */
  const passOn = signal => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of signals) process.on(signal, passOn);
  const stopFollowing = followShell(child);
  return () => {
    stopFollowing();
    for (const signal of signals) process.off(signal, passOn);
  };
}

/**
 * Runs a program with the user's terminal. Resolves with its exit code.
 * @param {string} file @param {readonly string[]} args @param {Options} [options] @returns {Promise<number>}
 */
export function runAloud(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: 'inherit' });
    const settle = passSignalsTo(child);
    child.once('error', error => {
      settle();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle();
      resolve(exitCode(code, signal));
    });
  });
}

/**
 * Runs a program without printing its output. Resolves with the exit code and the output of stdout and stderr, in
 * order.
 * @param {string} file @param {readonly string[]} args @param {Options} [options]
 * @returns {Promise<{ code: number, log: string }>}
 */
export function runQuietly(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const settle = passSignalsTo(child);
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', text => {
        log += text;
      });
    }
    child.once('error', error => {
      settle();
      reject(error);
    });
    child.once('close', (code, signal) => {
      settle();
      resolve({ code: exitCode(code, signal), log });
    });
  });
}
