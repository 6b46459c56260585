import type { Mistake } from './mistake.js';
import { wrong } from './mistake.js';

const quick = { serverSelectionTimeoutMS: 300 };

export const connecting: readonly Mistake[] = [
  {
    mistake: 'No server listens at the address',
    cause: 'The server is not running, or it listens at another port.',
    remedy: 'Start the server, or correct host and port in the connection string.',
    run: ({ withClient, nothing }) => withClient(nothing, quick, client => client.db().command({ ping: 1 })),
  },
  {
    mistake: 'The host name does not exist',
    cause: 'DNS has no address for the name.',
    remedy: 'Correct the name. In a container, `localhost` is the container itself.',
    run: ({ withClient }) => withClient('mongodb://db.invalid:27017/', quick, client => client.connect()),
  },
  {
    mistake: 'The server at the address is a web server',
    cause: 'The port belongs to another program.',
    remedy: 'Use the port of MongoDB, 27017 by default.',
    run: ({ withClient, web }) => withClient(web, quick, client => client.connect()),
  },
  {
    mistake: 'The server is older than MongoDB 4.2',
    cause: 'The driver does not speak the protocol of that server.',
    remedy: 'Upgrade the server.',
    run: ({ withClient, old }) => withClient(old, quick, client => client.connect()),
  },
  {
    mistake: 'The replica set has another name',
    cause: '`replicaSet` in the connection string differs from the name in the configuration of the set.',
    remedy: 'Use the name that the message shows.',
    run: ({ withClient, replicaSet }) =>
      withClient(replicaSet.replace('rs0', 'rs1'), quick, client => client.connect()),
  },
  {
    mistake: '`replicaSet` for a standalone',
    cause: 'The server was started without `--replSet`.',
    remedy: 'Remove `replicaSet` from the connection string, or start the server as a member of a set.',
    run: ({ withClient, standalone }) => withClient(`${standalone}?replicaSet=rs0`, quick, client => client.connect()),
  },
  {
    mistake: 'A TLS client, a server without TLS',
    cause: 'The server answers the TLS handshake with other bytes or closes the connection.',
    remedy: 'Remove `tls=true`, or enable TLS on the server.',
    run: ({ withClient, standalone }) => withClient(`${standalone}?tls=true`, quick, client => client.connect()),
  },
  {
    mistake: 'A wrong password',
    cause: 'The user does not exist in the database `authSource`, or the password is wrong.',
    remedy: 'Check user, password and `authSource`. Escape special characters with `encodeURIComponent`.',
    run: ({ withClient, secured }) =>
      withClient(secured.replace('//', '//ada:secret@'), quick, client => client.connect()),
  },
  {
    mistake: 'No credentials for a server that requires them',
    cause: 'The server requires users to log in.',
    remedy: 'Add user and password to the connection string.',
    run: ({ withClient, secured }) =>
      withClient(secured, quick, client => client.db('shop').collection('films').find().toArray()),
  },
  {
    mistake: 'An unescaped `@` in the password',
    cause: 'The connection string ends the password at the first `@`.',
    remedy: 'Escape user name and password with `encodeURIComponent`.',
    run: ({ withClient }) => withClient('mongodb://ada:p@ss@127.0.0.1/', {}, client => client.connect()),
  },
  {
    mistake: 'A connection string of another scheme',
    cause: 'A connection string begins with `mongodb://` or `mongodb+srv://`.',
    remedy: 'Correct the scheme.',
    run: ({ withClient }) => withClient('http://127.0.0.1:27017', {}, client => client.connect()),
  },
  {
    mistake: 'A port in a `mongodb+srv` connection string',
    cause: 'The ports of a `mongodb+srv` connection string come from DNS.',
    remedy: 'Remove the port, or use `mongodb://`.',
    run: ({ withClient }) => withClient('mongodb+srv://db.example.com:27017/', {}, client => client.connect()),
  },
  {
    mistake: 'A misspelled option in the connection string',
    cause: 'There is no option of that name.',
    remedy: 'Use the suggested name.',
    run: ({ withClient, standalone }) => withClient(`${standalone}?maxPolSize=5`, {}, client => client.connect()),
  },
  {
    mistake: 'A misspelled client option',
    cause: 'There is no option of that name.',
    remedy: 'Use the suggested name.',
    run: ({ withClient, standalone }) => withClient(standalone, wrong({ maxpolsize: 5 }), client => client.connect()),
  },
  {
    mistake: 'A client option of an older driver',
    cause: '`useNewUrlParser`, `poolSize` and others were removed.',
    remedy: 'Follow the message.',
    run: ({ withClient, standalone }) => withClient(standalone, wrong({ poolSize: 5 }), client => client.connect()),
  },
  {
    mistake: 'A time limit that is too long for a timer',
    cause: 'A time limit is at most 2,147,483,647 ms.',
    remedy: 'Use 0 for no limit where the option allows it.',
    run: ({ withClient, standalone }) =>
      withClient(standalone, { serverSelectionTimeoutMS: 2147483648 }, client => client.connect()),
  },
  {
    mistake: '`tlsCAFile` names a file that does not exist',
    cause: 'The path is wrong, or relative to another folder.',
    remedy: 'Correct the path.',
    run: ({ withClient, standalone }) =>
      withClient(standalone, { tls: true, tlsCAFile: '/no/such/ca.pem', ...quick }, client => client.connect()),
  },
  {
    mistake: 'Client-side encryption',
    cause: 'This driver does not support client-side encryption yet. npm `mongodb` needs another package.',
    remedy: 'Use npm `mongodb` with `mongodb-client-encryption` for encrypted collections.',
    run: ({ withClient, standalone }) => withClient(standalone, { autoEncryption: {} }, client => client.connect()),
  },
];
