import { InvalidChange } from '@tailgate/client-sdk';
import { checkLoadReport, recordLoadReport } from '@tailgate/client-sdk/reports';
import { sampleKey } from '@tailgate/client-sdk/testing';
import { expect, test } from 'vitest';
import { startScriptedServer } from '../support/scripted-server.ts';
import { Device, until } from '../support/sdk-device.ts';

const report = {
  reportId: 'morning of 1001',
  loadId: 'L-17',
  stopId: '1',
  driverId: '1001',
  capturedAt: '2026-11-20T05:40:00-06:00',
  sections: [{ key: 'stacking', rating: 2, comment: 'leans to the left' }],
};

test('a report from a phone without a network survives a restart and arrives, in order with all other changes', async () => {
  const server = await startScriptedServer();
  const device = new Device(server.url);
  const client = await device.startSignedIn();
  await until(client.route(), (route) => route !== undefined);
  server.refuse = true;
  server.cut();
  const receipt = recordLoadReport(client, report);
  await receipt.saved;
  await client.updateStop(sampleKey, { id: 1, updates: { status: 'D' } }).saved;
  expect([client.canSignOut(), client.dayComplete()]).toEqual([false, false]);
  await device.kill();

  server.refuse = false;
  const again = await device.start();
  await again.receipt(receipt.id)?.accepted;
  expect(server.ledger.reports).toMatchObject([
    { reportId: 'morning of 1001', stopId: '1', capturedAt: '2026-11-20T11:40:00.000Z' },
  ]);
  await until(again.status, () => again.canSignOut());
  // The stop is not on the host yet. A report does not count as unhosted, because the server never confirms its hosting.
  expect(again.status.current.unhosted).toEqual({ 1001: 1 });
  server.host();
  await until(again.status, () => again.dayComplete());
});

test('an invalid report is refused at once, and nothing is stored', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  const refused = () => recordLoadReport(client, { ...report, loadId: '', sections: [{ key: 'stacking', rating: 6 }] });
  expect(refused).toThrow(InvalidChange);
  expect(refused).toThrow('loadId must not be blank; sections.0.rating must not exceed 5');
  expect(client.status.current.pending).toEqual({});
});

test('a form checks a report at its fields without recording it', async () => {
  const server = await startScriptedServer();
  const client = await new Device(server.url).startSignedIn();
  expect(() => checkLoadReport(report)).not.toThrow();
  const reason = 'leans '.repeat(20);
  const faults = () => checkLoadReport({ ...report, sections: [{ key: 'stacking', rating: 2, reason }] });
  expect(faults).toThrow(new InvalidChange([{ path: 'sections.0.reason', message: 'must not exceed 100 characters' }]));
  expect(client.status.current.pending).toEqual({});
});
