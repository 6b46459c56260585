import { Doc } from '@tessera/mql/engine';
import type { Operation } from '../engine/operations.js';
import type { Call } from './command.js';

const described = (call: Call, { id, ns, command, begun }: Operation): Doc => {
  const { clock } = call.engine;
  const running = Math.max(0, clock.now() - begun);
  return Doc.of([
    ['type', 'op'],
    ['host', call.server.address],
    ['desc', `conn${id}`],
    ['connectionId', BigInt(id)],
    ...(id === call.client.peer.id ? [['clientMetadata', call.client.metadata ?? Doc.EMPTY] as const] : []),
    ['active', true],
    ['currentOpTime', new Date(clock.wallTime()).toISOString()],
    ['opid', id],
    ['secs_running', BigInt(Math.floor(running / 1000))],
    ['microsecs_running', BigInt(Math.floor(running * 1000))],
    ['op', 'command'],
    ['ns', ns],
    ['command', command],
  ]);
};

/**
 * Returns the operations that `$currentOp` reports: the current one and the waiting ones.
 * @param allUsers whether to include operations of other users
 */
export const operationsUnderWay = (call: Call, ns: string, allUsers: boolean): readonly Doc[] => {
  const { engine, server, client, body, session } = call;
  const { names } = client.login.present(server.auth);
  const asking: Operation = {
    ...{ id: client.peer.id, ns, command: body, session, users: names },
    inTransaction: false,
    begun: engine.clock.now(),
  };
  const isShown = ({ users }: Operation): boolean =>
    allUsers || !server.auth.required || [...users].some(user => names.has(user));
  return [asking, ...[...engine.operations].filter(isShown)].map(operation => described(call, operation));
};
