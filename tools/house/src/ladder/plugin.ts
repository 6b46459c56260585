import type { Plugin } from '@oxlint/plugins';
import { ambientRule } from './ambient-rule.js';
import { importRule } from './import-rule.js';
import { indexRule } from './index-rule.js';

/** The plugin of Oxlint with the rules of this folder. `tools/house/oxlint.mjs` exports it. */
export const plugin: Plugin = {
  meta: { name: 'ladder' },
  rules: { ambient: ambientRule, imports: importRule, index: indexRule },
};
