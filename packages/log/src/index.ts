export { createLog } from './log.js';
export { extendedJson } from './extended-json.js';
export { textOf } from './text.js';
