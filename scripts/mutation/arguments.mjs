// Parses the arguments of `npm run mutation`.
import { parseArgs } from 'node:util';
import { Failure } from '../failure.mjs';

/**
 * `names` are tiles and files. At most one of `sample` and `changed` is set.
 * @typedef {{ names: readonly string[], sample?: number, seed: number, changed?: string, write: boolean }} CommandLine
 */

/** @param {string} name @param {string} text @param {number} least */
function wholeNumber(name, text, least) {
  if (!/^\d+$/.test(text) || Number(text) < least)
    throw new Failure(`--${name} must be a whole number from ${least}, not "${text}".`);
  return Number(text);
}

/** @param {readonly string[]} args @returns {CommandLine} @throws Failure */
export function readArguments(args) {
  // `--changed` may have no revision.
  const whole = args.flatMap((arg, i) =>
    arg === '--changed' && (args[i + 1]?.startsWith('--') ?? true) ? ['--changed', 'HEAD'] : [arg],
  );
  const { values, positionals } = parse(whole);
  const { sample, changed, seed = '1', write = false } = values;
  if (sample !== undefined && changed !== undefined)
    throw new Failure('--sample and --changed both choose mutants. Use only one of them.');
  if (write && (changed !== undefined || positionals.some(name => name.includes('/'))))
    throw new Failure(
      '--write needs the mutants of whole packages, so it cannot be used with --changed or with files.',
    );
  return {
    names: positionals,
    ...(sample === undefined ? {} : { sample: wholeNumber('sample', sample, 1) }),
    ...(changed === undefined ? {} : { changed }),
    seed: wholeNumber('seed', seed, 0),
    write,
  };
}

/** @param {readonly string[]} args */
function parse(args) {
  const options = /** @type {const} */ ({
    sample: { type: 'string' },
    seed: { type: 'string' },
    changed: { type: 'string' },
    write: { type: 'boolean' },
  });
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
}
