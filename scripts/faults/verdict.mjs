// Decides whether a fault counts as found, from the runs of its tests without it and with it.

/** @typedef {import('./list.mjs').Fault} Fault */
/** @typedef {import('./list.mjs').Finders} Finders */
/** The tests of one run, and the errors that kept test files from being loaded; `file` is relative to the repository.
 * @typedef {{
 *   tests: readonly { file: string, name: string, state: string }[],
 *   broken: readonly { file: string, message: string }[],
 * }} Run
 */

const hostTest = '.host.test.ts';

/** Returns the entries of `tests`. Each must have a test that fails. @param {Fault} fault @returns {Finders[]} */
export const findersOf = ({ tests }) => [tests].flat();

/** @param {Finders} finders */
export const placeOf = ({ project, path }) => `packages/${project}/test/${path ?? ''}`;

/**
 * Returns whether a file belongs to an entry. Host tests belong to it only if the entry names their file.
 * @param {Finders} finders @param {string} file
 */
export const covers = (finders, file) =>
  file.startsWith(placeOf(finders)) && (!file.endsWith(hostTest) || finders.path?.endsWith(hostTest) === true);

/** Returns the results of the tests of an entry. @param {Run} run @param {Finders} finders */
const only = ({ tests, broken }, finders) => {
  const own = tests.filter(({ file, name }) => covers(finders, file) && name.includes(finders.title ?? ''));
  const named = (/** @type {string} */ wanted) => own.filter(({ state }) => state === wanted).map(({ name }) => name);
  return {
    passed: named('passed'),
    failed: named('failed'),
    broken: broken.filter(({ file }) => covers(finders, file)).map(({ message }) => message),
  };
};

/** Returns why a fault cannot be judged by these tests, or undefined. @param {Finders} finders @param {Run} without */
const unfit = (finders, without) => {
  const { passed, failed, broken } = only(without, finders);
  if (failed.length + broken.length > 0) return `its tests fail without it: ${[...failed, ...broken].join('; ')}`;
  return passed.length === 0 ? `no test has the title "${finders.title}"` : undefined;
};

/** Returns why these tests do not find a fault, or undefined. @param {Finders} finders @param {Run} planted */
const missed = (finders, planted) => {
  const { failed, broken } = only(planted, finders);
  if (failed.length > 0) return undefined;
  const where = `${placeOf(finders)}${finders.title === undefined ? '' : `, "${finders.title}"`}`;
  return broken.length > 0
    ? `its tests could not be loaded with it: ${broken.join('; ')}`
    : `no test fails with it (${where})`;
};

/**
 * Returns why a fault counts as not found, or undefined.
 * @param {Fault} fault @param {Run} without @param {Run} planted
 */
export const whyMissed = (fault, without, planted) => {
  const reasons = findersOf(fault).map(finders => unfit(finders, without) ?? missed(finders, planted));
  return reasons.find(reason => reason !== undefined);
};
