import { createRequire } from 'node:module';

/**
 * Loads a CommonJS module beside the calling module, as `require` does, so that agents which wrap loaded modules see it.
 * Returns undefined if the file does not exist, for example because the caller was bundled.
 * @param caller the URL or path of the calling module
 */
export function requireBeside(caller: string, path: string): unknown {
  try {
    return createRequire(caller)(path) as unknown;
  } catch {
    return undefined;
  }
}
