import type { Clock, Millis, MongoError } from '@tessera/contracts';

/** What the work comes to, or, once the time is over, an error that is made then. The work itself goes on, unheard. */
export const within = async <T>(clock: Clock, limit: Millis, work: Promise<T>, late: () => MongoError): Promise<T> => {
  if (limit === Infinity) return work;
  let cancel = (): void => {};
  const over = new Promise<never>((_, reject) => {
    const timer = clock.startTimer(Math.max(0, limit), () => {
      reject(late());
    });
    cancel = () => {
      timer.cancel();
    };
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
};
