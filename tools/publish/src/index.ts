export { exampleForBrowser } from './browser.js';
export { compileIn } from './compile.js';
export type { Compiled } from './compile.js';
export { bytesUnder, installedSize, installPacked, runIn, tarballsOf } from './install.js';
export type { InstalledSize } from './install.js';
export type { Outcome } from './program.js';
export { installDropIn, typeErrorsOfDropIn } from './drop-in.js';
export type { Resolution } from './drop-in.js';
