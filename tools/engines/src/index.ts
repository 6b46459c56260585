export { debianProgram } from './debian.js';
export type { DebianProgram } from './debian.js';
export { engineNames } from './engines.js';
export type { EngineName } from './engines.js';
export { pythonEnvironment, pythonSource } from './python.js';
export { startEngine } from './start.js';
export type { EngineOptions, RunningEngine } from './start.js';
export { Unavailable } from './unavailable.js';
