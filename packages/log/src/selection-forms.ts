import type { Document, EventMap } from '@tessera/contracts';
import { descriptionOf } from './description.js';
import { endpointOf } from './endpoint.js';
import { failureText } from './failure.js';
import type { Forms, Write } from './form.js';

const common = (event: EventMap['serverSelectionStarted'], write: Write): Document => ({
  selector: write(event.selector),
  operationId: event.operationId,
  operation: event.operation,
  topologyDescription: write(descriptionOf(event.topologyDescription)),
});

const all = { component: 'serverSelection', common } as const;
const which = 'for operation {operation} with ID {operationId}.';
const where = 'Selector: {selector}, topology description: {topologyDescription}';

/** The log messages of server selection. Rule: Server Selection, "Logging". */
export const selectionForms: Forms<
  'serverSelectionStarted' | 'serverSelectionSucceeded' | 'serverSelectionFailed' | 'waitingForSuitableServer'
> = {
  serverSelectionStarted: {
    ...all,
    severity: 'debug',
    message: 'Server selection started',
    text: `Server selection started ${which} ${where}`,
  },
  serverSelectionSucceeded: {
    ...all,
    severity: 'debug',
    message: 'Server selection succeeded',
    text: `Server selection succeeded ${which} Selected server: {serverHost}[:{serverPort}]. ${where}`,
    own: ({ address }) => ({ ...endpointOf(address) }),
  },
  serverSelectionFailed: {
    ...all,
    severity: 'debug',
    message: 'Server selection failed',
    text: `Server selection failed ${which} Failure: {failure}. ${where}`,
    own: ({ failure }, write) => ({ failure: failureText(failure, write) }),
  },
  waitingForSuitableServer: {
    ...all,
    severity: 'info',
    message: 'Waiting for suitable server to become available',
    text: `Waiting for server to become available ${which}[ Remaining time: {remainingTimeMS} ms.] ${where}.`,
    own: ({ remainingTimeMS }) => ({ remainingTimeMS: remainingTimeMS === Infinity ? undefined : remainingTimeMS }),
  },
};
