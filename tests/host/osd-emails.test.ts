import { describe, expect, test } from 'vitest';
import { openDepot } from '../support/depot.ts';

const depot = await openDepot();
const worker = depot.worker();
await worker.start();

const emailsOf = (route: string) => depot.show('RTEMLP', `RERTE = '${route}'`);

describe('the addresses that a driver records for exceptions, RTEMLP on the host (contract §4)', () => {
  test('are a row each, in the driver’s order, whether mail can go there or not', async () => {
    const key = await depot.addRoute('E1', [1, 2]);
    const long = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`;
    await depot.record(key, { id: 1, updates: { osd_emails: ['buyer@example.com', 'no address', long] } });
    await depot.record(key, { id: 2, updates: { status: 'D' } });
    await depot.untilHosted(key);
    expect(await emailsOf('E1')).toMatchObject([
      { REFAC: 'F01', REWKE: key.week_end, RESTP: '1', REMSEQ: '1', REMADR: 'buyer@example.com', RECUSR: 'TAILGATE' },
      { RESTP: '1', REMSEQ: '2', REMADR: 'no address' },
      { RESTP: '1', REMSEQ: '3', REMADR: long },
    ]);
  });

  test('are replaced together; a surplus row is blanked, since programs may have locked it', async () => {
    const key = await depot.addRoute('E2', [1]);
    await depot.record(key, { id: 1, updates: { osd_emails: ['one@example.com', 'two@example.com'] } });
    await depot.untilHosted(key);
    await depot.record(key, { id: 1, updates: { osd_emails: ['three@example.com'] } });
    await depot.untilHosted(key);
    expect((await emailsOf('E2')).map(({ REMADR }) => REMADR)).toEqual(['three@example.com', '']);
    await depot.record(key, { id: 1, updates: { osd_emails: [] } });
    await depot.untilHosted(key);
    expect((await emailsOf('E2')).map(({ REMADR }) => REMADR)).toEqual(['', '']);
  });

  test('with characters that the host cannot store go out with its substitute, and the stop is marked', async () => {
    const key = await depot.addRoute('E3', [1]);
    await depot.record(key, { id: 1, updates: { osd_emails: ['käufer@müller.example', '買い手@example.com'] } });
    await depot.untilHosted(key);
    expect((await emailsOf('E3')).map(({ REMADR }) => REMADR)).toEqual(['käufer@müller.example', '???@example.com']);
    expect(await depot.show('RTSTUP', "RURTE = 'E3'")).toMatchObject([{ RUCMTL: 'Y' }]);
  });
});
