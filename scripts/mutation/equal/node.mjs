/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/node/src/listener.ts',
    reason: 'The handle of an accepted socket is moved to a paused socket in the same turn, before a byte can be read.',
    mutants: [
      [
        'const plain = (accept: Accept): Server => net().createServer({ ...socketOptions, pauseOnConnect: ⟦true⟧ }, accept);',
        'false',
      ],
    ],
  },
  {
    file: 'packages/node/src/listener.ts',
    reason: 'Only Unix sockets have an address that is not an object, and the address of a Unix socket has no port.',
    mutants: [
      ["address: addressOf(endpoint, ⟦typeof bound === 'object' && bound !== null⟧ ? bound.port : 0),", 'true'],
      [
        "address: addressOf(endpoint, ⟦typeof bound === 'object' && bound !== null⟧ ? bound.port : 0),",
        "typeof bound === 'object' || bound !== null",
      ],
      ["address: addressOf(endpoint, ⟦typeof bound === 'object'⟧ && bound !== null ? bound.port : 0),", 'true'],
      ["address: addressOf(endpoint, typeof bound === 'object' && ⟦bound !== null⟧ ? bound.port : 0),", 'true'],
    ],
  },
  {
    file: 'packages/node/src/transport.ts',
    reason: 'An attempt is in the proxy stage only if there is a proxy.',
    mutants: [
      [
        "return fail('timeout', `The proxy ${⟦proxy?.at⟧} did not connect to ${to} ${spent}; ${reachable}`);",
        'proxy.at',
      ],
    ],
  },
  {
    file: 'packages/node/src/streams.ts',
    reason: "A stream reads only the value of the result of its iterator's method `return`.",
    mutants: [['return { done: ⟦true⟧, value: undefined };', 'false']],
  },
  {
    file: 'packages/node/src/address.ts',
    reason: 'A text that is not an address has no port either, and is rejected as well.',
    mutants: [['if (⟦host === undefined⟧ || !(port <= 65_535)) {', 'false']],
  },
  {
    file: 'packages/node/src/listener.ts',
    reason: 'Clients send a certificate only on request, and without an authority the server requests none.',
    mutants: [
      ['⟦ca === undefined⟧ || socket.authorized || Object.keys(socket.getPeerCertificate()).length === 0;', 'false'],
    ],
  },
  {
    file: 'packages/node/src/socks5.ts',
    reason: 'The first part of a split string always exists.',
    mutants: [["const [head = ⟦''⟧, tail] = plain.split('::');", '"Stryker was here!"']],
  },
];
