import { Agent, get, request } from 'node:http';
import type pg from 'pg';
import type { Child } from './child.ts';
import type { Phone } from './fleet.ts';

/** The baseline's tables, filled with the same stops. */
export async function fillBaseline(pool: pg.Pool, phones: readonly Phone[], stops: number): Promise<void> {
  await pool.query(`
    create table b_route (id text primary key, version bigint not null default 0);
    create table b_stop (route text, id int, status text not null default 'P', version bigint not null default 0, plan jsonb, doc jsonb not null default '{}', primary key (route, id));
    create table b_ledger (id uuid primary key, route text, version bigint, client text, seq bigint, body jsonb, at timestamptz default now());
    create table b_outbox (n bigint generated always as identity primary key, route text, version bigint, done boolean not null default false)`);
  await pool.query(`insert into b_route select 'B' || n from generate_series(0, $1::int - 1) n`, [phones.length]);
  await pool.query(
    `insert into b_stop (route, id) select 'B' || n, s from generate_series(0, $1::int - 1) n, generate_series(1, $2::int) s`,
    [phones.length, stops],
  );
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
}

/** The baseline's request body for a sealed item. */
export function baselineBodies(phone: Phone, route: string): string[] {
  return phone.items.map((text) => {
    const item = readItem(text);
    return JSON.stringify({ id: item.id, client: phone.clientId, seq: item.seq, route, stop: item.args.stop });
  });
}

const readItem: (text: string) => { id: string; seq: number; args: { stop: object } } = JSON.parse;

/** One keep-alive connection for each phone. A phone sends its next mutation after the answer to the last one. */
export async function drainIntoBaseline(child: Child, bodies: readonly string[][]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: bodies.length });
  await Promise.all(
    bodies.map(async (queue) => {
      for (const body of queue) await post(child, agent, body);
    }),
  );
  agent.destroy();
}

export function post({ port }: Child, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port, path: '/mutation', method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`baseline answered ${response.statusCode}`)),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const readRows: (text: string) => { version: string }[] = JSON.parse;

/** Versions of the stops that have changed since. A phone of the baseline polls this. */
export function changesOf({ url }: Child, agent: Agent, route: string, since: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    get(`${url}/changes?route=${route}&since=${since}`, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve(readRows(text).map(({ version }) => Number(version))));
    }).once('error', reject);
  });
}
