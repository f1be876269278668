import type { StopResult } from '@tailgate/sync-protocol';

/** The parts that a proof of a delivery has. */
export const proofParts = ['delivery', 'receiver', 'signature', 'files'] as const;
export type MissingPart = (typeof proofParts)[number];

/** The parts that the proof of a stop lacks. @param areFilesHere whether every named file has its bytes */
export function missingParts({ status, updates = {} }: StopResult, areFilesHere: boolean): MissingPart[] {
  const isMissing: Record<MissingPart, boolean> = {
    delivery: status !== 'D',
    receiver: !updates.store_emp_name && !updates.store_emp_id,
    signature: !updates.signature_id,
    files: !areFilesHere,
  };
  return proofParts.filter((part) => isMissing[part]);
}
