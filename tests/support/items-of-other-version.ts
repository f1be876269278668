import * as z from 'zod/mini';
import type { FieldPhone } from './field-phone.ts';
import { mutationId } from './sealing.ts';

const queueHead = z.object({ client_id: z.string(), employee: z.string() });

/**
 * Writes changes into the storage as an app of another version has left them: rows in the form of version 1 of the
 * storage, which every later app has to read.
 */
export async function writeItemsOfOtherVersion(phone: FieldPhone, mutations: readonly object[]): Promise<string[]> {
  const [row] = await phone.rows('queue');
  const { client_id, employee } = queueHead.parse(row?.value);
  const items = mutations.map((mutation, n) => {
    const at = Date.now() + n;
    const clocks = { captured_at: new Date(at).toISOString(), boot_id: 'of the other app', monotonic_ms: n };
    return {
      client_id,
      employee,
      form: 'open',
      edit_time: at,
      mutation: { id: mutationId(at), seq: n + 1, ...mutation, ...clocks, prev_hash: null },
      progress: { at: 'waiting' },
      of_the_other_app: true,
    };
  });
  await phone.write(
    items.map((value) => ({
      put: 'item' as const,
      key: `${client_id}/${String(value.mutation.seq).padStart(10, '0')}`,
      value,
    })),
  );
  return items.map(({ mutation }) => mutation.id);
}
