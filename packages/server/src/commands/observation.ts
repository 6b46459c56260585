import type { Soon } from '@tessera/contracts';
import type { Call, Command, Fields, Reply } from './command.js';
import { injected } from './injection.js';
import { profiled } from './profiling.js';

type Work = () => Soon<Fields | Reply>;

const observedStep = (call: Call, command: Command, work: Work): Soon<Fields | Reply> => {
  const { failPoints, profiler } = call.server;
  const inject = failPoints.armed ? (): Soon<Fields | Reply> => injected(call, command, work) : work;
  return profiler.active ? profiled(call, command, inject) : inject();
};

/** Applies fail points and profiling to each of several consecutive replies. */
const continued = (call: Call, command: Command, reply: Fields | Reply): Fields | Reply => {
  if (!('next' in reply) || reply.next === undefined) return reply;
  const { next } = reply;
  return { ...reply, next: () => observed(call, command, next) };
};

/** Executes a command with fail points and profiling applied. If none are enabled, that costs two checks. */
export const observed = (call: Call, command: Command, work: Work): Soon<Fields | Reply> => {
  const reply = observedStep(call, command, work);
  if (!call.exhaust) return reply;
  return reply instanceof Promise
    ? reply.then(done => continued(call, command, done))
    : continued(call, command, reply);
};
