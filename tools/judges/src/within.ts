/** Time limits that a busy machine does not shorten: they count turns of a timer instead of milliseconds. */

const length = 20;

export const late: unique symbol = Symbol('late');

/** The promise's value or error, or `late` once the event loop has turned for so many milliseconds. */
export const within = async <T>(promise: Promise<T>, milliseconds: number): Promise<T | typeof late> => {
  let interval: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof late>(resolve => {
    let left = milliseconds / length;
    interval = setInterval(() => {
      left -= 1;
      if (left <= 0) resolve(late);
    }, length);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearInterval(interval);
  }
};
