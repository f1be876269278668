import { nothing, operation, queryNumberOr, word } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { employeeName, mutationWords, ofOperators, routeWords, stopWords, tagged } from '../contract.ts';
import { stopSummary, stopSummaryWords } from '../routes/contract.ts';

// Operators' contract: one field that finds everything.

/** Query of GET /api/ops/search. */
const searchQuery = z.object({
  q: z.pipe(
    word(80),
    z.pipe(
      z.transform((text: string) => text.trim()),
      z.string().check(z.minLength(2, 'must have at least 2 characters')),
    ),
  ),
  /** Of each kind. */
  limit: queryNumberOr(20, 1, 50),
});
export type SearchQuery = z.infer<typeof searchQuery>;

const foundStop = z.strictObject({
  ...stopSummary.shape,
  matched: z.enum(['stop', 'customer', 'invoice', 'trace']),
});
export type FoundStop = z.infer<typeof foundStop>;

const foundRoute = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  name: z.string(),
  dispatched_on: z.string(),
  status: z.enum(['O', 'C']),
});

const foundCustomer = z.strictObject({
  facility: z.string(),
  customer: z.string(),
  name: z.string(),
  street: z.string(),
  city: z.string(),
  phone: z.string(),
  stops: z.int(),
});

const foundDriver = z.strictObject({
  employee: z.string(),
  name: z.string(),
  facility: z.string(),
  active: z.boolean(),
});

const foundFile = z.strictObject({
  asset_id: z.string(),
  state: z.enum(['awaited', 'here', 'missing']),
  name: z.string(),
  mime: z.string(),
  size: z.int(),
  received_at: z.nullable(z.iso.datetime()),
});
export type FoundFile = z.infer<typeof foundFile>;

const foundMutation = z.strictObject({
  id: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.nullable(z.int()),
  employee: z.string(),
  employee_name: z.string(),
  received_at: z.iso.datetime(),
  /** Null where the ledger has it. */
  quarantine_id: z.nullable(z.string()),
});
export type FoundMutation = z.infer<typeof foundMutation>;

const searchKinds = ['stops', 'routes', 'customers', 'drivers', 'files', 'mutations'] as const;

export const searchAnswer = z.strictObject({
  stops: z.array(foundStop),
  routes: z.array(foundRoute),
  customers: z.array(foundCustomer),
  drivers: z.array(foundDriver),
  files: z.array(foundFile),
  mutations: z.array(foundMutation),
  more: z.array(z.enum(searchKinds)),
});
export type SearchAnswer = z.infer<typeof searchAnswer>;

export const searchOperations = {
  search: operation({
    ...tagged,
    ...ofOperators,
    role: 'look',
    method: 'GET',
    path: '/ops/search',
    summary:
      'Finds stops, routes, customers, drivers, files and changes by one text: the beginning of an id, or words of a name.',
    message: 'Found',
    body: nothing,
    query: searchQuery,
    data: searchAnswer,
    errors: [],
  }),
} as const;

export const searchSchemas = [
  described('SearchQuery', searchQuery, 'What to find.', {
    q: '2 to 80 characters: a route, `R100 6` for a stop, an invoice, a trace id, the id of a file, a change or a driver, or words of a customer’s name or address.',
    limit: 'Entries of each kind, 1 to 50; 20 by default.',
  }),
  described('SearchAnswer', searchAnswer, 'What was found, the latest first.', {
    stops:
      'By stop key, customer, invoice or trace id; by the beginning of an invoice, of 6 characters or more, where it is no whole one.',
    routes: 'By the beginning of the route id.',
    customers: 'By the number, or by words of name, street and city.',
    drivers: 'By the employee id, or by words of the name.',
    files: 'By the asset id.',
    mutations: 'By the id of a change, in the ledger or in quarantine.',
    more: 'Kinds with further entries, or for which the text matches too many.',
  }),
  described('FoundStop', foundStop, 'A stop that was found.', {
    ...stopSummaryWords,
    matched: 'Why it was found.',
  }),
  described('FoundRoute', foundRoute, 'A route that was found.', {
    ...routeWords,
    name: 'Display name.',
    dispatched_on: 'Day of the dispatch, YYYYMMDD.',
    status: '`O` open, `C` closed.',
  }),
  described('FoundCustomer', foundCustomer, 'A customer that was found.', {
    facility: 'The facility that delivers.',
    customer: 'Customer number.',
    name: 'Display name.',
    street: 'First line of the address.',
    city: 'City.',
    phone: 'Telephone; blank if unknown.',
    stops: 'Number of its stops whose week ended within 30 days or is still to end.',
  }),
  described('FoundDriver', foundDriver, 'An employee who was found.', {
    employee: 'Employee id.',
    name: 'Display name.',
    facility: 'Their facility.',
    active: 'Whether the employee master has them as active.',
  }),
  described('FoundFile', foundFile, 'A file that was found.', {
    asset_id: 'Names the file: `GET /api/ops/assets/{asset_id}`.',
    state: '`awaited`: its bytes are still to come. `missing`: they have not come for a day.',
    name: 'Its name on the phone; blank without one.',
    mime: 'Its type; blank until the bytes arrive.',
    size: 'Bytes.',
    received_at: 'When all of them were here, UTC.',
  }),
  described('FoundMutation', foundMutation, 'A change that was found.', {
    ...stopWords,
    id: mutationWords.id,
    stop_id: 'The stop; null where it is of no stop.',
    employee: 'The author.',
    employee_name: employeeName,
    received_at: 'When the server received it, UTC.',
    quarantine_id: 'Its entry of quarantine; null where the ledger has the change.',
  }),
];
