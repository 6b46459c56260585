export { createAuthority } from './outside/certificates.js';
export { debianProgram } from './outside/debian.js';
export type { DebianProgram } from './outside/debian.js';
export { runIntegration } from './engines/integration.js';
export type { EngineName } from './outside/engines.js';
export { startEngine } from './outside/start.js';
export type { EngineOptions, RunningEngine } from './outside/start.js';
export { Unavailable } from './outside/unavailable.js';
