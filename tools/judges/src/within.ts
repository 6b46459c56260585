/** Time limits that a busy machine does not shorten, because they count turns of a timer instead of milliseconds. */

const length = 20;

export const late: unique symbol = Symbol('late');

/** Returns the promise's result, or `late` after the event loop has turned for this number of milliseconds. */
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
