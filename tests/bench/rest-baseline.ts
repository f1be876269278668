import type pg from 'pg';
import { plan } from '../support/mirror.ts';
import type { Phone } from './fleet.ts';
import { tokenHash } from './fixture.ts';
import { benchRoute, WEEK } from './workload.ts';

export interface BaselineStop {
  id: number;
  type: string;
  status: string;
  driver_comments: string | null;
  store_emp_id: string | null;
  store_emp_name: string | null;
  signature_id: string | null;
  customer: object;
  invoices: object[];
}

export interface BaselineLine {
  stop: number;
  kind: 'P' | 'C';
  item: string;
  invoice: string;
  name: string;
  description: string;
  quantity: number;
  box_upc: string;
  item_upc: string;
  section: string;
  container_type: string;
  required: boolean;
  count_in_totes: boolean;
  add_photos: boolean;
  action_type: string;
  delivered: number;
  returned: number;
  accounting_complete: boolean;
}

export interface BaselineOsd {
  stop: number;
  item: string;
  osd_id: string;
  osd_code: string;
  comment: string;
  quantity: number;
  barcodes: string;
  images_id: string | null;
}

/** The baseline's tables, with the same drivers, stops and lines. */
export async function fillRestBaseline(
  pool: pg.Pool,
  phones: readonly Phone[],
  stops: number,
  lines: number,
): Promise<void> {
  await pool.query(`
    create table r_session (token_hash bytea primary key, employee text not null);
    create table r_route (id text primary key, facility text not null, week_end text not null, employee text not null, version bigint not null default 0);
    create index on r_route (employee);
    create table r_stop (route text, id int, type text not null, status text not null default 'P', driver_comments text, store_emp_id text, store_emp_name text, signature_id text, customer jsonb not null, invoices jsonb not null, primary key (route, id));
    create table r_line (route text, stop int, kind text, seq int, item text not null, invoice text not null, name text not null, description text not null, quantity int not null, box_upc text not null, item_upc text not null, section text not null, container_type text not null, required boolean not null, count_in_totes boolean not null, add_photos boolean not null, action_type text not null, delivered int not null default 0, returned int not null default 0, accounting_complete boolean not null default false, primary key (route, stop, kind, seq)) with (fillfactor = 80);
    create table r_osd (route text, stop int, seq int, item text, osd_id text, osd_code text, comment text, quantity int, barcodes text, images_id text, primary key (route, stop, item, seq));
    create table r_history (n bigint generated always as identity primary key, route text, employee text, version bigint, body jsonb, at timestamptz not null default now());
    create table r_asset (id text primary key, name text not null, mime text not null, bytes bytea not null);
    alter table r_asset alter column bytes set storage external`);
  await pool.query(`insert into r_session select h, e from unnest($1::bytea[], $2::text[]) as k (h, e)`, [
    phones.map(({ token }) => tokenHash(token)),
    phones.map(({ employee }) => employee),
  ]);
  await pool.query(
    `insert into r_route (id, facility, week_end, employee) select id, 'F01', $1, employee from unnest($2::text[], $3::text[]) as k (id, employee)`,
    [WEEK, phones.map((_, n) => benchRoute(n).id), phones.map(({ employee }) => employee)],
  );
  for (let stop = 1; stop <= stops; stop++) {
    const { type, customer, invoices, products, collections } = plan(stop, lines);
    await pool.query(
      `insert into r_stop (route, id, type, customer, invoices) select id, $1, $2, $3, $4 from r_route`,
      [stop, type, JSON.stringify(customer), JSON.stringify(invoices)],
    );
    const rows = [
      ...products.map((product, seq) => ({ ...product, seq, kind: 'P', item: product.id })),
      ...collections.map((item, seq) => ({ ...noUpc, ...item, seq, kind: 'C', item: item.id, action_type: 'collect' })),
    ];
    await pool.query(
      `insert into r_line (route, stop, kind, seq, item, invoice, name, description, quantity, box_upc, item_upc, section, container_type, required, count_in_totes, add_photos, action_type)
       select r.id, $1, k.* from r_route r, jsonb_to_recordset($2) as k (kind text, seq int, item text, invoice text, name text, description text, quantity int, box_upc text, item_upc text, section text, container_type text, required boolean, count_in_totes boolean, add_photos boolean, action_type text)`,
      [stop, JSON.stringify(rows)],
    );
  }
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
}

const noUpc = { box_upc: '', item_upc: '' };
