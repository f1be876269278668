import type { LoadConditionReport } from '@tailgate/sync-protocol';
import { hostText, withoutFill } from '@tailgate/sync-protocol';
import type { HostMoment } from '../host/files/local-time.ts';
import type { ServicePart } from '../host/files/tables.ts';

export interface HostReport {
  readonly report: LoadConditionReport;
  /** From 1. */
  readonly revision: number;
  /** The clock of the driver's facility. */
  readonly moment: (instant: Date) => HostMoment;
}

export interface ReportRows {
  readonly LCRHDP: ServicePart<'LCRHDP'>;
  /** In the order of the report. Further rows of an earlier revision no longer belong to it. */
  readonly LCRSCP: readonly ServicePart<'LCRSCP'>[];
}

/** LHREV has three digits; a higher revision shows as the highest. */
const lastRevision = 999;

/** A load condition report on the host: its latest revision. */
export function reportRows({ report, revision, moment }: HostReport): ReportRows {
  const { date, time } = moment(new Date(report.capturedAt));
  // Keys keep their spelling: two reports, loads or drivers must not become one. Keys with a character that the host lacks are parked.
  const id = withoutFill(report.reportId);
  return {
    LCRHDP: {
      LHRPT: id,
      LHLOD: withoutFill(report.loadId),
      LHSTP: withoutFill(report.stopId),
      LHDRV: withoutFill(report.driverId),
      LHUTC: report.capturedAt,
      LHDAT: date,
      LHTIM: time,
      LHREV: `${Math.min(revision, lastRevision)}`,
    },
    LCRSCP: report.sections.map(({ key, rating, reason, comment, photos_id }, index) => {
      const texts = [hostText(reason, 100), hostText(comment, 256)] as const;
      return {
        LSRPT: id,
        LSSEQ: `${index + 1}`,
        LSKEY: withoutFill(key),
        LSRAT: `${rating}`,
        LSRSN: texts[0].text,
        LSCMT: texts[1].text,
        LSTXTL: texts.some(({ altered }) => altered) ? 'Y' : 'N',
        LSPHO: hostText(photos_id, 16).text,
      };
    }),
  };
}
