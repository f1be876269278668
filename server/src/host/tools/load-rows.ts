import { decimalText } from '../files/fit.ts';
import type { LineFile, LoadFile, RouteFile, StopFile } from './load-file.ts';
import type { HostPart } from '../files/tables.ts';

/** Facilities and employees of a load file as rows of the host. */
export function masterRowsOf({ facilities, employees }: Pick<LoadFile, 'facilities' | 'employees'>) {
  return {
    facilities: facilities.map(({ id, name, time_zone }) => ({ FAFAC: id, FANAM: name, FATZ: time_zone })),
    employees: employees.map(({ id, name, phone, active, facility, job }) => ({
      EMEMP: id,
      EMNAM: name,
      EMPHN: phone,
      EMSTS: active ? 'A' : 'I',
      EMFAC: facility,
      EMJOB: job,
    })),
  };
}

/** A route of a load file as rows of the host. */
export function hostRowsOf(route: RouteFile) {
  const { stops } = route;
  const customers = stops.flatMap(({ customer }) => customer ?? []);
  return {
    header: {
      RHFAC: route.facility,
      RHRTE: route.id,
      RHWKE: decimalText(Number(route.week_end)),
      RHNAM: route.name,
      RHTRLR: route.trailer,
      RHEMLF: route.email_flag ?? 'N',
    },
    drivers: onceBy(route.drivers, ({ id }) => id).map(({ id, type }, index) => ({
      ...prefixed(route).driver,
      RDEMP: id,
      RDTYP: type,
      RDSEQ: decimalText(index + 1),
    })),
    reps: onceBy(
      customers.flatMap(({ contact }) => (contact?.salesrep?.id ? [contact.salesrep] : [])),
      ({ id }) => id,
    ).map(({ id, name, phone }) => ({ SRID: id, SRNAM: name, SRPHN: phone })),
    customers: onceBy(customers, ({ id }) => id).map(customerRow),
    items: itemRows(route),
    stops: stops.map((stop, index) => ({
      ...prefixed(route).stop,
      RSSTP: decimalText(stop.id),
      RSTYP: stopTypes[stop.type ?? (stop.id === 999 ? 'warehouse' : 'delivery')],
      RSCUS: stop.customer?.id ?? '',
      RSSEQ: decimalText(index + 1),
      RSETA: decimalText(Number(stop.eta ?? 0)),
    })),
    invoices: onceBy(
      stops.flatMap((stop) => stop.invoices.map((invoice) => ({ ...invoice, stop }))),
      ({ id }) => id,
    ).map(({ id, date, stop }) => ({
      ...prefixed(route).invoice,
      IHINV: id,
      IHCUS: stop.customer?.id ?? '',
      IHDAT: decimalText(Number(date.replaceAll('-', ''))),
      IHSTP: decimalText(stop.id),
    })),
    products: stops.flatMap((stop) => productRows(route, stop)),
    collections: stops.flatMap((stop) =>
      onceBy(stop.collections, ({ id }) => id).map((line) => ({
        ...prefixed(route).collection,
        RCSTP: decimalText(stop.id),
        RCITM: line.id,
        RCINV: line.invoice,
        RCQTY: decimalText(line.quantity),
      })),
    ),
  };
}

const stopTypes = { delivery: 'D', backhaul: 'B', warehouse: 'W' } as const;

/** The route's key under each file's own prefix. */
function prefixed(route: RouteFile) {
  const { facility, id } = route;
  const week = decimalText(Number(route.week_end));
  return {
    driver: { RDFAC: facility, RDRTE: id, RDWKE: week },
    stop: { RSFAC: facility, RSRTE: id, RSWKE: week },
    product: { RPFAC: facility, RPRTE: id, RPWKE: week },
    collection: { RCFAC: facility, RCRTE: id, RCWKE: week },
    invoice: { IHFAC: facility, IHRTE: id, IHWKE: week },
  };
}

function customerRow(customer: NonNullable<StopFile['customer']>): HostPart<'CUSMSP'> {
  const { contact, location } = customer;
  const [first = '', second = '', third = ''] = location?.address ?? [];
  return {
    CMCUS: customer.id,
    CMNAM: customer.name,
    CMVRTF: yesNo(customer.verify_returns),
    CMPHN: contact?.phone ?? '',
    CMEML: contact?.email ?? '',
    CMCEML: contact?.contact_email ?? '',
    CMSLR: contact?.salesrep?.id ?? '',
    CMAD1: first,
    CMAD2: second,
    CMAD3: third,
    CMCTY: location?.city ?? '',
    CMST: location?.state ?? '',
    CMZIP: location?.zip ?? '',
    CMLAT: decimalText(location?.coordinates?.latitude ?? 0, 6),
    CMLON: decimalText(location?.coordinates?.longitude ?? 0, 6),
  };
}

/** Collection settings: of every collection, and of products that came with any. */
function itemRows(route: RouteFile): HostPart<'ITCOLP'>[] {
  const lines: LineFile[] = route.stops.flatMap(({ collections, products }) => [
    ...collections,
    ...products.filter((line) =>
      [line.required, line.count_in_totes, line.add_photos].some((value) => value !== undefined),
    ),
  ]);
  return onceBy(lines, ({ id }) => id).map((line) => ({
    ICFAC: route.facility,
    ICITM: line.id,
    ICNAM: line.name,
    ICDSC: line.description,
    ICREQF: yesNo(line.required),
    ICTOTF: yesNo(line.count_in_totes),
    ICPHOF: yesNo(line.add_photos),
    ICCTYP: line.container_type,
    ICSEC: line.section,
  }));
}

function productRows(route: RouteFile, stop: StopFile): HostPart<'RTPRDP'>[] {
  const seen = new Map<string, number>();
  return stop.products.map((line) => {
    const key = `${line.invoice}\t${line.id}`;
    const occurrence = (seen.get(key) ?? 0) + 1;
    seen.set(key, occurrence);
    return {
      ...prefixed(route).product,
      RPSTP: decimalText(stop.id),
      RPINV: line.invoice,
      RPITM: line.id,
      RPLIN: decimalText(occurrence),
      RPNAM: line.name,
      RPDSC: line.description,
      RPQTY: decimalText(line.quantity),
      RPBUPC: line.box_upc,
      RPIUPC: line.item_upc,
      RPSEC: line.section,
      RPCTYP: line.container_type,
      RPTARE: line.trailer_area,
      RPACT: line.action?.type ?? '',
    };
  });
}

function yesNo(value: boolean | null | undefined): 'Y' | 'N' {
  return value === true ? 'Y' : 'N';
}

/** The first of each key, in order. */
function onceBy<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items) if (!byKey.has(key(item))) byKey.set(key(item), item);
  return [...byKey.values()];
}
