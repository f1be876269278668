import type {
  AssignedRoute,
  FeedDocument,
  ReferenceCode,
  RouteHeader,
  RouteKey,
  StopPlan,
} from '@tailgate/sync-protocol';
import { headerDocument, planDocument, resultDocument, routeScope } from '@tailgate/sync-protocol';

/** The scripted server's one route, unless it has documents of its own. */
export const sampleKey: RouteKey = { facility: 'F01', id: 'R100', week_end: '20261128' };
/** Its scope in the feed. */
export const sampleScope = routeScope(sampleKey);

/** A stop in the host's plan, with this many lines. */
function samplePlan(id: number, lines = 3): StopPlan {
  return {
    id,
    type: id === 999 ? 'warehouse' : 'delivery',
    sequence: id,
    eta: '',
    customer: {
      id: `C${id}`,
      name: `Customer ${id}`,
      verify_returns: false,
      contact: { phone: '', email: '', contact_email: '', salesrep: { id: '', name: '', phone: '' } },
      location: { address: [], city: '', state: '', zip: '', coordinates: { latitude: '', longitude: '' } },
    },
    invoices: [{ id: 'INV1', date: '2026-11-20' }],
    products: Array.from({ length: lines }, (_, i) => ({
      id: `ITEM${i + 1}`,
      name: `Item ${i + 1}`,
      description: '',
      invoice: 'INV1',
      quantity: 10,
      box_upc: '',
      item_upc: '',
      section: '',
      container_type: '',
      trailer_area: '',
      required: false,
      count_in_totes: false,
      add_photos: false,
      action_type: '',
    })),
    collections: [],
  };
}

function sampleHeader(drivers: readonly string[], key: RouteKey = sampleKey): RouteHeader {
  return {
    ...key,
    name: `Route ${key.id}`,
    status: 'O',
    arrived: false,
    closed_at: null,
    closed_by: null,
    withdrawn: false,
    autoclose_at: null,
    forceclose_at: null,
    drivers: drivers.map((id) => ({ id, name: `Driver ${id}`, type: 'D' })),
  };
}

/** The documents of a fresh sample route, all at version 1. */
export const sampleDocuments = (stops: readonly number[], drivers: readonly string[], lines = 3): FeedDocument[] =>
  routeDocuments(
    sampleHeader(drivers),
    stops.map((stop) => samplePlan(stop, lines)),
  );

/** The documents of a route at its start, all at version 1: the option `documents` of a scripted server. */
export const routeDocuments = (header: RouteHeader, plans: readonly StopPlan[]): FeedDocument[] => [
  { key: headerDocument, version: 1, value: { ...header } },
  ...plans.flatMap((plan) => [
    { key: planDocument(plan.id), version: 1, value: { ...plan } },
    { key: resultDocument(plan.id), version: 1, value: { status: 'P' } },
  ]),
];

/** The documents of code lists, for `codes` of a scripted server. */
export const codeDocuments = (codes: readonly ReferenceCode[]): FeedDocument[] =>
  codes.map((code) => ({ key: `code/${code.type}/${code.code}`, version: 1, value: { ...code } }));

/** A route in the form of `welcome`. */
export const assigned = (key: RouteKey = sampleKey): AssignedRoute => ({ ...key, scope: routeScope(key), status: 'O' });
