/**
 * Declarations of the globals of Node.js, Bun, Deno and browsers that the programs use. The real types of Node.js would
 * make
 * compiling slow, and the packages must not need them.
 */
export const hostTypes = `
declare const console: { log(...values: unknown[]): void };
declare const process: {
  readonly argv: readonly string[];
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
  off(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
};
declare const btoa: (bytes: string) => string;
declare const atob: (base64: string) => string;
declare const setImmediate: (run: () => void) => unknown;
declare const queueMicrotask: (run: () => void) => void;
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare module 'node:zlib' {
  export function deflateSync(bytes: Uint8Array): Uint8Array;
  export function inflateSync(bytes: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array;
}
`;
