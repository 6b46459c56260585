import type { Command } from '../commands/command.js';
import { configCommands } from './config-commands.js';
import { defaultCommands } from './default-commands.js';
import { stateCommands } from './state-commands.js';
import { replSetGetStatus } from './status.js';

/** Commands that report or change the state of a replica set. */
export const replicationCommands: readonly Command[] = [
  ...configCommands,
  ...defaultCommands,
  ...stateCommands,
  replSetGetStatus,
];
