/** Modules of Node.js that take milliseconds to load. They load when a function here is called for the first time. */
export const net = (): typeof import('node:net') => process.getBuiltinModule('node:net');
export const dns = (): typeof import('node:dns') => process.getBuiltinModule('node:dns');
export const v8 = (): typeof import('node:v8') => process.getBuiltinModule('node:v8');
