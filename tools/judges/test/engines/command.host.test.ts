import { expect, test } from 'vitest';
import { runCommand } from '../../src/outside/command.js';

const node = (script: string): string[] => [process.execPath, '-e', script];

test('passes the environment to a command, and returns its exit code', async () => {
  const { signal } = new AbortController();
  const script = 'process.exit(process.env.MONGODB_URI === "mongodb://there/" ? 7 : 1)';
  expect(await runCommand(node(script), { MONGODB_URI: 'mongodb://there/' }, signal)).toBe(7);
});

test('passes an interrupt on to the command', async () => {
  const abort = new AbortController();
  const ended = runCommand(node('setInterval(() => {}, 1000)'), {}, abort.signal);
  abort.abort('SIGTERM');
  expect(await ended).toBe(143);
});

test('rejects if the command does not exist', async () => {
  const { signal } = new AbortController();
  await expect(runCommand(['no-such-command-anywhere'], {}, signal)).rejects.toThrow('ENOENT');
});
