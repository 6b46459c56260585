// Runs tasks in parallel, one per lane.

/**
 * A task uses one lane, or all lanes if it is `alone` because it uses every core or measures time.
 * @typedef {{ name: string, alone?: boolean }} Task
 */

/**
 * Runs every task once, in the order of the list as lanes become free. A task that is `alone` waits until no other task
 * runs. Later tasks do not start before it.
 * @template {Task} T, R
 * @param {readonly T[]} tasks @param {number} lanes @param {(task: T) => Promise<R>} run must not reject
 * @returns {Promise<R[]>} the results, in the order of the list
 */
export function runInLanes(tasks, lanes, run) {
  /** @type {R[]} */
  const results = [];
  let next = 0;
  let running = 0;
  return new Promise(resolve => {
    const fill = () => {
      for (let task = tasks[next]; task !== undefined; task = tasks[next]) {
        if (running > 0 && (task.alone === true || running >= lanes)) return;
        begin(task, next++);
        if (task.alone === true) return;
      }
      if (running === 0) resolve(results);
    };
    /** @param {T} task @param {number} at */
    const begin = (task, at) => {
      running += 1;
      void run(task).then(result => {
        results[at] = result;
        running -= 1;
        fill();
      });
    };
    fill();
  });
}
