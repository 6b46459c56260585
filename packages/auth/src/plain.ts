import type { Authenticator, BsonCodec, Credential } from '@tessera/contracts';
import { Sasl } from './sasl.js';
import { utf8 } from './utf8.js';

const mechanism = 'PLAIN';

/**
 * Sends the password itself to the server, for LDAP. Use it only over TLS. Rule: Authentication, "PLAIN"; RFC 4616.
 */
export const createPlain = (
  { bson }: { readonly bson: BsonCodec },
  { username, password, source }: Credential,
): Authenticator => {
  const sasl = new Sasl({ bson, mechanism, source });
  return {
    mechanism,
    begin: () => ({
      finish: async (connection, _answer, deadline) => {
        const command = sasl.start(utf8(`\0${username!}\0${password!}`));
        const { done } = await sasl.ask(connection, command, deadline);
        if (!done) throw sasl.broken(connection, 'it does not end the conversation');
      },
    }),
  };
};
