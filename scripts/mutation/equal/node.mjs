/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/node/src/listener.ts',
    reason:
      'The handle of an accepted socket changes over to a paused socket in the same turn, before a byte can be read.',
    mutants: [
      [
        'const plain = (accept: Accept): Server => createServer({ ...socketOptions, pauseOnConnect: ⟦true⟧ }, accept);',
        'false',
      ],
    ],
  },
  {
    file: 'packages/node/src/listener.ts',
    reason: 'Only unix sockets have an address that is no object, and the address of a unix socket has no port.',
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
    file: 'packages/node/src/listener.ts',
    reason:
      'Node.js closes the connection of a client that fails the handshake, whether or not anyone listens to the event.',
    mutants: [["server.on(⟦'tlsClientError'⟧, () => undefined);", '""']],
  },
  {
    file: 'packages/node/src/transport.ts',
    reason: 'An attempt is in the stage of the proxy only if there is a proxy.',
    mutants: [
      ['return refuse(proxyFailed(to, ⟦proxy?.at⟧ ?? to, error));', 'proxy.at'],
      [
        "return fail('timeout', `The proxy ${⟦proxy?.at⟧} made no connection to ${to} ${spent}; ${reachable}`);",
        'proxy.at',
      ],
    ],
  },
  {
    file: 'packages/node/src/streams.ts',
    reason: 'A stream takes only the value of what the method `return` of its iterator answers.',
    mutants: [['return { done: ⟦true⟧, value: undefined };', 'false']],
  },
  {
    file: 'packages/node/src/address.ts',
    reason: 'What is no address has no port either, which is refused, too.',
    mutants: [['if (⟦host === undefined⟧ || !(port <= 65_535)) {', 'false']],
  },
  {
    file: 'packages/node/src/listener.ts',
    reason: 'Clients show a certificate only if they are asked for one, and without an authority they are not.',
    mutants: [
      ['⟦ca === undefined⟧ || socket.authorized || Object.keys(socket.getPeerCertificate()).length === 0;', 'false'],
    ],
  },
  {
    file: 'packages/node/src/socks5.ts',
    reason: 'The first part of a text that is split is always there.',
    mutants: [["const [head = ⟦''⟧, tail] = plain.split('::');", '"Stryker was here!"']],
  },
];
