import type { Customer, PlanCollection, PlanProduct, StopPlan } from '@tailgate/sync-protocol';
import type { RouteRows } from '../host/reads/reads.ts';
import type { HostRecord } from '../host/files/tables.ts';

/** Builds plans from host rows: the part of a route's stops that the host owns, as phones and rules see it. Pure. */
export function plansFromHost(rows: RouteRows): StopPlan[] {
  const customers = new Map(rows.customers.map((row) => [row.CMCUS, row]));
  const reps = new Map(rows.reps.map((row) => [row.SRID, row]));
  const items = new Map(rows.items.map((row) => [row.ICITM, row]));
  const products = byStop(rows.products, ({ RPSTP }) => RPSTP);
  const collections = byStop(rows.collections, ({ RCSTP }) => RCSTP);
  const invoices = byStop(rows.invoices, ({ IHSTP }) => IHSTP);
  return rows.stops.map((row) => {
    const customer = customers.get(row.RSCUS);
    return {
      id: Number(row.RSSTP),
      type: typeOf(row),
      sequence: Number(row.RSSEQ),
      eta: Number(row.RSETA) === 0 ? '' : row.RSETA.padStart(6, '0'),
      customer: customerOf(row.RSCUS, customer, reps.get(customer?.CMSLR ?? '')),
      invoices: (invoices.get(row.RSSTP) ?? []).map(({ IHINV, IHDAT }) => ({ id: IHINV, date: isoDay(IHDAT) })),
      products: (products.get(row.RSSTP) ?? []).map((line) => productOf(line, items.get(line.RPITM))),
      collections: (collections.get(row.RSSTP) ?? []).map((line) => collectionOf(line, items.get(line.RCITM))),
    };
  });
}

function typeOf({ RSTYP, RSSTP }: HostRecord<'RTSTPP'>): StopPlan['type'] {
  if (RSTYP === 'W' || Number(RSSTP) === 999) return 'warehouse';
  return RSTYP === 'B' ? 'backhaul' : 'delivery';
}

/** An unknown customer gets its number as name. */
function customerOf(
  id: string,
  row: HostRecord<'CUSMSP'> | undefined,
  rep: HostRecord<'SLSREPP'> | undefined,
): Customer {
  const placed = row !== undefined && (Number(row.CMLAT) !== 0 || Number(row.CMLON) !== 0);
  return {
    id,
    name: row?.CMNAM ?? '',
    verify_returns: row?.CMVRTF === 'Y',
    contact: {
      phone: row?.CMPHN ?? '',
      email: row?.CMEML ?? '',
      contact_email: row?.CMCEML ?? '',
      salesrep: { id: row?.CMSLR ?? '', name: rep?.SRNAM ?? '', phone: rep?.SRPHN ?? '' },
    },
    location: {
      address: row === undefined ? [] : [row.CMAD1, row.CMAD2, row.CMAD3].filter((line) => line !== ''),
      city: row?.CMCTY ?? '',
      state: row?.CMST ?? '',
      zip: row?.CMZIP ?? '',
      // The host writes two zeros for an unknown position.
      coordinates: { latitude: placed ? row.CMLAT : '', longitude: placed ? row.CMLON : '' },
    },
  };
}

function productOf(line: HostRecord<'RTPRDP'>, item: HostRecord<'ITCOLP'> | undefined): PlanProduct {
  return {
    id: line.RPITM,
    name: line.RPNAM,
    description: line.RPDSC,
    invoice: line.RPINV,
    quantity: Number(line.RPQTY),
    box_upc: line.RPBUPC,
    item_upc: line.RPIUPC,
    section: line.RPSEC,
    container_type: line.RPCTYP,
    trailer_area: line.RPTARE,
    ...settingsOf(item),
    action_type: line.RPACT,
  };
}

function collectionOf(line: HostRecord<'RTCOLP'>, item: HostRecord<'ITCOLP'> | undefined): PlanCollection {
  return {
    id: line.RCITM,
    name: item?.ICNAM ?? '',
    description: item?.ICDSC ?? '',
    invoice: line.RCINV,
    quantity: Number(line.RCQTY),
    section: item?.ICSEC ?? '',
    container_type: item?.ICCTYP ?? '',
    ...settingsOf(item),
  };
}

function settingsOf(item: HostRecord<'ITCOLP'> | undefined) {
  return { required: item?.ICREQF === 'Y', count_in_totes: item?.ICTOTF === 'Y', add_photos: item?.ICPHOF === 'Y' };
}

/** `20261121` as `2026-11-21`; 0 as blank. */
function isoDay(date: string): string {
  return Number(date) === 0 ? '' : `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
}

function byStop<Row>(rows: readonly Row[], stopOf: (row: Row) => string): Map<string, Row[]> {
  return Map.groupBy(rows, stopOf);
}
