export { createServer } from './server.js';
export { checkOptions, serverOptionTypes } from './check-options.js';
export type { OptionType, OptionTypes } from './check-options.js';
export type { Entrance } from './front.js';
export type { UserOption } from './auth/given-users.js';
export type { Role } from './auth/roles.js';
export type { CapacityOptions, LoadCounts } from './engine/capacity.js';
export type { DataOptions } from './disk/disk.js';
export type { ServerOptions } from './server-options.js';
export type { Server, ServerRuntime } from './server-process.js';
export type { SearchOptions } from './search/search.js';
export { describeSupport } from './support.js';
export type { Feature, Support } from './support.js';
export { createBlackPipe } from './script/black-pipe.js';
export type { BlackPipe, BlackPipeOptions } from './script/black-pipe.js';
export type { ExpectOptions, Lane } from './script/expectations.js';
export type { InterceptOptions } from './script/interceptions.js';
export { any, Anything } from './script/pattern.js';
export type { Plain } from './script/plain.js';
export type {
  Carrier,
  CursorOptions,
  ErrorExtras,
  HangUp,
  ReplyExtras,
  ScriptedConnection,
  ScriptedRequest,
} from './script/request.js';
export { ScriptError } from './script/transcript.js';
export type { Transcript } from './script/transcript.js';
export type { Answer, Peer } from './wire/connection.js';
export type { Request as CommandRequest } from './wire/message.js';
