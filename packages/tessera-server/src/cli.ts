#!/usr/bin/env node
/* eslint n/hashbang: off -- the built file is the command */
import { help, readArguments } from './arguments.js';
import type { StartOptions } from './start.js';
import { startCluster } from './start-cluster.js';
import { startServer } from './start.js';
import { version } from './version.js';

const start = async (
  options: Pick<StartOptions, 'data'>,
  open: (report: (sentence: string) => void) => Promise<{ readonly uri: string; close(): Promise<void> }>,
): Promise<void> => {
  try {
    const server = await open(sentence => console.error(sentence));
    const end = (): void => {
      server.close().catch((error: unknown) => {
        console.error(`The server could not end in order: ${error instanceof Error ? error.message : String(error)}`);
        process.exitCode = 1;
      });
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
    console.log(`Tessera server is ready at ${server.uri}`);
    const kept = options.data === undefined ? 'data in memory only' : `data in ${options.data}`;
    console.log(`It is for tests and development: ${kept}, no authentication.`);
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
    console.log(version);
    break;
  case 'mistake':
    console.error(wish.sentence);
    process.exitCode = 2;
    break;
  case 'start':
    await start(wish.options, report => startServer({ report, ...wish.options }));
    break;
  case 'cluster':
    await start(wish.options, report => startCluster({ report, ...wish.options }));
}
