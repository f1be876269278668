import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { LazyHostCatalog } from '../../../server/src/replication/host-catalog.ts';
import { allColumnsOf } from '../../../server/src/host/files/columns.ts';
import type { Host } from '../../../server/src/host/host.ts';
import { openStandIn } from '../../../server/src/host/connection/postgres.ts';
import { hostFile } from '../../../server/src/host/files/tables.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import type { TestHost } from '../../support/stand-in.ts';
import { createHost } from '../../support/stand-in.ts';

const { readHostJob } = operations;

let site: TestHost;
let server: RestServer;
/** The number of connections opened to the host. */
let opened = 0;

beforeAll(async () => {
  site = await createHost();
  const hostCatalog = new LazyHostCatalog(async () => {
    opened += 1;
    return openStandIn({ url: site.database.url, library: 'PODDTA', log: recordedLog() });
  });
  server = await startRestServer({ database: site.database, hostCatalog });
  atFileEnd(() => hostCatalog.close());
});

const table = (name: string, paths = '/api') => server.client.send('GET', `${paths}/health/ccsid/${name}`);
const fault = (sql: string) => site.clerk.transaction((tx) => tx.execute(sql));

describe('contract §7: the host’s diagnostics', () => {
  test('open no connection before the first request', () => {
    expect(opened).toBe(0);
  });

  test.each(['v20', 'current'] as const)('job-ccsid: the CCSID, user, job and library, %s', async (paths) => {
    const job = await server.client.take(readHostJob, { paths });
    expect(job).toEqual(await site.host.ping().then((own) => ({ ...own, job: job.job })));
    expect(job).toMatchObject({ ccsid: 37, library: 'PODDTA' });
    expect(job.user).not.toBe('');
    expect(opened).toBe(1);
  });

  test.each(['/api/v20', '/api'])('ccsid of a table: every column of the catalog in its order, %s', async (paths) => {
    const { data } = await table('RTSTUP', paths);
    const file = hostFile('RTSTUP');
    expect(data).toMatchObject({ library: 'PODDTA', table: 'RTSTUP' });
    const { columns } = operations.readTableCcsids.data.parse(data);
    expect(columns.map(({ name }) => name)).toEqual(Object.keys(allColumnsOf(file)));
    expect(columns).toContainEqual({ name: 'RUCMT', type: 'CHAR', length: 256, scale: 0, nullable: false, ccsid: 37 });
    expect(columns).toContainEqual({
      name: 'RULAT',
      type: 'DECIMAL',
      length: 9,
      scale: 6,
      nullable: false,
      ccsid: null,
    });
  });

  test('bytes are never converted: CCSID 65535', async () => {
    const { columns } = operations.readTableCcsids.data.parse((await table('ASSCHP')).data);
    expect(columns.find(({ name }) => name === 'ACDTA')).toMatchObject({ ccsid: 65_535, length: 16_000 });
  });

  test('the answer comes from the catalog, not from the server’s own definition', async () => {
    await fault('alter table PODDTA.FACMSTP add column FANEW char(7)');
    const { columns } = operations.readTableCcsids.data.parse((await table('FACMSTP')).data);
    expect(columns.at(-1)).toEqual({ name: 'FANEW', type: 'CHAR', length: 7, scale: 0, nullable: true, ccsid: 37 });
  });

  test('the case of a name does not matter', async () => {
    expect((await table('rtstup')).data).toEqual((await table('RTSTUP')).data);
  });

  test.each([
    'account',
    'session',
    'pg_authid',
    'STANDIN_FAULT',
    'PODDTA.RTSTUP',
    `RTSTUP'--`,
    'RTSTUP%20',
    '__proto__',
    'constructor',
    '%25',
    'x'.repeat(90),
    'x'.repeat(300),
  ])('%s is not a file of the interface: 404', async (name) => {
    expect((await table(name)).error?.code).toBe('TABLE_NOT_FOUND');
  });

  test('a file that the host lacks is 404', async () => {
    await fault('drop table PODDTA.PODRPLP');
    expect((await table('PODRPLP')).error?.code).toBe('TABLE_NOT_FOUND');
  });

  test('a host that is down: 503 and Retry-After without the reason; drivers notice nothing', async () => {
    await fault(`insert into PODDTA.STANDIN_FAULT (FAULT) values ('outage')`);
    for (const reply of [await server.client.call(readHostJob), await table('RTSTUP')]) {
      expect(reply.error?.code).toBe('HOST_UNAVAILABLE');
      expect(reply.headers.get('retry-after')).toBe('30');
      expect(reply.message).toBe('The legacy host cannot be reached now.');
    }
    expect(await server.client.take(operations.listRouteDrivers)).toEqual([]);
    await fault('delete from PODDTA.STANDIN_FAULT');
    expect((await server.client.call(readHostJob)).success).toBe(true);
  });

  test('strict access requires a driver (contract §8)', async () => {
    const strict = await startRestServer({ database: site.database, access: 'strict' });
    expect((await strict.client.call(readHostJob)).error?.code).toBe('MISSING_CREDENTIALS');
  });
});

describe('the connection behind the diagnostics', () => {
  const noAnswer = Promise.withResolvers<never>();
  /** A host whose answers a test sets. */
  const hostOf = (ping: Host['ping']): Host => ({ ...site.host, ping, close: async () => undefined });

  test('a request waits for an answer up to its time limit', async () => {
    const catalog = new LazyHostCatalog(async () => hostOf(() => noAnswer.promise), 20);
    await expect(catalog.job()).rejects.toThrow('no answer within 20 ms');
  });

  test('simultaneous equal requests share one statement', async () => {
    let asked = 0;
    const answer = Promise.withResolvers<Awaited<ReturnType<Host['ping']>>>();
    const catalog = new LazyHostCatalog(async () =>
      hostOf(() => {
        asked += 1;
        return answer.promise;
      }),
    );
    const all = Array.from({ length: 50 }, () => catalog.job());
    answer.resolve({ ccsid: 37, user: 'POD', job: '1/POD/TAILGATE', library: 'PODDTA' });
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(asked).toBe(1);
    await catalog.job();
    expect(asked).toBe(2);
  });

  test('a host that could not be opened is tried again', async () => {
    let away = true;
    const catalog = new LazyHostCatalog(async () => {
      if (away) throw new Error('away');
      return site.host;
    });
    await expect(catalog.job()).rejects.toThrow('away');
    away = false;
    await expect(catalog.job()).resolves.toMatchObject({ library: 'PODDTA' });
  });
});
