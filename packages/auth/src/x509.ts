import type { Authenticator, BsonCodec, Credential, Document } from '@tessera/contracts';
import { Sasl } from './sasl.js';

const mechanism = 'MONGODB-X509';

/** Authenticates with the certificate of the TLS connection. Rule: Authentication, "MONGODB-X509". */
export const createX509 = ({ bson }: { readonly bson: BsonCodec }, { username, source }: Credential): Authenticator => {
  const sasl = new Sasl({ bson, mechanism, source });
  const command: Document = { authenticate: 1, mechanism, ...(username === undefined ? {} : { user: username }) };
  return {
    mechanism,
    begin: () => ({
      first: { ...command, db: source },
      finish: async (connection, answer, deadline) => {
        if (answer === undefined) await sasl.command(connection, command, deadline);
      },
    }),
  };
};
