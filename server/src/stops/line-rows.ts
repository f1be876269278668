import type { LineResult } from '@tailgate/sync-protocol';
import { withoutFill } from '@tailgate/sync-protocol';
import type { ServicePart } from '../host/files/tables.ts';
import type { RecordedStop } from './host-stop.ts';

type LineType = 'P' | 'C';

/**
 * RTPRUP: one row for each line that a driver touched, planned or not. `open`, `open_action`, `item_name` and the
 * action's quantity stay in the mirror (contract §4), so RQOPNF stays blank. Keys keep their spelling (`storable-keys.ts`).
 */
export function lineRows({ key, stop, result, sequence }: RecordedStop): ServicePart<'RTPRUP'>[] {
  return touchedLines(result).map(([type, line]) => ({
    RQFAC: key.facility,
    RQRTE: key.id,
    RQWKE: `${Number(key.week_end)}`,
    RQSTP: `${stop}`,
    RQINV: withoutFill(line.invoice),
    RQITM: withoutFill(line.id),
    RQLIN: `${line.n + 1}`,
    RQTYP: type,
    RQDLV: `${line.delivered ?? 0}`,
    RQRTN: `${line.returned ?? 0}`,
    RQPAL: `${line.delivered_pallets ?? 0}`,
    RQACCF: line.accounting_complete ? 'Y' : 'N',
    RQACTD: `${line.action_delivered ?? 0}`,
    RQIMG: line.image_ids?.[0] ?? '',
    RQIMGN: `${line.image_ids?.length ?? 0}`,
    RQOPNF: '',
    RQRPSQ: sequence,
  }));
}

/** RTIMGP: every photo of a line, in the driver's order. */
export function linePhotoRows({ key, stop, result }: RecordedStop): ServicePart<'RTIMGP'>[] {
  return touchedLines(result).flatMap(([type, line]) =>
    (line.image_ids ?? []).map((asset, index) => ({
      RIFAC: key.facility,
      RIRTE: key.id,
      RIWKE: `${Number(key.week_end)}` as const,
      RISTP: `${stop}` as const,
      RIQTYP: type,
      RIINV: withoutFill(line.invoice),
      RIITM: withoutFill(line.id),
      RILIN: `${line.n + 1}` as const,
      RISEQ: `${index + 1}` as const,
      RIASS: asset,
    })),
  );
}

export function touchedLines({ products = {}, collections = {} }: RecordedStop['result']): [LineType, LineResult][] {
  return [
    ...Object.values(products).map((line): [LineType, LineResult] => ['P', line]),
    ...Object.values(collections).map((line): [LineType, LineResult] => ['C', line]),
  ];
}
