/**
 * The baseline of every comparison: the simplest implementation. Fastify, one POST and one transaction for each
 * mutation, JSON columns, polling. It is frozen, because a slower baseline would falsify the ratios. It does less than
 * Tailgate (no edit times, chain, quarantine or plan) and is as durable (fsync on, one commit each).
 */
import { fastify } from 'fastify';
import pg from 'pg';

const { DATABASE_URL: connectionString } = process.env;
const pool = new pg.Pool({ connectionString, max: 8 });

interface Body {
  id: string;
  client: string;
  seq: number;
  route: string;
  stop: { id: number; updates: { status: string } };
}

const http = fastify();
http.post<{ Body: Body }>('/mutation', async ({ body }) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const known = await client.query({
      name: 'known',
      text: 'select 1 from b_ledger where id = $1',
      values: [body.id],
    });
    if (known.rowCount === 0) {
      const route = await client.query<{ version: number }>({
        name: 'route',
        text: 'update b_route set version = version + 1 where id = $1 returning version',
        values: [body.route],
      });
      const version = route.rows[0]?.version ?? 0;
      await client.query({
        name: 'stop',
        text: 'update b_stop set status = $3, version = $4, doc = doc || $5::jsonb where route = $1 and id = $2',
        values: [body.route, body.stop.id, body.stop.updates.status, version, JSON.stringify(body.stop)],
      });
      await client.query({
        name: 'ledger',
        text: 'insert into b_ledger (id, route, version, client, seq, body) values ($1, $2, $3, $4, $5, $6)',
        values: [body.id, body.route, version, body.client, body.seq, JSON.stringify(body)],
      });
      await client.query({
        name: 'outbox',
        text: 'insert into b_outbox (route, version) values ($1, $2)',
        values: [body.route, version],
      });
    }
    await client.query('commit');
    return { success: true };
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

http.get<{ Querystring: { route: string; since: string } }>('/changes', async ({ query }) => {
  const { rows } = await pool.query<object>({
    name: 'changes',
    text: 'select id, version, doc from b_stop where route = $1 and version > $2',
    values: [query.route, query.since],
  });
  return rows;
});

http.get<{ Querystring: { route: string } }>('/route', async ({ query }) => {
  const { rows } = await pool.query<object>({
    name: 'snapshot',
    text: 'select id, version, plan, doc from b_stop where route = $1 order by id',
    values: [query.route],
  });
  return rows;
});

process.once('SIGTERM', () => void http.close().then(() => pool.end()));
console.log(`ready ${await http.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })}`);
