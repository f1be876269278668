import type { Stamp, StopResult } from '@tailgate/sync-protocol';
import { hostLengths, hostText, officeSource } from '@tailgate/sync-protocol';
import type { HostMoment } from '../host/files/local-time.ts';
import type { ServicePart } from '../host/files/tables.ts';
import { arrivalTime, eventTime, isTakenOver, readableInstant, statusTime, statusWriter } from './event-time.ts';
import { unchangedRow, type StopOnHost, type RecordedStop, type StopRows } from './host-stop.ts';
import { lineRows, linePhotoRows } from './line-rows.ts';
import { osdRows, overagePhotoRows } from './osd-rows.ts';
import { mergeOver } from './confirmed-rows.ts';

/** The stop is untouched, so the host needs no rows. */
export function isUntouched(result: StopResult): boolean {
  return result.status === 'P' && !result.arrived && !result.updates && !result.products && !result.collections;
}

/**
 * Every service-owned column of a stop as it is now. A row equal to the confirmed one is that same object, its sequence
 * included. Rows of removed entries stay, blank or flagged, because host programs may use them. The writer sets RUTRC.
 */
export function hostRows(stop: RecordedStop, shadow?: StopOnHost): StopRows {
  const { sequence, fit = unchangedRow } = stop;
  const osd = osdRows(stop, shadow?.rows.RTOSDP ?? [], shadow?.credited ?? new Set());
  const emails = emailRows(stop);
  const lines = lineRows(stop).map((row) => fit('RTPRUP', row));
  const photos = [...linePhotoRows(stop), ...overagePhotoRows(stop, osd)].map((row) => fit('RTIMGP', row));
  return {
    RTSTPP: mergeOver([fit('RTSTPP', stopRow(stop))], shadow?.rows.RTSTPP, { key: ['RSSTP'] }),
    RTPRUP: mergeOver(lines, shadow?.rows.RTPRUP, {
      key: ['RQINV', 'RQITM', 'RQLIN', 'RQTYP'],
      sequence: { column: 'RQRPSQ', value: sequence },
    }),
    RTOSDP: osd,
    RTIMGP: mergeOver(photos, shadow?.rows.RTIMGP, {
      key: ['RIQTYP', 'RIINV', 'RIITM', 'RILIN', 'RISEQ'],
      emptied: (row) => ({ ...row, RIASS: '' }),
    }),
    RTEMLP: mergeOver(
      emails.rows.map((row) => fit('RTEMLP', row)),
      shadow?.rows.RTEMLP,
      {
        key: ['REMSEQ'],
        emptied: (row) => ({ ...row, REMADR: '' }),
      },
    ),
    RTSTUP: [fit('RTSTUP', resultRow(stop, { emailAltered: emails.altered, before: shadow?.rows.RTSTUP[0] }))],
  };
}

function stopRow({ key, stop, result }: RecordedStop): ServicePart<'RTSTPP'> {
  return {
    RSFAC: key.facility,
    RSRTE: key.id,
    RSWKE: `${Number(key.week_end)}`,
    RSSTP: `${stop}`,
    RSSTS: result.status,
    RSARVF: result.arrived ? 'Y' : 'N',
  };
}

/** The driver who skipped or refused. If the mirror took the status over from the host, the row alone has the number. */
function recorderOf(writer: Stamp | undefined, before: ServicePart<'RTSTUP'> | undefined): string | undefined {
  if (writer && isTakenOver(writer)) return before?.RUDRV;
  return writer?.client === officeSource ? undefined : writer?.by;
}

function resultRow(
  { key, stop, result, sequence, moment }: RecordedStop,
  { emailAltered, before }: { readonly emailAltered: boolean; readonly before: ServicePart<'RTSTUP'> | undefined },
): ServicePart<'RTSTUP'> {
  const updates = result.updates ?? {};
  const { status } = result;
  const event = eventTime(result);
  const on = (time: string | Date | null | undefined): HostMoment => (time ? moment(new Date(time)) : never);
  const started = on(updates.start_delivery_time);
  const isSkipped = status === 'S' || status === 'R';
  const ended = on(updates.end_delivery_time ?? (status === 'D' || status === 'C' ? statusTime(result) : null));
  const skipped = on(readableInstant(updates.skip_refuse_timestamp) ?? (isSkipped ? statusTime(result) : null));
  const arrival = arrivalTime(result);
  const arrived = arrival === 'unknown' ? { date: before?.RUARDT ?? '0', time: before?.RUARTM ?? '0' } : on(arrival);
  const skipper = isSkipped ? recorderOf(statusWriter(result), before) : undefined;
  const texts = {
    RUFLWC: hostText(updates.followup_reason_code, 3),
    RUDRV: hostText(updates.delivered_by_driver_id ?? skipper, 10),
    RUSEMP: hostText(updates.store_emp_id, 10),
    RUSNAM: hostText(updates.store_emp_name, hostLengths.store_emp_name),
    RUCMT: hostText(updates.driver_comments, hostLengths.driver_comments),
    RUSKRC: hostText(updates.skip_refuse_reason_code, 3),
    RUSKCM: hostText(updates.skip_refuse_driver_comment, hostLengths.skip_refuse_driver_comment),
  };
  const altered = emailAltered || Object.values(texts).some((text) => text.altered);
  const followUp = updates.followup ?? Boolean(updates.followup_reason_code?.trim());
  return {
    RUFAC: key.facility,
    RURTE: key.id,
    RUWKE: `${Number(key.week_end)}`,
    RUSTP: `${stop}`,
    RUSTS: status,
    RUFLWC: texts.RUFLWC.text,
    RUFLWF: followUp ? 'Y' : 'N',
    RUSDT: started.date,
    RUSTM: started.time,
    RUEDT: ended.date,
    RUETM: ended.time,
    RUUTC: event?.toISOString() ?? '',
    RULAT: degrees(updates.delivery_latitude),
    RULON: degrees(updates.delivery_longitude),
    RUDRV: texts.RUDRV.text,
    RUSEMP: texts.RUSEMP.text,
    RUSNAM: texts.RUSNAM.text,
    RUCMT: texts.RUCMT.text,
    RUCMTL: altered ? 'Y' : 'N',
    RUSKRC: texts.RUSKRC.text,
    RUSKDT: skipped.date,
    RUSKTM: skipped.time,
    RUSKCM: texts.RUSKCM.text,
    RUSIG: updates.signature_id ?? '',
    RURPSQ: sequence,
    RUTRC: '',
    RUARDT: arrived.date,
    RUARTM: arrived.time,
  };
}

function emailRows({ key, stop, result }: RecordedStop): { rows: ServicePart<'RTEMLP'>[]; altered: boolean } {
  const addresses = (result.updates?.osd_emails ?? []).map((address) => hostText(address, 254));
  const rows = addresses.map(({ text }, index): ServicePart<'RTEMLP'> => ({
    REFAC: key.facility,
    RERTE: key.id,
    REWKE: `${Number(key.week_end)}`,
    RESTP: `${stop}`,
    REMSEQ: `${index + 1}`,
    REMADR: text,
  }));
  // RTEMLP has no text flag of its own.
  return { rows, altered: addresses.some((address) => address.altered) };
}

/** Zeros: no event. */
const never: HostMoment = { date: '0', time: '0' };

function degrees(text: string | null | undefined): `${number}` {
  const fixed = Number(text ?? 0).toFixed(6);
  if (!isNumber(fixed)) throw new RangeError(`${fixed} is no coordinate`);
  return fixed;
}

function isNumber(text: string): text is `${number}` {
  return /^-?\d+\.\d{6}$/.test(text);
}
