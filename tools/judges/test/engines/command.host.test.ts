import { expect, test } from 'vitest';
import { runCommand } from '../../src/outside/command.js';

const node = (script: string): string[] => [process.execPath, '-e', script];

test('a command has the environment that it is given, and its exit code is the answer', async () => {
  const { signal } = new AbortController();
  const script = 'process.exit(process.env.MONGODB_URI === "mongodb://there/" ? 7 : 1)';
  expect(await runCommand(node(script), { MONGODB_URI: 'mongodb://there/' }, signal)).toBe(7);
});

test('an interrupt is passed on to the command', async () => {
  const abort = new AbortController();
  const ended = runCommand(node('setInterval(() => {}, 1000)'), {}, abort.signal);
  abort.abort('SIGTERM');
  expect(await ended).toBe(143);
});

test('a command that does not exist is an error', async () => {
  const { signal } = new AbortController();
  await expect(runCommand(['no-such-command-anywhere'], {}, signal)).rejects.toThrow('ENOENT');
});
