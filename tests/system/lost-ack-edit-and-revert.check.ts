import { operations, type StopObjectInput } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { signIn } from '../support/people.ts';
import { allOnHost, openSignedUp, pendingOf, receiptOf } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

test('an edited and reverted stop keeps its last edit after a lost acknowledgement and two resends', async () => {
  const service = await openService();
  const { pool } = service.database;
  const phone = await openSignedUp(service.server.port, '1001');
  const handheld = await signIn(service.rest, '1001');
  const history = new RouteHistory(demoRoute('R100'));
  const [line] = phone.app.stop(1, history.route).current?.products ?? [];
  if (!line) throw new Error('stop 1 has no products');
  /** The phone never merges two edits of one list of exceptions: three edits are sent as three. */
  const delivered = (comment: string, damaged: number): StopObjectInput => ({
    id: 1,
    updates: { status: 'D', end_delivery_time: '2026-11-20T16:05:00.000Z', driver_comments: comment },
    products: [
      {
        id: line.id,
        invoice: line.invoice,
        updates: {
          delivered: line.quantity - damaged,
          osd_data: [{ osd_id: '1', osd_code: '20', data: [{ quantity: damaged, comment, barcodes: '' }] }],
        },
      },
    ],
  });
  const [a, b] = [delivered('One box crushed', 1), delivered('Two boxes crushed', 2)];
  const ledger = async () =>
    (await pool.query<{ id: string; result: string }>('select id, result from ledger order by seq')).rows;

  phone.onSend = (frame) => {
    if (frame.includes('"type":"push"')) phone.network.bufferDown();
  };
  const first = history.update(phone.app, a);
  await expect.poll(ledger, { timeout: 60_000 }).toEqual([{ id: first.id, result: 'applied' }]);
  await phone.network.untilBufferedDown();
  expect(first.current.at).toBe('saved');
  // The acknowledgement is lost with the network.
  phone.loseNetwork();
  history.update(phone.app, b);
  const last = history.update(phone.app, a);
  await last.saved;
  expect(history.ids.size).toBe(3);
  expect(pendingOf(phone.app)).toBe(3);
  phone.kill();

  phone.onSend = () => undefined;
  phone.network.pass();
  await phone.restoreNetwork();
  const { id, facility, week_end } = history.route;
  const again = service.rest.take(operations.syncStops, {
    as: handheld,
    body: { id, facility, week_end, stops: [a] },
  });
  const app = await phone.start();
  await Promise.all([again, allOnHost(app, [...history.ids])]);

  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  expect(app.stop(1, history.route).current).toMatchObject({
    updates: { driver_comments: 'One box crushed' },
    products: [{ updates: { delivered: line.quantity - 1 } }, {}, {}, {}],
  });
  expect((await ledger()).filter((row) => history.ids.has(row.id))).toHaveLength(3);
  const mails = await pool.query(`select data->>'mutation' as mutation from pgboss.job where name = 'mail'`);
  expect(mails.rows).toEqual([{ mutation: first.id }]);
  expect(receiptOf(app, first.id).current.at).toBe('on_host');
});
