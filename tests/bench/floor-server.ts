/**
 * The floor for sockets: the machine's cost without rights, rules and cursors. The server writes a message in a
 * transaction of its own and then sends it to all sockets. Frozen, like the baseline.
 */
import pg from 'pg';
import { WebSocketServer } from 'ws';

const { DATABASE_URL: connectionString } = process.env;
const pool = new pg.Pool({ connectionString, max: 2 });
await pool.query('create table if not exists f_message (n bigint generated always as identity primary key, body text)');

const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(process.env['PORT']),
  path: '/api/sync',
  perMessageDeflate: false,
});
server.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    if (text === '{"type":"ping"}') socket.send('{"type":"pong"}');
    else void spread(text);
  });
});

async function spread(text: string): Promise<void> {
  await pool.query('insert into f_message (body) values ($1)', [text]);
  for (const socket of server.clients) socket.send(text);
}

process.once('SIGTERM', () => {
  for (const socket of server.clients) socket.terminate();
  server.close(() => void pool.end());
});
server.once('listening', () => console.log('ready'));
