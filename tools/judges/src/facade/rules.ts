/** The reviewed differences between this driver and npm `mongodb`. */
import { leniencies, refusals } from './rules/calls.js';
import { commands, ids, moreCommands, specified } from './rules/commands.js';
import { explanations, others } from './rules/results.js';
import type { Rule } from './rules/rule.js';

export type { Rule } from './rules/rule.js';

export const rules: readonly Rule[] = [
  ...refusals,
  ...leniencies,
  ...commands,
  ...moreCommands,
  ...ids,
  ...others,
  ...specified,
  ...explanations,
];
