export { chart } from './chart.js';
export type { ChartOptions, Curve, Shade } from './chart.js';
export { colors, picture, tag, text } from './svg.js';
export type { Attributes } from './svg.js';
