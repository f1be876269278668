import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import type { StopPlan } from '@tailgate/sync-protocol';
import { resultDocument, stopResult } from '@tailgate/sync-protocol';
import { warehouse } from '../model/order.ts';
import { sampleHelper } from './sample-stops.ts';

/** Deliveries before others change something, too. */
const deliveriesFirst = 3;

/**
 * What other people do on the sample route. After the third delivery a clerk corrects the first delivered stop, and the
 * helper changes the next open one on another phone, just before the driver's delivery of it arrives.
 */
export async function playOthers(server: ScriptedServer, stops: readonly StopPlan[]): Promise<void> {
  const customers = stops.filter(({ id, products }) => id !== warehouse && products.length > 0);
  const isDelivered = ({ id }: StopPlan): boolean => statusOf(server, id) === 'D';
  await server.until(() => customers.filter(isDelivered).length >= deliveriesFirst);
  const corrected = customers.find(isDelivered);
  if (corrected) server.amend(lessOf(corrected), Date.now(), 'MARYB');
  const shared = customers.find(({ id }) => statusOf(server, id) === 'P');
  if (shared) server.overtake(lessOf(shared), sampleHelper.id);
}

const statusOf = ({ ledger }: ScriptedServer, stop: number): string | undefined =>
  stopResult.safeParse(ledger.documents.get(resultDocument(stop))?.value).data?.status;

/** One less of the first line. */
const lessOf = ({ id, products }: StopPlan) => ({
  id,
  products: products
    .slice(0, 1)
    .map((line) => ({ id: line.id, invoice: line.invoice, updates: { delivered: line.quantity - 1 } })),
});
