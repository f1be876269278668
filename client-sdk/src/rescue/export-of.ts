// Types only: a client loads this module on demand, and it must not pull the core in with it.
import type { Queue } from '../queue/queue.ts';
import type { ExportedQueue } from './exported-queue.ts';

/** Seals and exports the waiting changes of queues; queues without any are left out. */
export async function exportOf(queues: Iterable<Queue>, now: number): Promise<ExportedQueue[]> {
  const exported: ExportedQueue[] = [];
  for (const queue of queues) {
    const batch = await queue.takeBatch(0, Infinity, Infinity);
    if (batch.length === 0) continue;
    const { client_id, employee, queue_key, sealed_seq, sealed_link } = queue.head;
    exported.push({
      format: 'tailgate-queue/1',
      client_id,
      employee_id: employee,
      queue_key,
      exported_at: new Date(now).toISOString(),
      sealed_seq,
      sealed_link,
      mutations: batch.map(({ mutation }) => mutation),
    });
  }
  return exported;
}
