// Runs tasks side by side, as many as there are lanes.

/**
 * A task fills one lane, or all of them if it is `alone`: it uses every core by itself, or measures time.
 * @typedef {{ name: string, alone?: boolean }} Task
 */

/**
 * Runs every task once, in the order of the list wherever lanes are free. Tasks that are `alone` wait until no other runs,
 * and the tasks behind them do not overtake them.
 * @template {Task} T, R
 * @param {readonly T[]} tasks @param {number} lanes @param {(task: T) => Promise<R>} run must not reject
 * @returns {Promise<R[]>} what each task came to, in the order of the list
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
