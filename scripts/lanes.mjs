// Runs tasks in parallel, one per lane.

/**
 * A task uses one lane, or all lanes if it is `alone`. It starts when the tasks in `after` have ended; these come before
 * it in the list. Names of other tasks have no effect.
 * @typedef {{ name: string, alone?: boolean, after?: readonly string[] }} Task
 */

/**
 * Runs every task once, in the order of the list as lanes become free. A task that waits for others of `after` leaves its
 * place to later tasks. A task that is `alone` waits until no other task runs. Later tasks do not start before it.
 * @template {Task} T, R
 * @param {readonly T[]} tasks @param {number} lanes @param {(task: T) => Promise<R>} run must not reject
 * @returns {Promise<R[]>} the results, in the order of the list
 */
export function runInLanes(tasks, lanes, run) {
  /** @type {R[]} */
  const results = [];
  const waiting = new Map(tasks.entries());
  const unfinished = new Set(tasks.map(({ name }) => name));
  let running = 0;
  return new Promise(resolve => {
    const fill = () => {
      for (const [at, task] of waiting) {
        if (running >= lanes || (running > 0 && task.alone === true)) break;
        if (task.after?.some(name => unfinished.has(name)) === true) continue;
        waiting.delete(at);
        begin(task, at);
        if (task.alone === true) break;
      }
      if (running === 0) resolve(results);
    };
    /** @param {T} task @param {number} at */
    const begin = (task, at) => {
      running += 1;
      void run(task).then(result => {
        results[at] = result;
        unfinished.delete(task.name);
        running -= 1;
        fill();
      });
    };
    fill();
  });
}
