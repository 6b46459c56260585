#!/usr/bin/env node
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
        console.error(`The server could not close: ${error instanceof Error ? error.message : String(error)}`);
        process.exitCode = 1;
      });
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
    console.log(`Tessera server is ready at ${server.uri}`);
    const place = options.data === undefined ? 'in memory only' : `in ${options.data}`;
    console.log(`For tests and development: the data is ${place}, and clients need no password.`);
  } catch (error) {
    console.error(`The server could not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
};

const commandLine = readArguments(process.argv.slice(2));
switch (commandLine.kind) {
  case 'help':
    console.log(help);
    break;
  case 'version':
    console.log(version);
    break;
  case 'mistake':
    console.error(commandLine.sentence);
    process.exitCode = 2;
    break;
  case 'start':
    await start(commandLine.options, report => startServer({ report, ...commandLine.options }));
    break;
  case 'cluster':
    await start(commandLine.options, report => startCluster({ report, ...commandLine.options }));
}
