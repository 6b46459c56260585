import type { Authenticator, BsonCodec, Connection, Credential, Crypto, Millis, Random, Raw } from '@tessera/contracts';
import { AwsKeys } from './aws-credentials.js';
import type { AwsCredentialDeps } from './aws-credentials.js';
import { amzDate, regionOf, sign } from './aws-signature.js';
import { binaryBytes, fromPayload, Sasl, toPayload } from './sasl.js';
import type { SaslReply } from './sasl.js';

export interface AwsDeps extends AwsCredentialDeps {
  readonly bson: BsonCodec;
  readonly crypto: Crypto;
  readonly random: Random;
}

const mechanism = 'MONGODB-AWS';

/** The code for no channel binding: `n`. */
const noBinding = 110;

const startsWith = (bytes: Raw, start: Raw): boolean => start.every((byte, i) => bytes[i] === byte);

/** Authenticates with AWS IAM. The keys are not sent; they sign a request. Rule: Authentication, "MONGODB-AWS". */
export const createAws = (deps: AwsDeps, credential: Credential): Authenticator => {
  const { bson, clock, crypto, random } = deps;
  const sasl = new Sasl({ bson, mechanism, source: credential.source });
  const keys = new AwsKeys(deps, credential);

  const readFirst = (
    connection: Connection,
    { payload }: SaslReply,
    own: Raw,
  ): { readonly nonce: Raw; readonly host: string; readonly region: string } => {
    const { s, h } = fromPayload(bson, payload);
    const nonce = binaryBytes(s);
    if (nonce?.length !== 64 || !startsWith(nonce, own))
      throw sasl.broken(connection, "its nonce does not begin with the client's nonce");
    const region = typeof h === 'string' ? regionOf(h) : undefined;
    if (region === undefined) throw sasl.broken(connection, 'its host name is invalid');
    return { nonce, host: h as string, region };
  };

  const converse = async (connection: Connection, deadline: Millis): Promise<void> => {
    const credentials = await keys.get(deadline);
    const own = random.bytes(32);
    const start = toPayload(bson, { r: new bson.values.Binary(own), p: noBinding });
    const first = await sasl.ask(connection, sasl.start(start), deadline);
    if (first.done) throw sasl.broken(connection, 'it ends the conversation too early');
    const { nonce, host, region } = readFirst(connection, first, own);
    const time = clock.wallTime();
    const { sessionToken } = credentials;
    const proof = {
      a: sign(crypto, { credentials, nonce, host, time }, region),
      d: amzDate(time),
      ...(sessionToken === undefined ? {} : { t: sessionToken }),
    };
    const { done } = await sasl.next(connection, first, toPayload(bson, proof), deadline);
    if (!done) throw sasl.broken(connection, 'it does not end the conversation');
  };

  return {
    mechanism,
    begin: () => ({
      finish: async (connection, _answer, deadline) => {
        try {
          await converse(connection, deadline);
        } catch (error) {
          keys.forget();
          throw error;
        }
      },
    }),
  };
};
