#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { help, readArguments } from './arguments.js';
import type { RunningServer, StartOptions } from './start.js';
import { startServer } from './start.js';

const ownVersion = (): string => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
};

/** An open port alone does not keep the process alive in every runtime; this does, until it is closed. */
const closeOnSignal = (server: RunningServer): void => {
  const awake = setInterval(() => undefined, 0x7fffffff);
  const end = (): void => {
    clearInterval(awake);
    server.close().catch((error: unknown) => {
      console.error(String(error));
      process.exitCode = 1;
    });
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
};

const start = async (options: StartOptions): Promise<void> => {
  try {
    const server = await startServer(options);
    closeOnSignal(server);
    console.log(`Tessera server is ready at ${server.uri}`);
    console.log('It is for tests and development: data in memory only, no authentication.');
  } catch (error) {
    console.error(`The server could not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
};

const wish = readArguments(process.argv.slice(2));
switch (wish.kind) {
  case 'help':
    console.log(help);
    break;
  case 'version':
    console.log(ownVersion());
    break;
  case 'mistake':
    console.error(wish.sentence);
    process.exitCode = 2;
    break;
  case 'start':
    await start(wish.options);
}
