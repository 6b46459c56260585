// Child processes: with the terminal handed on, or quiet with what they printed kept for the moment they fail.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} Options */

/** 128 + the signal's number, as shells say it. @param {number | null} code @param {NodeJS.Signals | null} signal */
const exitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Between npm and us stands a shell, which passes no signal on: whoever ends npm ends the shell and leaves us alone. So
 * when the shell is gone, the child is told to go too. Answers how to stop watching.
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
 * Ctrl-C reaches the child from the user's terminal and is not sent a second time; without a terminal, and for the other
 * signals, it is passed on. Answers how to stop.
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
 * The child has the user's terminal. Resolves with its exit code.
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
 * Prints nothing. Resolves with the exit code and with what stdout and stderr said, in order.
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
