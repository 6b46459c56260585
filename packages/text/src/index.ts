export { createTextAnalysis } from './analysis.js';
