// One line per check, which is all that whoever started the program reads: `passed NAME`, `failed NAME: REASON`,
// `skipped NAME: REASON`, and `done` when the last is over.

/** @param {unknown} error */
const firstLine = error =>
  String(error instanceof Error ? error.message : error)
    .split('\n')
    .find(line => line.trim() !== '');

/** Milliseconds that one check may take. */
const patience = 45_000;

/** @template T @param {Promise<T>} promise @returns {Promise<T>} */
async function soon(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still not over after ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {string} name @param {() => Promise<void>} work */
export async function check(name, work) {
  try {
    await soon(work());
    console.log(`passed ${name}`);
  } catch (error) {
    console.log(`failed ${name}: ${firstLine(error) ?? 'no reason given'}`);
  }
}

/** @param {string} name @param {string} reason */
export const skip = (name, reason) => console.log(`skipped ${name}: ${reason}`);

/**
 * What is thrown, which must be something.
 * @param {() => Promise<unknown>} work @returns {Promise<any>}
 */
export async function thrownBy(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
