/** Names in lower case, so that a different spelling by the caller leaks nothing. Rule: CLAM, "Security". */
const sensitive = new Set([
  'authenticate',
  'saslstart',
  'saslcontinue',
  'getnonce',
  'createuser',
  'updateuser',
  'copydbgetnonce',
  'copydbsaslstart',
  'copydb',
]);

/** Matches hello and both spellings of legacy hello. Rule: MongoDB Handshake, "isMaster / ismaster". */
export const isHello = (name: string): boolean => name === 'hello' || name.toLowerCase() === 'ismaster';

export const isSensitive = (name: string): boolean => sensitive.has(name.toLowerCase());

/** Rule: OP_COMPRESSED, "Messages not allowed to be compressed". */
export const isCompressible = (name: string): boolean => !isHello(name) && !isSensitive(name);
