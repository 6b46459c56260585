export { createSessions, sessionsDefaults } from './sessions.js';
export type { Sessions, SessionsDeps, SessionsOptions } from './sessions.js';
export type { ClientSessionState, SessionOptions } from './session.js';
