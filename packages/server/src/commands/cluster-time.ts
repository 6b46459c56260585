import { BinaryValue, Doc, TimestampValue, fail, isDoc, isNumber, typeName } from '@tessera/mql/engine';
import { isLater } from '@tessera/store';
import { allows, cluster } from '../auth/privilege.js';
import { dummySignature } from '../auth/time-proof.js';
import type { ClientState, Fields, ServerState } from './command.js';

const wrongType = (field: string, expected: string, doc: Doc): Error =>
  fail(
    'TypeMismatch',
    `BSON field '$clusterTime.${field}' is the wrong type '${typeName(doc.get(field.split('.').at(-1)!))}', expected type '${expected}'`,
  );

const missing = (field: string): Error =>
  fail('IDLFailedToParse', `BSON field '$clusterTime.${field}' is missing but a required field`);

/**
 * Reads the time of a `$clusterTime`.
 * @throws CommandError 14, 40414 for a document of another form, 12 for a hash of another length
 */
export const timeIn = (gossip: Doc): TimestampValue => {
  const time = gossip.get('clusterTime');
  if (time === undefined) throw missing('clusterTime');
  if (!(time instanceof TimestampValue)) throw wrongType('clusterTime', 'timestamp', gossip);
  const signature = gossip.get('signature');
  if (signature === undefined) return time;
  if (!isDoc(signature)) throw wrongType('signature', 'object', gossip);
  for (const name of ['hash', 'keyId']) if (!signature.has(name)) throw missing(`signature.${name}`);
  const hash = signature.get('hash');
  if (!(hash instanceof BinaryValue)) throw wrongType('signature.hash', 'binData', signature);
  if (!isNumber(signature.get('keyId'))) throw wrongType('signature.keyId', 'long', signature);
  if (hash.bytes.length !== 20)
    throw fail('UnsupportedFormat', `Unsupported SHA1 hash length: ${hash.bytes.length}. Expected length: 20`);
  return time;
};

/** Whether the client may send cluster times without a valid signature. Then the server sends none either. */
const mayAdvanceTime = ({ auth }: ServerState, { isTrusted, login }: ClientState): boolean =>
  isTrusted || !auth.required || allows(login.present(auth).privileges, 'advanceClusterTime', cluster);

const latestIn = (gossip: Fields): Doc | undefined => {
  const found = gossip.find(([name]) => name === '$clusterTime')?.[1];
  return isDoc(found) ? found : undefined;
};

/** Returns the last fields of a reply, with a valid signature if the client needs one. */
export const signedFor = (server: ServerState, client: ClientState): Fields => {
  const gossip = server.role.gossip();
  const latest = latestIn(gossip);
  if (latest === undefined || mayAdvanceTime(server, client)) return gossip;
  const signed = latest.with('signature', server.auth.timeProof.signatureOf(timeIn(latest)));
  return gossip.map(entry => (entry[1] === latest ? ['$clusterTime', signed] : entry));
};

/** Checks the signature of a `$clusterTime` that is later than the server's. @throws CommandError 204, 211 */
export const checkProof = (server: ServerState, client: ClientState, gossip: Doc): void => {
  if (mayAdvanceTime(server, client)) return;
  const latest = latestIn(server.role.gossip());
  const time = timeIn(gossip);
  if (latest !== undefined && !isLater(time, timeIn(latest))) return;
  const signature = gossip.get('signature');
  server.auth.timeProof.check(time, isDoc(signature) ? signature : dummySignature);
};
