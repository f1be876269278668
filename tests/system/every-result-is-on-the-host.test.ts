import { operations } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { parseCommand, runCommand } from '../../server/src/host/tools/cli.ts';
import { signUp } from '../support/people.ts';
import { TestBytes } from '../support/test-bytes.ts';
import { storeFiles } from '../support/uploads.ts';
import { openService, type Service } from './service.ts';

/** The output of `npm run -s host -- show …`, by lines. */
async function shown({ clerk }: Service, ...words: string[]): Promise<unknown[]> {
  const lines: string[] = [];
  await runCommand(parseCommand(['show', ...words]), {
    host: clerk,
    now: new Date(),
    isTerminal: false,
    print: (line) => lines.push(line),
    warn: () => undefined,
  });
  return lines.map((line): unknown => JSON.parse(line));
}

test('every change that REST accepts is readable on the host, through an outage and a kill', async () => {
  const service = await openService();
  const { rest, server } = service;
  await service.fault('outage', 'on');
  const driver = await signUp(rest, '1001');
  const signature = new TestBytes('signature').take(400_000);
  const [signature_id = ''] = await storeFiles(rest, { files: [{ name: 'Unterschrift.png', bytes: signature }] });
  await rest.take(operations.submitLoadReport, {
    body: {
      reportId: 'RPT-1',
      loadId: 'LOAD-1',
      stopId: '1',
      driverId: '1001',
      capturedAt: '2026-11-20T16:00:00Z',
      sections: [
        { key: 'stacking', rating: 2, reason: 'Leaning', comment: 'Palette “3” kippt', photos_id: signature_id },
      ],
    },
  });
  const delivered = {
    status: 'D',
    end_delivery_time: '2026-11-20T16:05:00Z',
    signature_id,
    osd_emails: ['broker@example.com', 'store@example.com'],
  };
  await rest.take(operations.syncStops, { as: driver, body: { id: 'R100', stops: [{ id: 1, updates: delivered }] } });
  await server.kill9();
  await server.start();
  await service.fault('outage', 'off');

  await expect
    .poll(() => shown(service, 'ASSHDP'), { timeout: 60_000 })
    .toMatchObject([{ AHID: signature_id, AHNAM: 'Unterschrift.png', AHSIZ: 400_000, AHCHKN: 25, AHSTS: 'R' }]);
  await expect.poll(() => shown(service, 'RTSTUP'), { timeout: 60_000 }).toHaveLength(1);
  expect(await shown(service, 'RTSTUP', "RURTE = 'R100' and RUSTP = 1")).toMatchObject([
    { RUSTS: 'D', RUEDT: 20_261_120, RUETM: 100_500, RUSIG: signature_id, RUDRV: '1001' },
  ]);
  expect(await shown(service, 'RTEMLP')).toMatchObject([
    { REMSEQ: 1, REMADR: 'broker@example.com' },
    { REMSEQ: 2, REMADR: 'store@example.com' },
  ]);
  expect(await shown(service, 'PODUSRP')).toMatchObject([{ PUEMP: '1001', PUREGF: 'Y', PULCKF: 'N' }]);
  expect(await shown(service, 'RTDRVP', "RDRTE = 'R100' and RDEMP = '1001'")).toMatchObject([{ RDSGNF: 'Y' }]);
  expect(await shown(service, 'LCRHDP')).toMatchObject([
    { LHRPT: 'RPT-1', LHLOD: 'LOAD-1', LHDRV: '1001', LHDAT: 20_261_120, LHTIM: 100_000, LHREV: 1 },
  ]);
  expect(await shown(service, 'LCRSCP')).toMatchObject([
    { LSSEQ: 1, LSRAT: 2, LSCMT: 'Palette "3" kippt', LSTXTL: 'Y', LSPHO: signature_id },
  ]);
  const pieces = await service.clerk.query('select ACDTA from PODDTA.ASSCHP order by ACSEQ');
  const bytes = pieces.map(({ ACDTA }) => (Buffer.isBuffer(ACDTA) ? ACDTA : Buffer.alloc(0)));
  expect(Buffer.concat(bytes).equals(signature)).toBe(true);
  expect(await shown(service, 'PODRPLP', "RLSTS = 'P'")).toEqual([]);
}, 60_000);
