import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const buffer = (tarball: string): ArrayBuffer => {
  const { buffer: bytes, byteOffset, byteLength } = readFileSync(tarball);
  return bytes.slice(byteOffset, byteOffset + byteLength);
};

/** Returns publint's messages about the tarball; empty if there are none. */
export async function publintOf(tarball: string): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: buffer(tarball) }, strict: true, level: 'warning' });
  return messages.map(message => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/**
 * The resolutions of TypeScript that a package without CommonJS files does not support: CommonJS users need `require(esm)`,
 * and resolution without `exports` finds nothing. This is the profile "esm-only" of arethetypeswrong.
 */
const unsupported: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

/**
 * Returns the problems that arethetypeswrong finds in the tarball; empty if there are none.
 * @param isEsmOnly whether the package has no CommonJS files
 */
export async function attwOf(tarball: string, isEsmOnly: boolean): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(buffer(tarball))));
  if (result.types === false) return ['The package has no types.'];
  return result.problems
    .filter(problem => !(isEsmOnly && 'resolutionKind' in problem && unsupported.has(problem.resolutionKind)))
    .map(problem => JSON.stringify(problem));
}
