// Child processes: with the terminal handed on, or quiet with what they printed kept for the moment they fail.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} Options */

/** 128 + the signal's number, as shells say it. @param {number | null} code @param {NodeJS.Signals | null} signal */
const exitCode = (code, signal) => code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/**
 * The child has the user's terminal, so Ctrl-C reaches it from there and is not sent a second time; without a terminal,
 * and for the other signals, it is passed on. Resolves with the child's own exit code.
 * @param {string} file @param {readonly string[]} args @param {Options} [options] @returns {Promise<number>}
 */
export function runAloud(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: 'inherit' });
    /** @param {NodeJS.Signals} signal */
    const passOn = signal => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
    for (const signal of signals) process.on(signal, passOn);
    const settle = () => {
      for (const signal of signals) process.off(signal, passOn);
    };
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
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', text => {
        log += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code: exitCode(code, signal), log });
    });
  });
}
