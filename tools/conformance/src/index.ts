export { readFixtures, specifications } from './fixtures.js';
export { countLine, countResults, reportJson, reportText } from './report.js';
export type { Counts } from './report.js';
export { runSuite, suites } from './run-suites.js';
export type { SuiteResults } from './run-suites.js';
export type { Fixture, Result, Suite } from './suite.js';
