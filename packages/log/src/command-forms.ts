import type { Document, EventMap } from '@tessera/contracts';
import { endpointOf, serverConnectionIdOf } from './endpoint.js';
import { failureText } from './failure.js';
import type { Forms } from './form.js';

const common = (event: Omit<EventMap['commandStarted'], 'command'>): Document => ({
  commandName: event.commandName,
  databaseName: event.databaseName,
  requestId: event.requestId,
  operationId: event.operationId,
  driverConnectionId: event.connectionId,
  ...endpointOf(event.address),
  serverConnectionId: serverConnectionIdOf(event.serverConnectionId),
  serviceId: event.serviceId?.toHexString(),
});

const all = { component: 'command', severity: 'debug', common } as const;

const where =
  'using a connection with driver-generated ID {driverConnectionId}[ and server-generated ID {serverConnectionId}]' +
  ' to {serverHost}[:{serverPort}][ with service ID {serviceId}].' +
  ' The requestID is {requestId} and the operation ID is {operationId}.';

/**
 * The log messages of commands. Sensitive commands and replies are already removed from the events. Rule: Command
 * Logging and Monitoring, "Log Messages".
 */
export const commandForms: Forms<'commandStarted' | 'commandSucceeded' | 'commandFailed'> = {
  commandStarted: {
    ...all,
    message: 'Command started',
    text: `Command "{commandName}" started on database "{databaseName}" ${where} Command: {command}`,
    own: ({ command }, write) => ({ command: write(command) }),
  },
  commandSucceeded: {
    ...all,
    message: 'Command succeeded',
    text: `Command "{commandName}" succeeded on database "{databaseName}" in {durationMS} ms ${where} Command reply: {reply}`,
    own: ({ duration, reply }, write) => ({ durationMS: duration, reply: write(reply) }),
  },
  commandFailed: {
    ...all,
    message: 'Command failed',
    text: `Command "{commandName}" failed on database "{databaseName}" in {durationMS} ms ${where} Error: {failure}`,
    own: ({ duration, failure }, write) => ({ durationMS: duration, failure: failureText(failure, write) }),
  },
};
