import { errorCodes } from '@tailgate/sync-protocol';

/** The reason for a sender (contract §1). The words of what failed on our side are for the quarantine and the log alone. */
export const shownReason = ({ code, reason }: { readonly code: string; readonly reason: string }): string =>
  code === 'INTERNAL' ? errorCodes.INTERNAL.meaning : reason;
