export { createSnappy } from './snappy.js';
