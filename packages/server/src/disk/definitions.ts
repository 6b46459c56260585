import type { Definitions } from '@tessera/store';
import { validatorOf } from '../commands/collections.js';
import { timeSeriesOf } from '../commands/time-series.js';
import type { Engine } from '../engine/engine.js';
import { loadLanguages, needsLanguages, textAnalysis } from '../engine/text-index.js';

/** Returns how the server compiles the definitions of collections that it reads from a file. */
export const definitionsOf = (engine: Engine): Definitions => ({
  prepare: indexes => (indexes.some(needsLanguages) ? loadLanguages(engine) : undefined),
  validator: options => validatorOf(engine, 'create', options),
  timeSeries: (option, expireAfterSeconds) => timeSeriesOf(option, expireAfterSeconds, engine.version),
  analysis: textAnalysis,
});
