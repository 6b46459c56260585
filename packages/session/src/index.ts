export { InTransactionError } from './usage-errors.js';
export { checkSessionOptions } from './explicit-session.js';
export { createSessions, sessionsDefaults } from './sessions.js';
export type { Sessions, SessionsDeps, SessionsOptions } from './sessions.js';
export type { ClientSessionState, SessionOptions } from './explicit-session.js';
export type { TransactionOptions, TransactionState } from './transaction.js';
export type { ForgottenSession } from './forgotten-session.js';
