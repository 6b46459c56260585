import type { Command } from '../commands/command.js';
import { configCommands } from './config-commands.js';
import { defaultCommands } from './default-commands.js';
import { stateCommands } from './state-commands.js';
import { replSetGetStatus } from './status.js';

/** What is asked of a member about its set, and what it is told to be. */
export const replicationCommands: readonly Command[] = [
  ...configCommands,
  ...defaultCommands,
  ...stateCommands,
  replSetGetStatus,
];
