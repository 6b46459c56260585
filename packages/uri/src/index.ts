export { parseConnectionString } from './connection-string.js';
export type { ConnectionString } from './connection-string.js';
export { toAddress } from './grammar.js';
export type { HostIdentifier } from './grammar.js';
export { optionTable } from './option-table.js';
export type { OptionRow } from './option-table.js';
export type { OptionType } from './option-types.js';
export { resolveSettings } from './settings.js';
export type { Settings } from './settings.js';
