export { createLog } from './log.js';
export { createLogOnDemand } from './on-demand.js';
export { extendedJson } from './extended-json.js';
export { textOf } from './text.js';
