import { arch, availableParallelism, cpus, platform } from 'node:os';
import type { Machine } from './report.js';

/** What the figures depend on, and no name of any machine. */
export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown processor',
  cores: availableParallelism(),
  platform: `${platform()} ${arch()}`,
  node: process.version,
});
