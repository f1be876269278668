import { useDraft } from '@tailgate/client-sdk/react';
import { useMemo } from 'react';
import type { Reports } from './model/load-report.ts';
import { reportsOf, storedReports } from './model/load-report.ts';

/** The load condition reports of the driver's route, and the way to change them. The SDK keeps the form; a kill loses nothing. */
export function useReports(): readonly [Reports, (change: (before: Reports) => Reports) => void] {
  const [stored, set] = useDraft(undefined);
  const reports = useMemo(() => reportsOf(stored), [stored]);
  return [reports, (change) => void set(storedReports(change(reports)))];
}
