import type { Client, LocalStop } from '@tailgate/client-sdk';
import { driverMemo } from '@tailgate/client-sdk';
import { withSigner } from './model/signers.ts';

/** Keeps the name of a person who has signed for the next visits of this driver. */
export function rememberSigner(client: Client, { customer }: LocalStop, name: string): void {
  if (name.trim() === '') return;
  const memo = driverMemo(client);
  void memo.set(withSigner(memo.current, customer.id, name.trim(), Date.now()));
}
