import { Counter, type Registry } from 'prom-client';
import type { DeliveryOutcome } from '../mutations/jobs/deliveries.ts';

const outcomes: readonly DeliveryOutcome[] = ['sent', 'deferred', 'given_up'];

/** Figures of mails and messages, and of uploaded files. */
export function countDeliveries(registry: Registry) {
  const counter = (name: string, help: string) => {
    const tries = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
    for (const outcome of outcomes) tries.inc({ outcome }, 0);
    return (outcome: DeliveryOutcome) => tries.inc({ outcome });
  };
  const bytes = new Counter({
    name: 'tailgate_asset_bytes_total',
    help: 'Bytes of photos, signatures and other files that are here, durable',
    registers: [registry],
  });
  return {
    mail: counter('tailgate_mails_total', 'Tries to send a delivery mail, by outcome'),
    textMessage: counter('tailgate_text_messages_total', 'Tries to send a text message, by outcome'),
    fileArrived: (size: number) => bytes.inc(size),
  };
}
