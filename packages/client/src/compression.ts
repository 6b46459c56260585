import type { Compressor } from '@tessera/contracts';

/** How to add a compressor that a runtime may lack. */
const advice: Readonly<Record<string, string>> = {
  snappy: 'pass createSnappy() of @tessera/snappy as parts: { compressors: [...] }',
  zlib: 'its runtime has none, so pass one as parts: { compressors: [...] }',
  zstd: 'pass createZstd() of @tessera/zstd as parts: { compressors: [...] }',
};

/** Returns the passed compressors, and those of the runtime that they do not replace. */
export const compressorsOf = (
  passed: readonly Compressor[],
  ofRuntime: readonly Compressor[],
): readonly Compressor[] => [...passed, ...ofRuntime.filter(({ id }) => !passed.some(other => other.id === id))];

/**
 * Returns a warning for each unavailable compressor. Rule: OP_COMPRESSED, "Unknown compressors MUST yield a warning".
 */
export const missingCompressors = (
  named: readonly string[] | undefined,
  known: readonly Compressor[],
): readonly string[] =>
  (named ?? [])
    .filter(name => !known.some(compressor => compressor.name === name))
    .map(
      name =>
        `The compressor '${name}' is not available and is ignored: ${advice[name] ?? `there are ${Object.keys(advice).join(', ')}, and those in parts.compressors`}.`,
    );
