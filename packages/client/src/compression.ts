import type { Compressor } from '@tessera/contracts';

/** Where to get what a runtime need not have. */
const advice: Readonly<Record<string, string>> = {
  snappy: 'pass createSnappy() of @tessera/snappy as parts: { compressors: [...] }',
  zlib: 'its runtime has none; pass one as parts: { compressors: [...] }',
  zstd: 'pass createZstd() of @tessera/zstd as parts: { compressors: [...] }',
};

/** Those that were passed, and of the runtime's those that they do not replace. */
export const compressorsOf = (
  passed: readonly Compressor[],
  ofRuntime: readonly Compressor[],
): readonly Compressor[] => [...passed, ...ofRuntime.filter(({ id }) => !passed.some(other => other.id === id))];

/** A sentence for each name that cannot be offered. Rule: OP_COMPRESSED, "Unknown compressors MUST yield a warning". */
export const missingCompressors = (
  named: readonly string[] | undefined,
  known: readonly Compressor[],
): readonly string[] =>
  (named ?? [])
    .filter(name => !known.some(compressor => compressor.name === name))
    .map(
      name =>
        `The compressor '${name}' is passed over: ${advice[name] ?? `there are ${Object.keys(advice).join(', ')}, and those that are passed`}.`,
    );
