import type { DriverEvent, EventName } from '@tessera/contracts';
import { commandForms } from './command-forms.js';
import { connectionForms } from './connection-forms.js';
import type { Form } from './form.js';
import { selectionForms } from './selection-forms.js';
import { topologyForms } from './topology-forms.js';

const all = { ...commandForms, ...topologyForms, ...selectionForms, ...connectionForms };

/** All forms by event name. Each form accepts only its own event. */
export const forms: ReadonlyMap<EventName, Form<DriverEvent>> = new Map(
  Object.entries(all) as unknown as readonly [EventName, Form<DriverEvent>][],
);
