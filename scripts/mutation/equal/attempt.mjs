/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/attempt/src/attempt.ts',
    reason: 'The error of a pinned connection has an origin already, and its phase is kept.',
    mutants: [["⟦'select'⟧,", '""']],
  },
  {
    file: 'packages/attempt/src/attempt.ts',
    reason: 'An attempt with an abort listener, or an aborted attempt, has a signal.',
    mutants: [
      [
        "if (this.#onAbort !== undefined) ⟦this.#request.signal?.removeEventListener⟧('abort', this.#onAbort);",
        'this.request.signal.removeEventListener',
      ],
      ['{ cause: ⟦signal?.reason⟧ },', 'signal.reason'],
    ],
  },
];
