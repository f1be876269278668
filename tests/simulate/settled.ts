import type { ReceiptState } from '@tailgate/client-sdk';

/**
 * Whether a change is settled: on the host, with every file that its stop names. A phone that may not follow the route
 * gets only `accepted`, and a report has no further step.
 */
export function isDone(
  receipt: ReceiptState | undefined,
  { isSignedIn, isFollowing }: { readonly isSignedIn: boolean; readonly isFollowing: boolean },
): boolean {
  // Without a session a phone learns of a decision when its driver signs in.
  if (receipt?.at === 'quarantined') return !isSignedIn || receipt.dismissed !== undefined;
  if (!isFollowing) return receipt?.at === 'accepted' || receipt?.at === 'on_host';
  return receipt?.at === 'on_host' && receipt.evidence === 'complete';
}
