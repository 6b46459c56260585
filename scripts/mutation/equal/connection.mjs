/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/connection/src/execution-environment.ts',
    reason: 'Without a function service there are no details, because the switch has no case for it.',
    mutants: [['...(⟦service === undefined⟧ ? {} : details(service, from)),', 'false']],
  },
  {
    file: 'packages/connection/src/client-metadata.ts',
    reason: 'Metadata that fits are not shortened, and fit afterwards as well.',
    mutants: [['if (⟦excess(c) <= 0⟧) return c;', 'false']],
  },
  {
    file: 'packages/connection/src/connect.ts',
    reason: 'The same metadata are created for every connection, which takes longer.',
    mutants: [
      [
        'if (⟦metadata?.infos !== infos⟧) metadata = { infos, document: clientMetadata(bson, platform, host, options) };',
        'true',
      ],
    ],
  },
  {
    file: 'packages/connection/src/socket-connection.ts',
    reason: 'A trace exists only if there are event listeners.',
    mutants: [
      ['if (trace !== undefined) ⟦this.#agreed.events?.answered⟧(trace, reply);', 'this.#agreed.events.answered'],
    ],
  },
  {
    file: 'packages/connection/src/server-api.ts',
    reason: 'The fields of a message replace the initial values before anything is written.',
    mutants: [
      ["db = ⟦''⟧;", '"Stryker was here!"'],
      ["name = ⟦''⟧;", '"Stryker was here!"'],
      ["answer: Message['answer'] = ⟦'one'⟧;", '""'],
    ],
  },
  {
    file: 'packages/connection/src/server-api.ts',
    reason: 'The fields of the same message are set to their current values.',
    mutants: [['if (⟦this.#message !== message⟧) this.with(message);', 'true']],
  },
  {
    file: 'packages/connection/src/command-message.ts',
    reason: 'A rejected command fails with the same error, whether it is thrown for its reply or created at its end.',
    mutants: [['else if (⟦this.#many !== undefined⟧) throw this.#outcome.refused(this.name, this.#reply);', 'true']],
  },
];
