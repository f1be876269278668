import { storedMutation } from '../queue/item.ts';
import type { Read } from '../platform/reading.ts';
import { exactly, fields, listOf, nullable, number, text } from '../platform/reading.ts';

/** Whether a value is a queue that `exportQueues` has made, such as one from JSON. */
export const isExportedQueue = fields({
  format: exactly('tailgate-queue/1'),
  client_id: text,
  employee_id: text,
  /** Grants pushes to this queue: treat the export as a secret. Null where no server has issued one. */
  queue_key: nullable(text),
  exported_at: text,
  sealed_seq: number,
  sealed_link: nullable(text),
  mutations: listOf(storedMutation),
});

/** A driver's unsent changes of a phone, as JSON: author, times and chain as recorded. */
export type ExportedQueue = Read<typeof isExportedQueue>;
