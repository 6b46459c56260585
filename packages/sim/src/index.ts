export { createChance } from './chance.js';
export type { Chance } from './chance.js';
export type { Latency, Mishaps, Network } from './network.js';
export { createWorld, worldDefaults } from './world.js';
export type { HistoryEntry, Names, World, WorldDeps, WorldOptions } from './world.js';
export type { ContractCase } from './case.js';
export { transportSuite } from './transport-suite.js';
export type { TransportSuiteDeps, TransportSuiteOptions } from './transport-suite.js';
