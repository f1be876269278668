import type { LocalRoute } from '@tailgate/client-sdk';
import { useClient, useDriver } from '@tailgate/client-sdk/react';
import { checkLoadReport, recordLoadReport } from '@tailgate/client-sdk/reports';
import { faultsOf } from './model/faults.ts';
import type { ReportKind } from './model/load-report.ts';
import { isUnsaved, listed, reportOf, withReceipt } from './model/load-report.ts';
import { useReports } from './report-draft.ts';

export interface SaveReport {
  /** The SDK's messages for fields of a section, such as `stacking.reason`. */
  readonly faults: ReadonlyMap<string, string>;
  /** Records the report where it has unsaved ratings and no fault. @returns false while a field is at fault */
  readonly save: () => boolean;
}

/** The way to record one of the two reports. */
export function useSaveReport(route: LocalRoute, kind: ReportKind): SaveReport {
  const client = useClient();
  const driver = useDriver()?.employeeId ?? '';
  const [reports, change] = useReports();
  const report = reports[kind];
  const whole = reportOf(route, driver, kind, report, Date.now());
  const keys = listed(report);
  const faults = new Map(
    [...faultsOf(() => checkLoadReport(whole))].map(([path, message]) => [
      path.replace(/^sections\.(\d+)/, (_, place: string) => keys[Number(place)] ?? place),
      message,
    ]),
  );
  return {
    faults,
    save() {
      if (faults.size > 0) return false;
      if (isUnsaved(report)) {
        const receipt = recordLoadReport(client, whole);
        change((before) => withReceipt(before, kind, receipt.id));
      }
      return true;
    },
  };
}
