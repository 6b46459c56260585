import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The file that gets all that it prints. */
  readonly log: string;
  /** Kills it. */
  readonly signal: AbortSignal;
}

/** Runs a program to its end. @returns its exit code @throws Error if it cannot be started, or was killed */
export async function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<number> {
  const { cwd, env, log, signal } = options;
  const output = openSync(log, 'w');
  try {
    return await new Promise<number>((resolve, reject) => {
      const child = spawn(program, args, {
        cwd,
        env,
        signal,
        killSignal: 'SIGKILL',
        stdio: ['ignore', output, output],
      });
      child.once('error', reject);
      child.once('exit', (code, killedBy) => {
        if (code !== null) resolve(code);
        else reject(new Error(`${program} was ended by ${killedBy ?? 'something'}.`));
      });
    });
  } finally {
    closeSync(output);
  }
}

/** The last that a program said. */
export const lastOf = (log: string): string => readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
