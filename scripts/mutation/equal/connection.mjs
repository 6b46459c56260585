/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/connection/src/execution-environment.ts',
    reason: 'Without a function service there are no details either: the switch has no case for it.',
    mutants: [['...(⟦service === undefined⟧ ? {} : details(service, from)),', 'false']],
  },
  {
    file: 'packages/connection/src/client-metadata.ts',
    reason: 'What fits is cut by nothing, and fits then.',
    mutants: [['if (⟦excess(c) <= 0⟧) return c;', 'false']],
  },
  {
    file: 'packages/connection/src/connect.ts',
    reason: 'The same metadata are made for every connection, which takes longer.',
    mutants: [
      [
        'if (⟦metadata?.infos !== infos⟧) metadata = { infos, document: clientMetadata(bson, platform, host, options) };',
        'true',
      ],
    ],
  },
  {
    file: 'packages/connection/src/socket-connection.ts',
    reason: 'There is a trace only where somebody listens to events.',
    mutants: [
      ['if (trace !== undefined) ⟦this.#agreed.events?.answered⟧(trace, reply);', 'this.#agreed.events.answered'],
    ],
  },
  {
    file: 'packages/connection/src/server-api.ts',
    reason: 'The fields of a message take the place of the initial values before anything is written.',
    mutants: [
      ["db = ⟦''⟧;", '"Stryker was here!"'],
      ["name = ⟦''⟧;", '"Stryker was here!"'],
      ["answer: Message['answer'] = ⟦'one'⟧;", '""'],
    ],
  },
  {
    file: 'packages/connection/src/server-api.ts',
    reason: 'The fields of the same message are set to the values that they have.',
    mutants: [['if (⟦this.#message !== message⟧) this.with(message);', 'true']],
  },
  {
    file: 'packages/connection/src/command-message.ts',
    reason:
      'A command that is refused fails with the same error, whether it is thrown for its reply or made at its end.',
    mutants: [['else if (⟦this.#many !== undefined⟧) throw this.#outcome.refused(this.name, this.#reply);', 'true']],
  },
];
