/**
 * The simplest REST interface: Fastify, rows, one transaction for each request, a route assembled from its rows each
 * time, files as one value. Frozen like `baseline-server.ts`, for the same reason. It is set-based where that is the
 * simplest form, and as durable as Tailgate (fsync on). It does less: no edit times, ledger text, plan checks,
 * sniffing, hashes or compression.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import multipart from '@fastify/multipart';
import { fastify } from 'fastify';
import pg from 'pg';
import type { BaselineLine, BaselineOsd, BaselineStop } from './rest-baseline.ts';

const { DATABASE_URL: connectionString } = process.env;
const pool = new pg.Pool({ connectionString, max: 8 });
const http = fastify({ bodyLimit: 5 * 1024 * 1024 });
await http.register(multipart, { limits: { fileSize: 25 * 1024 * 1024 } });

async function driverOf(headers: IncomingHttpHeaders): Promise<string> {
  const hash = createHash('sha256').update(String(headers['api_token'])).digest();
  const { rows } = await pool.query<{ employee: string }>({
    name: 'session',
    text: 'select employee from r_session where token_hash = $1 and employee = $2',
    values: [hash, headers['employee_id']],
  });
  if (!rows[0]) throw Object.assign(new Error('not signed in'), { statusCode: 401 });
  return rows[0].employee;
}

http.get('/api/route', async ({ headers }) => {
  const employee = await driverOf(headers);
  const ask = async <Row extends pg.QueryResultRow>(name: string, text: string): Promise<Row[]> =>
    (await pool.query<Row>({ name, text, values: [employee] })).rows;
  const [routes, stops, lines, osd] = await Promise.all([
    ask<{ id: string; facility: string; week_end: string; version: string }>(
      'route',
      'select id, facility, week_end, version from r_route where employee = $1',
    ),
    ask<BaselineStop>(
      'stops',
      'select s.id, s.type, s.status, s.driver_comments, s.store_emp_id, s.store_emp_name, s.signature_id, s.customer, s.invoices from r_stop s join r_route r on r.id = s.route where r.employee = $1 order by s.id',
    ),
    ask<BaselineLine>(
      'lines',
      'select l.stop, l.kind, l.item, l.invoice, l.name, l.description, l.quantity, l.box_upc, l.item_upc, l.section, l.container_type, l.required, l.count_in_totes, l.add_photos, l.action_type, l.delivered, l.returned, l.accounting_complete from r_line l join r_route r on r.id = l.route where r.employee = $1 order by l.stop, l.kind, l.seq',
    ),
    ask<BaselineOsd>(
      'osd',
      'select o.stop, o.item, o.osd_id, o.osd_code, o.comment, o.quantity, o.barcodes, o.images_id from r_osd o join r_route r on r.id = o.route where r.employee = $1 order by o.stop, o.seq',
    ),
  ]);
  const [route] = routes;
  if (!route) throw Object.assign(new Error('no route'), { statusCode: 404 });
  return { success: true, message: 'Pending route found for driver', data: assemble(route, stops, lines, osd) };
});

function assemble(route: object, stops: BaselineStop[], lines: BaselineLine[], osd: BaselineOsd[]) {
  const linesOf = Map.groupBy(lines, ({ stop }) => stop);
  const osdOf = Map.groupBy(osd, ({ stop, item }) => `${stop} ${item}`);
  const groups = (stop: number, item: string) =>
    (osdOf.get(`${stop} ${item}`) ?? []).map(({ osd_id, osd_code, comment, quantity, barcodes, images_id }) => ({
      osd_id,
      osd_code,
      data: [{ osd_parent: null, comment, quantity, images_id, barcodes, quantity_type: null }],
    }));
  return {
    ...route,
    stops: stops.map(({ id, type, customer, invoices, ...updates }) => ({
      id,
      type,
      updates: { ...updates, followup: false, delivered_by_driver_id: null, osd_emails: [], overage_items: [] },
      osd_emails: [],
      customer,
      invoices,
      products: (linesOf.get(id) ?? [])
        .filter(({ kind }) => kind === 'P')
        .map((line) => ({
          id: line.item,
          name: line.name,
          description: line.description,
          invoice: line.invoice,
          quantity: line.quantity,
          box_upc: line.box_upc,
          item_upc: line.item_upc,
          section: line.section,
          updates: {
            delivered: line.delivered,
            accounting_complete: line.accounting_complete,
            image_ids: null,
            osd_data: groups(id, line.item),
          },
          action: line.action_type ? { type: line.action_type, updates: { delivered: 0, osd_data: [] } } : null,
        })),
      collections: (linesOf.get(id) ?? [])
        .filter(({ kind }) => kind === 'C')
        .map((line) => ({
          id: line.item,
          name: line.name,
          description: line.description,
          required: line.required,
          count_in_totes: line.count_in_totes,
          add_photos: line.add_photos,
          container_type: line.container_type,
          section: line.section,
          quantity: line.quantity,
          updates: { returned: line.returned, osd_data: groups(id, line.item) },
          action: { type: 'collect', updates: { delivered: 0, osd_data: [] } },
        })),
    })),
  };
}

interface StopBody {
  id: string;
  stops: {
    id: number;
    updates: Record<'status' | 'driver_comments' | 'store_emp_id' | 'store_emp_name', string>;
    products: {
      id: string;
      updates: {
        delivered: number;
        accounting_complete: boolean;
        osd_data?: {
          osd_id: string;
          osd_code: number;
          data: { comment: string; quantity: number; barcodes: string }[];
        }[];
      };
    }[];
  }[];
}

http.put<{ Body: StopBody }>('/api/route/stop', async ({ body, headers }) => {
  const employee = await driverOf(headers);
  const client = await pool.connect();
  const run = (name: string, text: string, values: unknown[]) =>
    client.query<{ version: string }>({ name, text, values });
  try {
    await client.query('begin');
    const { rows } = await run(
      'put route',
      'update r_route set version = version + 1 where id = $1 and employee = $2 returning version',
      [body.id, employee],
    );
    for (const { id, updates, products } of body.stops) {
      await run(
        'put stop',
        'update r_stop set status = $3, driver_comments = $4, store_emp_id = $5, store_emp_name = $6 where route = $1 and id = $2',
        [body.id, id, updates.status, updates.driver_comments, updates.store_emp_id, updates.store_emp_name],
      );
      const items = products.map((product) => product.id);
      await run(
        'put lines',
        `update r_line l set delivered = k.delivered, accounting_complete = k.complete
           from unnest($3::text[], $4::int[], $5::boolean[]) as k (item, delivered, complete)
          where l.route = $1 and l.stop = $2 and l.kind = 'P' and l.item = k.item`,
        [
          body.id,
          id,
          items,
          products.map((product) => product.updates.delivered),
          products.map((product) => product.updates.accounting_complete),
        ],
      );
      const osd = products.flatMap((product) =>
        (product.updates.osd_data ?? []).flatMap((group) =>
          group.data.map((data) => ({ ...group, ...data, item: product.id })),
        ),
      );
      await run('drop osd', 'delete from r_osd where route = $1 and stop = $2 and item = any($3::text[])', [
        body.id,
        id,
        items,
      ]);
      await run(
        'put osd',
        `insert into r_osd (route, stop, seq, item, osd_id, osd_code, comment, quantity, barcodes)
         select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[])`,
        [
          body.id,
          id,
          osd.map((_, n) => n),
          osd.map(({ item }) => item),
          osd.map(({ osd_id }) => osd_id),
          osd.map(({ osd_code }) => String(osd_code)),
          osd.map(({ comment }) => comment),
          osd.map(({ quantity }) => quantity),
          osd.map(({ barcodes }) => barcodes),
        ],
      );
    }
    await run('history', 'insert into r_history (route, employee, version, body) values ($1, $2, $3, $4)', [
      body.id,
      employee,
      rows[0]?.version,
      JSON.stringify(body),
    ]);
    await client.query('commit');
    return { success: true, message: 'Stops saved', data: { route_id: body.id, version: rows[0]?.version } };
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
});

http.post('/api/v20/assets', async (form) => {
  const ids: string[] = [];
  for await (const file of form.files()) {
    const id = randomBytes(8).toString('hex');
    await pool.query({
      name: 'put asset',
      text: 'insert into r_asset (id, name, mime, bytes) values ($1, $2, $3, $4)',
      values: [id, file.filename, file.mimetype, await file.toBuffer()],
    });
    ids.push(id);
  }
  return { success: true, message: 'Files stored', data: { id: ids[0], ids } };
});

http.get<{ Params: { id: string } }>('/api/v20/assets/raw/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<{ name: string; mime: string; bytes: Buffer }>({
    name: 'asset',
    text: 'select name, mime, bytes from r_asset where id = $1',
    values: [params.id],
  });
  const [asset] = rows;
  if (!asset) throw Object.assign(new Error('no such asset'), { statusCode: 404 });
  return reply.header('content-disposition', `attachment; filename="${asset.name}"`).type(asset.mime).send(asset.bytes);
});

process.once('SIGTERM', () => void http.close().then(() => pool.end()));
console.log(`ready ${await http.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })}`);
