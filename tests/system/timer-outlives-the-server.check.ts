import { operations } from '@tailgate/sync-protocol';
import pg from 'pg';
import { expect, test } from 'vitest';
import { signUp } from '../support/people.ts';
import { createDatabase } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untilRouteReceived } from '../support/until-route-received.ts';
import { demoRoute } from './service.ts';

const route = demoRoute('R400');

interface HostRoute {
  closed: string;
  by: string;
  warehouse: string;
}

/** The host's row of the route, as soon as it is closed there. */
async function closedOnHost(url: string): Promise<HostRoute> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('listen tailgate_routes');
    for (;;) {
      const notified = new Promise((resolve) => client.once('notification', resolve));
      const { rows } = await client.query<HostRoute>(
        `select RHPODS as closed, RHCLBY as by, RSSTS as warehouse
           from PODDTA.RTHDRP join PODDTA.RTSTPP on RSFAC = RHFAC and RSRTE = RHRTE and RSWKE = RHWKE and RSSTP = 999
          where RHRTE = $1`,
        [route.id],
      );
      if (rows[0]?.closed === 'C') return rows[0];
      await notified;
    }
  } finally {
    await client.end();
  }
}

test('a route closes by its timer although the server was killed meanwhile', async () => {
  const { url } = await createDatabase();
  const env = { DATABASE_URL: url, DATA_DIR: await temporaryFolder(), DEMO: '1', AUTOCLOSE_SECONDS: '1' };
  const server = await startServer(env);
  const rest = new RestClient(server.url);
  const signed = await signUp(rest, '1005');
  await untilRouteReceived(server.url, signed);
  const body = { ...route, stops: [{ id: 999, arrived: true }] };
  const { route_status } = await rest.take(operations.syncStops, { as: signed, body });
  expect(route_status).toBe('O');
  await server.kill9();

  const closing = closedOnHost(url);
  await server.start();
  expect(await closing).toEqual({ closed: 'C', by: 'A', warehouse: 'C' });
}, 180_000);
