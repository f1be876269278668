import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTelemetry } from '../../../server/src/telemetry/open.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';

test('the figures of phones count reported changes, without revoked queues', async () => {
  const { pool } = await createDatabase();
  const log = recordedLog();
  const node = { version: '0.0.0', role: 'api' } as const;
  const telemetry = await openTelemetry({ node, otelEndpoint: undefined, traceShare: 1, log });
  atFileEnd(() => telemetry.stop());
  const { figures } = telemetry;
  figures.followMirror({ db: pool, log });
  const read = async (name: string) => {
    const { text } = await figures.read();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  };
  expect(await read('tailgate_database_bytes')).toBeGreaterThan(1_000_000);
  expect(await read('tailgate_phone_oldest_seconds')).toBe(0);

  const report = (pending: number, minutes: number, revoked: boolean) =>
    pool.query(
      `insert into client (client_id, employee, device, queue_key_hash, pending, oldest_pending_at, revoked_at)
       values ($1, '1001', '', '', $2, now() - make_interval(mins => $3), case when $4 then now() end)`,
      [randomUUID(), pending, minutes, revoked],
    );
  await report(3, 10, false);
  await report(4, 20, false);
  await report(0, 0, false);
  await report(9, 99, true);
  expect(await read('tailgate_phone_changes_pending')).toBe(7);
  expect(await read('tailgate_phones_pending')).toBe(2);
  expect(await read('tailgate_phone_oldest_seconds')).toBeGreaterThanOrEqual(1_200);
  expect(await read('tailgate_phone_oldest_seconds')).toBeLessThan(1_800);
  expect(log.lines).toEqual([]);
});
