import { authentication } from './authentication.js';
import { changeStreams } from './change-streams.js';
import { connections } from './connections.js';
import { discovery } from './discovery.js';
import { documents } from './documents.js';
import { management } from './management.js';
import { operations } from './operations.js';
import type { Specification } from './specification.js';
import { timeouts } from './timeouts.js';

/** The specifications whose prose tests are listed. One that is not here has none that are looked for. */
export const catalogue: readonly Specification[] = [
  ...discovery,
  ...connections,
  ...authentication,
  ...operations,
  timeouts,
  changeStreams,
  ...management,
  ...documents,
];
