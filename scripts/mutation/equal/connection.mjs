/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/connection/src/execution-environment.ts',
    reason: 'Without a function service there are no details either: the switch has no case for it.',
    mutants: [['...(⟦service === undefined⟧ ? {} : details(service, platform)),', 'false']],
  },
];
