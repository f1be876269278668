import { operations } from '@tailgate/sync-protocol';
import type { PathSetName, StopObjectInput } from '@tailgate/sync-protocol';
import { PgBoss } from 'pg-boss';
import { beforeAll, describe, expect, test } from 'vitest';
import { startMail } from '../../../server/src/mail/delivery-mails.ts';
import { defaultSmtpTimeouts } from '../../../server/src/mail/post.ts';
import { atFileEnd } from '../../support/file-end.ts';
import type { MailServer, ReceivedMail } from '../../support/mail-server.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { png } from '../../support/png.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { Call, Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { storeFiles } from '../../support/uploads.ts';

const WEEK = '20261121';
const preview = '/api/route/stop/email-preview';

let server: RestServer;
let strict: RestServer;
let mailServer: MailServer;
let driver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  strict = await startRestServer({ database: server.database, access: 'strict' });
  const { pool, url: connectionString } = server.database;
  await pool.query(`insert into facility (id, name, zone) values ('F01', 'Chicago Depot', 'America/Chicago')`);
  await pool.query(
    `insert into code (type, code, description, category, driver_visible, stop_type, requires_photo, requires_comment, sort, active)
     values ('credit-reason', '20', 'Damaged in transit', '', true, '', false, false, 1, true)`,
  );
  const stops = [...Array.from({ length: 9 }, (_, n) => plan(n + 1)), plan(999, 0)];
  const common = { facility: 'F01', weekEnd: WEEK, drivers: ['1001'], stops };
  await insertRoutes(pool, [
    { ...common, id: 'FLAG', emailFlag: true },
    { ...common, id: 'PLAIN', emailFlag: false },
  ]);
  driver = await signUp(server.client, '1001');

  mailServer = await startMailServer();
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  atFileEnd(() => boss.stop({ graceful: false }));
  const mails = await startMail({
    db: pool,
    boss,
    config: {
      smtpUrl: mailServer.url,
      mailFrom: 'pod@depot.example',
      dataDir: '',
      publicUrl: 'https://pod.example',
      access: 'documented',
    },
    clock: () => new Date(),
    log: recordedLog(),
    timeouts: { ...defaultSmtpTimeouts, pollSeconds: 0.5 },
  });
  atFileEnd(() => mails.stop());
});

const put = (route: string, stop: StopObjectInput, paths: PathSetName = 'current', more: Partial<Call> = {}) =>
  server.client.take(operations.syncStops, {
    as: driver,
    paths,
    body: { id: route, facility: 'F01', week_end: WEEK, stops: [stop] },
    ...more,
  });
const delivered = (id: number, updates: object = {}): StopObjectInput => ({ id, updates: { status: 'D', ...updates } });
const isAbout = (route: string, stop: number) => (mail: ReceivedMail) =>
  mail.source.includes(`${route}, stop ${stop}\r\n`);
const mailAbout = (route: string, stop: number) => mailServer.mail(isAbout(route, stop));
const mailsAbout = (route: string, stop: number) => mailServer.received.filter(isAbout(route, stop));

const query = (more: Record<string, string> = {}): string =>
  `?${new URLSearchParams({ facility: 'F01', route_id: 'FLAG', stop_id: '1', week_end: WEEK, ...more }).toString()}`;
const page = async (on: RestServer, search: string, headers: Record<string, string> = {}) => {
  const response = await fetch(on.client.url + preview + search, { headers });
  return { status: response.status, headers: response.headers, html: await response.text() };
};

describe('the delivery e-mail', () => {
  test('unprefixed: to contact_email of the stop, copies to osd_emails, where the route is flagged (interface.md 4.3, contract §4)', async () => {
    await put('FLAG', delivered(1, { osd_emails: ['buyer@example.com'] }));
    const mail = await mailAbout('FLAG', 1);
    expect(mail.headers.get('to')).toBe('manager1@example.com');
    expect(mail.headers.get('cc')).toBe('buyer@example.com');
    expect(mail.recipients).toEqual(['manager1@example.com', 'buyer@example.com']);
  });

  test('v20: to contact.email of the stop, with or without the flag (interface.md 4.3, contract §4)', async () => {
    await put('PLAIN', delivered(1), 'v20');
    await put('FLAG', delivered(2), 'v20');
    expect((await mailAbout('PLAIN', 1)).recipients).toEqual(['store1@example.com']);
    expect((await mailAbout('FLAG', 2)).recipients).toEqual(['store2@example.com']);
  });

  test('none where the unprefixed set has no flag, for stop 999, for other states, or for a past delivery (contract §4)', async () => {
    await put('PLAIN', delivered(3));
    await put('FLAG', delivered(999));
    await put('FLAG', { id: 3, updates: { status: 'S' } });
    await put('FLAG', delivered(4), 'current', { headers: { 'idempotency-key': 'stop 4' } });
    await put('FLAG', delivered(4), 'current', { headers: { 'idempotency-key': 'stop 4' } });
    await put('FLAG', delivered(4, { driver_comments: 'amended' }));
    // Jobs run in order: this job runs after all earlier ones.
    await put('FLAG', delivered(5));
    await Promise.all([mailAbout('FLAG', 4), mailAbout('FLAG', 5)]);
    expect(mailsAbout('PLAIN', 3)).toEqual([]);
    expect(mailsAbout('FLAG', 999)).toEqual([]);
    expect(mailsAbout('FLAG', 3)).toEqual([]);
    expect(mailsAbout('FLAG', 4)).toHaveLength(1);
  });

  test('again for the next transition to D (contract §4)', async () => {
    await put('FLAG', { id: 5, updates: { status: 'R' } });
    await put('FLAG', delivered(5));
    await mailServer.mail(() => mailsAbout('FLAG', 5).length === 2);
    const ids = mailsAbout('FLAG', 5).map(({ headers }) => headers.get('message-id'));
    expect(new Set(ids).size).toBe(2);
  });

  test('contains the pictures that arrived, names the missing ones, and leaves them out above the size limit', async () => {
    const photo = png(60, 40, [40, 120, 200, 255]);
    const files = [1, 2].map((n) => ({ name: `p${n}.png`, bytes: new Uint8Array(photo) }));
    const [primary = '', second = ''] = await storeFiles(server.client, { files });
    const [svg = ''] = await storeFiles(server.client, {
      files: [{ name: 'x.svg', bytes: new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>') }],
    });
    const missing = 'AAAAAAAAAAAAAAAA';
    const entries = [primary, svg, missing].map((images_id) => ({ quantity: 1, comment: '', images_id }));
    const line = { id: 'ITM100000', invoice: 'INV6', updates: { osd_data: [{ osd_code: 20, data: entries }] } };
    await put('FLAG', { ...delivered(6), products: [line] });
    const { source } = await mailAbout('FLAG', 6);
    // A primary id means its upload (contract §3).
    for (const id of [primary, second]) {
      expect(source).toContain(`src="cid:${id}@tailgate"`);
      expect(source).toContain(`Content-ID: <${id}@tailgate>`);
    }
    expect(source.replaceAll(/\r\n/g, '')).toContain(photo.toString('base64'));
    expect(source).toContain(`https://pod.example/api/v20/assets/raw/${svg}`);
    expect(source).toContain('kept, but not shown here');
    expect(source).toContain('not uploaded yet');

    mailServer.maxBytes = 20_000;
    const large = png(200, 200, [1, 2, 3, 255]);
    const noise = Buffer.concat([large, Buffer.alloc(40_000, 'noise')]);
    const [signature_id = ''] = await storeFiles(server.client, {
      files: [{ name: 's.png', bytes: new Uint8Array(noise) }],
    });
    await put('FLAG', delivered(7, { signature_id }));
    const { source: words } = await mailAbout('FLAG', 7);
    mailServer.maxBytes = Number.POSITIVE_INFINITY;
    expect(words).not.toContain('cid:');
    expect(words).toContain(`https://pod.example/api/v20/assets/raw/${signature_id}`);
  });
});

describe('GET /api/route/stop/email-preview (interface.md 4.3, contract §4)', () => {
  test('renders the e-mail’s page, and sends nothing', async () => {
    const comment = 'Left at <b>dock</b> 2';
    await put('PLAIN', delivered(6, { driver_comments: comment, end_delivery_time: '2026-11-20T16:05:00Z' }));
    const sent = mailServer.received.length;
    const { status, headers, html } = await page(server, query({ route_id: 'PLAIN', stop_id: '6' }));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('Delivered on Fri, Nov 20, 2026, 10:05 AM CST.');
    expect(html).toContain('Left at &lt;b&gt;dock&lt;/b&gt; 2');
    expect(html).toContain('Chicago Depot');
    expect(mailServer.received).toHaveLength(sent);
  });

  test('shows an undelivered stop as it is', async () => {
    const { status, html } = await page(server, query({ route_id: 'PLAIN', stop_id: '9' }));
    expect(status).toBe(200);
    expect(html).toContain('Not delivered yet');
  });

  test('allows no scripts, caching, frames or indexing', async () => {
    const { headers } = await page(server, query());
    const rules = headers.get('content-security-policy');
    expect(rules).toContain("default-src 'none'");
    expect(rules).not.toContain('script-src');
    expect(rules).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('links pictures by working addresses', async () => {
    const photo = png(8, 8, [200, 30, 30, 255]);
    const [signature_id = ''] = await storeFiles(server.client, {
      files: [{ name: 's.png', bytes: new Uint8Array(photo) }],
    });
    await put('PLAIN', delivered(7, { signature_id }));
    const search = query({ route_id: 'PLAIN', stop_id: '7' });
    const { html } = await page(server, search);
    const [, src = ''] = /<img src="([^"]*)"/.exec(html) ?? [];
    const picture = await fetch(new URL(src, server.client.url + preview + search));
    expect(Buffer.from(await picture.arrayBuffer()).equals(photo)).toBe(true);

    const locked = await page(strict, search, { ...driver });
    expect(locked.html).toContain(`<img src="data:image/png;base64,${photo.toString('base64')}"`);
  });

  test.each([
    ['facility', ''],
    ['facility', 'F01234'],
    ['route_id', ''],
    ['stop_id', ''],
    ['stop_id', 'one'],
    ['stop_id', '0'],
    ['stop_id', '1.5'],
    ['week_end', ''],
    ['week_end', '2026-11-21'],
    ['week_end', '20261399'],
  ])('400 as JSON for %s=%s', async (name, value) => {
    const { status, error } = await server.client.send('GET', preview, { query: query({ [name]: value }) });
    expect(status).toBe(400);
    expect(error?.details.map(({ path }) => path)).toEqual([name]);
  });

  test('400 names every missing parameter', async () => {
    const { status, error } = await server.client.send('GET', preview);
    expect(status).toBe(400);
    expect(error?.details.map(({ path }) => path)).toEqual(['facility', 'route_id', 'stop_id', 'week_end']);
  });

  test.each([
    [{ facility: 'F09' }, 'ROUTE_NOT_FOUND'],
    [{ route_id: 'NONE' }, 'ROUTE_NOT_FOUND'],
    [{ week_end: '20261128' }, 'ROUTE_NOT_FOUND'],
    [{ stop_id: '77' }, 'STOP_NOT_FOUND'],
  ])('404 as JSON for %j', async (more, code) => {
    const { status, error } = await server.client.send('GET', preview, { query: query(more) });
    expect(status).toBe(404);
    expect(error?.code).toBe(code);
  });

  test('404 for a route that the host is still loading', async () => {
    await insertRoutes(server.database.pool, [
      { facility: 'F01', id: 'HALF', weekEnd: WEEK, drivers: ['1001'], stops: [plan(1)] },
    ]);
    await server.database.pool.query(`update route set published_at = null where id = 'HALF'`);
    const { error } = await server.client.send('GET', preview, { query: query({ route_id: 'HALF' }) });
    expect(error?.code).toBe('ROUTE_NOT_FOUND');
  });

  test('is not part of the v20 set (interface.md 4.3)', async () => {
    const { error } = await server.client.send('GET', '/api/v20/route/stop/email-preview', { query: query() });
    expect(error?.code).toBe('NOT_FOUND');
  });

  test('ACCESS=strict requires a driver (contract §8)', async () => {
    const { status, error } = await strict.client.send('GET', preview, { query: query() });
    expect([status, error?.code]).toEqual([401, 'MISSING_CREDENTIALS']);
    expect((await page(strict, query(), { ...driver })).status).toBe(200);
  });

  test('ACCESS=strict: a driver of another route gets 403, also for a route that does not exist', async () => {
    await insertEmployees(server.database.pool, ['1003']);
    const as = await signUp(server.client, '1003');
    for (const route_id of ['FLAG', 'NONE']) {
      const { status, error } = await strict.client.send('GET', preview, {
        query: query({ route_id }),
        headers: { ...as },
      });
      expect([status, error?.code]).toEqual([403, 'NOT_ASSIGNED']);
    }
  });
});
