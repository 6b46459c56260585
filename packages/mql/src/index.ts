export type { Filter, UpdateFilter } from '@tessera/contracts';
export { CommandError } from './errors.js';
export { aggregate, compare, project, sort } from './plain/documents.js';
export type { AggregateOptions, ProjectOptions } from './plain/documents.js';
export { createFilter, validate } from './plain/filter.js';
export type { CompiledFilter } from './plain/filter.js';
export type { LanguageOptions } from './plain/language.js';
export { update } from './plain/update.js';
export type { UpdateOptions } from './plain/update.js';
