import type { Authenticator, Connection, Conversation, Document, Millis } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { expectEqual, expectRejection, expectTrue } from './case.js';
import type { ContractCase } from './case.js';
import { helloDocument, helloFrom } from './scripted-servers.js';

export interface AuthenticatorSuiteDeps {
  /**
   * Returns the authenticator under test. If it draws random bytes, they must be the ones to which `replies` responds.
   */
  readonly createAuthenticator: () => Authenticator;
  /** The replies to the commands of one conversation, from a server that accepts the user. */
  readonly replies: readonly Document[];
  /** Replies of servers that do not fulfil their part of the mechanism, one list per server. */
  readonly impostors?: readonly (readonly Document[])[] | undefined;
  /** Texts that no error may contain. */
  readonly secrets: readonly string[];
}

const address = 'db1:27017';
const hello = helloFrom(helloDocument(), 1);

/** A reply, or the error that the connection throws instead. */
type Answer = Document | MongoError;

interface ScriptedLogin {
  readonly connection: Connection;
  /** The deadline of each command. */
  readonly deadlines: readonly Millis[];
}

const scriptLogin = (answers: readonly Answer[]): ScriptedLogin => {
  const deadlines: Millis[] = [];
  const connection: Connection = {
    id: 1,
    address,
    hello,
    closed: false,
    start: () => {
      throw new Error('An authenticator sends its commands by command().');
    },
    command: async (_db, _command, deadline) => {
      const answer = answers[deadlines.length];
      deadlines.push(deadline);
      await Promise.resolve();
      if (answer === undefined)
        throw new Error('The conversation sends more commands than there are scripted replies.');
      if (MongoError.is(answer)) throw answer;
      return answer;
    },
    detach: () => true,
    close: () => undefined,
  };
  return { connection, deadlines };
};

/** Returns everything that printing an error shows. */
const shownBy = (error: unknown): string =>
  error instanceof Error ? `${String(error)} ${JSON.stringify(error)} ${shownBy(error.cause)}` : String(error);

/** Returns the cases of {@link Authenticator} and {@link Conversation}. Rule: Authentication. */
export const authenticatorSuite = (deps: AuthenticatorSuiteDeps): readonly ContractCase[] => {
  const { createAuthenticator, replies, impostors = [], secrets } = deps;
  const one = (name: string, run: () => Promise<void>): ContractCase => ({ name, run });
  const begin = async (authenticator = createAuthenticator()): Promise<Conversation> => authenticator.begin(address);

  /** Expects an error of this kind that contains no secret. */
  const refuses = async (kind: string, answers: readonly Answer[], what: string): Promise<void> => {
    const { connection } = scriptLogin(answers);
    const error = await expectRejection((await begin()).finish(connection, undefined, Infinity), { kind }, what);
    for (const secret of secrets) expectTrue(!shownBy(error).includes(secret), `no secret in the error: ${what}`);
  };
  const origin = { phase: 'auth', sent: true, address } as const;

  return [
    one(
      'Conversation.finish: resolves when the server accepts the user; each command has the given deadline',
      async () => {
        const { connection, deadlines } = scriptLogin(replies);
        await (await begin()).finish(connection, undefined, 1234);
        expectEqual(
          deadlines,
          replies.map(() => 1234),
          'the deadlines of the commands',
        );
      },
    ),
    one('Conversation.finish: continues with the second command if hello carried the first', async () => {
      const conversation = await begin();
      if (conversation.first === undefined) return;
      const { connection, deadlines } = scriptLogin(replies.slice(1));
      await conversation.finish(connection, replies[0], Infinity);
      expectEqual(deadlines.length, replies.length - 1, 'commands after hello');
    }),
    one('Conversation.finish: fails as auth if the server rejects the user, without a secret', async () => {
      const reply = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
      for (const at of replies.keys()) {
        const error = new MongoError('server', reply.errmsg, { code: 18, codeName: reply.codeName, reply, origin });
        await refuses('auth', [...replies.slice(0, at), error], `refused at command ${at + 1}`);
      }
    }),
    one('Conversation.finish: fails as protocol if the server does not fulfil its part, without a secret', async () => {
      for (const [index, answers] of impostors.entries()) await refuses('protocol', answers, `impostor ${index + 1}`);
    }),
    one('Conversation.finish: fails with the error of the connection if the connection is lost', async () => {
      for (const at of replies.keys()) {
        const lost = new MongoError('network', 'The connection was lost.', { origin });
        const { connection } = scriptLogin([...replies.slice(0, at), lost]);
        const failed = (await begin()).finish(connection, undefined, Infinity);
        const what = `lost at command ${at + 1}`;
        expectTrue((await expectRejection(failed, { kind: 'network' }, what)) === lost, `the same error: ${what}`);
      }
    }),
    one('Authenticator.begin: conversations of several connections are independent', async () => {
      const authenticator = createAuthenticator();
      const logins = [1, 2, 3].map(async deadline => {
        const { connection, deadlines } = scriptLogin(replies);
        await (await begin(authenticator)).finish(connection, undefined, deadline);
        expectEqual(
          deadlines,
          replies.map(() => deadline),
          `the commands of connection ${deadline}`,
        );
      });
      await Promise.all(logins);
      await (await begin(authenticator)).finish(scriptLogin(replies).connection, undefined, Infinity);
    }),
  ];
};
