import type { Signal } from '@tessera/contracts';
import { Doc, fail } from '@tessera/mql/engine';
import type { ClientState, Peer, AuthenticatedUsers } from '@tessera/server/parts';
import { Login, opCodes } from '@tessera/server/parts';
import type { ShardServer } from './shard.js';

/** A connection within the process. It sends nothing over a network. */
class InternalConnection implements Peer {
  readonly id: number;
  readonly subject = undefined;
  readonly ownSubject = undefined;
  readonly signal: Signal;
  isCut = false;

  constructor(id: number, signal: Signal) {
    this.id = id;
    this.signal = signal;
  }

  close(): void {
    this.isCut = true;
  }

  reset(): void {
    this.isCut = true;
  }

  end(): void {
    this.isCut = true;
  }

  send(): void {
    this.isCut = true;
  }
}

const metadata = Doc.of([
  ['driver', Doc.of([['name', 'NetworkInterfaceTL']])],
  ['application', Doc.of([['name', 'mongos']])],
]);

const unreachable = ({ state: { address } }: ShardServer, why: string): Error =>
  fail('HostUnreachable', `Error connecting to ${address} :: caused by :: ${why}`);

/** A command for a member of a shard. */
export interface MemberCommand {
  readonly db: string;
  readonly body: Doc;
  /** Aborted when the client disconnects. */
  readonly signal: Signal;
  /** The client's users, if the reply depends on them. */
  readonly present?: (() => AuthenticatedUsers) | undefined;
}

/**
 * Runs a command on a member of a shard. The reply may be an error.
 * @throws CommandError 6 if the member is not running, or stops before it has replied
 */
export const runOn = async (member: ShardServer, { db, body, signal, present }: MemberCommand): Promise<Doc> => {
  if (!member.isRunning) throw unreachable(member, 'Connection refused');
  const { processId } = member.state;
  const connection = new InternalConnection(member.nextConnectionId(), signal);
  const client: ClientState = {
    peer: connection,
    metadata,
    isInternal: true,
    isTrusted: true,
    isBalanced: false,
    latest: undefined,
    login: new Login(present),
  };
  const answer = await member.answer(client, {
    requestId: 0,
    opCode: opCodes.msg,
    body,
    db,
    checksum: false,
    silent: false,
    exhaust: false,
    compressor: undefined,
  });
  if (connection.isCut || !member.isRunning || member.state.processId !== processId)
    throw unreachable(member, 'Connection reset by peer');
  return answer.doc;
};
