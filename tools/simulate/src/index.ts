export { drawPlan } from './draw-plan.js';
export { runHistory } from './run-history.js';
export { invariants, judge } from './invariants/all.js';
