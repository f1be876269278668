import { operations } from '@tailgate/sync-protocol';
import { expect } from 'vitest';
import { openDepot } from '../support/depot.ts';
import { startRestServer } from '../support/rest-server.ts';

/** A depot with a server before it: input by REST, and the resulting rows of the host. */
export async function rowDeps() {
  const depot = await openDepot();
  const server = await startRestServer({ database: depot.database });
  const { pool } = depot.database;
  await depot.clerk(`update PODDTA.EMPMSTP set EMFAC = 'F01'`);

  return {
    ...depot,
    depot,
    pool,
    client: server.client,
    /** The rows of a host file once they are as they should be. */
    expectRows: async (file: string, where: string, rows: readonly object[]) => {
      await expect.poll(() => depot.show(file, where)).toMatchObject(rows);
    },
    /** Until the host has every row that it does not refuse. */
    settled: async (worker: ReturnType<typeof depot.worker>) => {
      await expect.poll(async () => (await worker.state()).rows).toBe(0);
    },
    report: (reportId: string, more: object = {}) =>
      server.client.take(operations.submitLoadReport, { body: { ...loadReport, reportId, ...more } }),
  };
}

export const section = (key: string, rating: number, comment = '') => ({
  key,
  rating,
  reason: 'Wrap torn',
  comment,
  photos_id: '',
});

export const loadReport = {
  loadId: 'LOAD1',
  stopId: '1',
  driverId: '1001',
  capturedAt: '2026-11-21T15:30:00.000Z',
  sections: [section('stacking', 4)],
};
