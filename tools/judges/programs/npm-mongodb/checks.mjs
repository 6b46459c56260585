// Prints one line per check: `passed NAME`, `failed NAME: REASON` or `skipped NAME: REASON`. The last line is `done`. The parent
// process reads only these lines.

/** @param {unknown} error */
const firstLine = error =>
  String(error instanceof Error ? error.message : error)
    .split('\n')
    .find(line => line.trim() !== '');

/** The time limit of a check, in milliseconds. */
const patience = 45_000;

/** @template T @param {Promise<T>} promise @returns {Promise<T>} */
async function soon(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The check did not finish within ${patience} ms.`)), patience);
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
 * Returns the error that `work` throws.
 * @param {() => Promise<unknown>} work @returns {Promise<any>}
 */
export async function thrownBy(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('The call did not throw.');
}
