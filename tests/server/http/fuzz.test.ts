import type { OperationName } from '../../../server/src/http/operations.ts';
import { operations } from '../../../server/src/http/operations.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, statusOf, success } from '../../support/envelope.ts';
import { LazyHostCatalog } from '../../../server/src/replication/host-catalog.ts';
import { openStandIn } from '../../../server/src/host/connection/postgres.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { brokenBytes } from '../../support/fuzz/json-values.ts';
import type { FuzzRequest } from '../../support/fuzz/requests.ts';
import { fuzzedOperations, fuzzRequests } from '../../support/fuzz/requests.ts';
import type { WireAnswer } from '../../support/fuzz/wire.ts';
import { bytesOf, Wire } from '../../support/fuzz/wire.ts';
import { addStops, insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, password, signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';
import { storeFiles } from '../../support/uploads.ts';

// `FUZZ_SEED=… FUZZ_REQUESTS=20 npx vitest run tests/server/http/fuzz.test.ts` repeats the requests of a failure.
const { FUZZ_SEED: givenSeed, FUZZ_REQUESTS: givenRequests } = process.env;
const requests = Number(givenRequests ?? 2_000);
const seed = Number(givenSeed ?? Math.floor(Math.random() * 2 ** 31));
/** So many more go to the operations that no request has reached. */
const directed = 2_000;
/** The size of a burst: more than the server has connections to its database. */
const burst = 20;
/** The number of malformed byte streams in a burst. */
const broken = 2;

const key = { facility: 'F01', id: 'R100', weekEnd: '20261121' };
let server: RestServer;
let wire: Wire;
let driver: Signed;
/**
 * Drivers whose requests break in the middle: their complete requests may be carried out after the connection has
 * ended.
 */
let fuzzed: Signed;
let signedOut: Signed;
let asset: string;
let parked: string;
/** Why the host refuses rows that only acts on a whole cause concern. */
let refusedCause: string;
let hold: string;
let legalHold: string;
let invitation: string;
/** Links to evidence: one is to be revoked, the other to be taken. */
let links: { link_id: string; secret: string }[];
/** Quarantined entries that can be released, and ones that cannot. */
let kept: readonly string[];
let device: string;
let incident: string;
/** Operators may unregister them: no request uses their names. */
const expendable = '1102';

beforeAll(async () => {
  // The server closes an unfinished request soon: a broken request often is one.
  const timeouts = { headersMs: 1_000, requestMs: 2_000, checkMs: 100 };
  const database = await createDatabase();
  const hostCatalog = new LazyHostCatalog(() =>
    openStandIn({ url: database.url, library: 'PODDTA', log: recordedLog(), program: 'TAILGATE' }),
  );
  atFileEnd(() => hostCatalog.close());
  server = await startRestServer({ database, hostCatalog, timeouts });
  wire = new Wire(server.client.url);
  const stops = [plan(1), plan(2), plan(999, 0)];
  const others = { ...key, id: 'R200', drivers: ['1003'], stops };
  const clumsyRoute = { ...key, id: 'R400', drivers: ['1004'], stops };
  await insertRoutes(server.database.pool, [{ ...key, drivers: ['1001'], stops }, others, clumsyRoute]);
  await server.database.pool.query(`update stop_result set doc = '{"status":"D"}', status = 'D' where stop_id < 3`);
  await insertEmployees(server.database.pool, ['1101', '1102']);
  driver = await signUp(server.client, '1001');
  fuzzed = await signUp(server.client, '1004');
  signedOut = await signUp(server.client, '1101');
  const files = [
    { name: 'a.txt', bytes: new Uint8Array(40) },
    { name: 'b', bytes: new Uint8Array(0) },
  ];
  [asset = ''] = await storeFiles(server.client, { files });
  const { rows } = await server.database.pool.query<{ parked_id: string }>(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
     values ('F01', 'R100', '20261121', 1, 1, '22001', 'too long', '{}') returning parked_id`,
  );
  [{ parked_id: parked } = { parked_id: '' }] = rows;
  const refused = await server.database.pool.query<{ cause: string }>(
    `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
     select 'F01', 'R200', '20261121', stop, 1, '22003', 'too large', '{}' from generate_series(1, 3) stop
     returning cause`,
  );
  [{ cause: refusedCause } = { cause: '' }] = refused.rows;
  const headers = { authorization: `Bearer ${opsToken}` };
  kept = await keepForgotten();
  const noted = await server.database.pool.query<{ client_id: string; incident_id: string }>(
    `with queue as (
       insert into client (client_id, employee, device, queue_key_hash)
       values (gen_random_uuid(), $1, 'a phone', '') returning client_id
     )
     insert into incident (incident_id, kind, client_id) select gen_random_uuid(), 'chain_broken', client_id from queue
     returning client_id, incident_id`,
    [expendable],
  );
  [{ client_id: device, incident_id: incident } = { client_id: '', incident_id: '' }] = noted.rows;
  // An evidence pack costs half a second of CPU: after three the limit answers.
  await server.database.pool.query(
    `insert into event_window (key, count, ends_at) values ('evidence of programs', 57, now() + interval '1 day')`,
  );
  const body = { by: 'OFFICE', reason: 'a night without writes' };
  hold = (await server.client.take(operations.beginHold, { headers, body })).hold_id;
  const scope = { facility: 'F01', route_id: 'R100', week_end: '20261121' };
  const claim = { headers, body: { by: 'OFFICE', reason: 'claim 4711', scope } };
  legalHold = (await server.client.take(operations.placeLegalHold, claim)).legal_hold_id;
  const invited = { headers, body: { by: 'OFFICE', facility: 'F01', days: 90 } };
  invitation = (await server.client.take(operations.invite, invited)).invitation_id;
  const linked = {
    headers,
    query: '?facility=F01&route_id=R100&week_end=20261121&stop_id=1',
    body: { by: 'OFFICE', note: 'claim 4711' },
  };
  links = [];
  for (let n = 0; n < 2; n++) links.push(await server.client.take(operations.makeEvidenceLink, linked));
});

/** Two changes of stops that their route did not have; then it gets one of the two. */
async function keepForgotten(): Promise<string[]> {
  const { client, database } = server;
  await insertRoutes(database.pool, [{ ...key, id: 'R300', drivers: [expendable], stops: [plan(1)] }]);
  const as = await signUp(client, expendable);
  const stops = [777, 778].map((id) => ({ id, updates: { driver_comments: 'not there yet' } }));
  await client.call(operations.syncStops, { as, body: { id: 'R300', stops } });
  await addStops(database.pool, { ...key, id: 'R300' }, [plan(777)]);
  const headers = { authorization: `Bearer ${opsToken}` };
  return (await client.take(operations.listQuarantine, { headers })).map(({ quarantine_id }) => quarantine_id);
}

const mail = '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9013';
const when = ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00+02:00', ''];
const flag = [true, false];
const words = {
  arrived: flag,
  followup: flag,
  required: flag,
  count_in_totes: flag,
  add_photos: flag,
  open: flag,
  accounting_complete: flag,
  start_delivery_time: when,
  end_delivery_time: when,
  capturedAt: when,
  delivery_latitude: ['41.5', ''],
  delivery_longitude: ['-87.5', ''],
  signature_id: ['0123456789ABCDEF', ''],
  images_id: ['0123456789ABCDEF', ''],
  image_ids: ['0123456789ABCDEF', ''],
  followup_reason_code: ['01', ''],
  delivered_by_driver_id: ['1001', ''],
  store_emp_id: ['E1', ''],
  osd_id: ['A1B2C3'],
  osd_parent: ['A1B2C3'],
  type: ['scan', 'count', 'skip'],
  id: ['R100', 'R200', 'ITM100000', 'ITM107919', 'TOTE', 1, 2, 999],
  route_id: ['R100', 'R100', 'R200', 'R200', 'R404'],
  stop_id: [1, 1, 2, 2, 999, 3],
  // A request that names a stop by all four parts must be right in all of them, often enough.
  facility: ['F01', 'F01', 'F01', 'F02', ''],
  week_end: ['20261121', '20261121', '20261121', ''],
  invoice: ['INV1', 'INV2', ''],
  status: ['D', 'S', 'R', 'P'],
  osd_code: ['10', '85', 20, 999],
  employee_id: ['1101', '1102', '9999'],
  password: [password, 'wrong password'],
  current_password: [password],
  new_password: [password, 'another password'],
  driverId: ['1001'],
  limit: ['1', '500', '501'],
  to: ['store@example.com', 'no address'],
  mail_id: [mail],
  customer: ['', '', 'C1'],
  without: ['names', 'photos', 'names,photos', ''],
};
const segments = ['0123456789ABCDEF', 'RTSTUP', 'PODDTA.RTSTUP', '0'];

const osd = {
  osd_id: 'G1',
  osd_code: 10,
  data: [{ osd_parent: null, comment: '', quantity: 1, images_id: '', barcodes: '1', quantity_type: 'units' }],
};
const line = {
  id: 'ITM100000',
  invoice: 'INV1',
  required: true,
  updates: {
    delivered: 1,
    returned: 0,
    delivered_pallets: null,
    accounting_complete: true,
    image_ids: ['0123456789ABCDEF'],
    osd_data: [osd],
  },
  action: {
    type: 'scan',
    updates: { delivered: 1, osd_data: [osd] },
    open: true,
    open_action: { a: [1] },
    quantity: 1,
  },
};
const stopSync = {
  id: 'R100',
  facility: 'F01',
  week_end: '20261121',
  stops: [
    {
      id: 1,
      arrived: true,
      updates: {
        status: 'D',
        followup: true,
        end_delivery_time: '2026-11-20T10:00:00+02:00',
        delivery_latitude: '41.5',
        delivery_longitude: -87.5,
        driver_comments: 'é',
        skip_refuse_timestamp: '',
        signature_id: '0123456789ABCDEF',
        osd_emails: ['a@b.c'],
        overage_items: [{ barcode: '1', osd_code: 85, quantity: 1, comment: '', images_id: null }],
      },
      products: [line],
      collections: [{ ...line, id: 'TOTE', invoice: '' }],
    },
  ],
};
const skip = { route_id: 'R100', stop_id: 2, status: 'S', skip_refuse_reason_code: '01', skip_refuse_timestamp: 'now' };
/** The second of each is for a route of another driver. */
const samplesFor = (id: string) => ({
  syncStops: [
    { ...stopSync, id },
    { ...stopSync, id: 'R200' },
  ],
  skipStop: [
    { ...skip, route_id: id },
    { ...skip, route_id: 'R200' },
  ],
  repairParked: [
    { by: 'OFFICE', stop: stopSync.stops[0] },
    { by: 'OFFICE', stop: { id: 2 } },
  ],
  rescueQueue: [{ by: 'OFFICE', employee: expendable, mutations: [] }],
  sendProof: [{ by: 'OFFICE', mail_id: mail, to: 'store@example.com' }],
});

describe('contract §1: every request', () => {
  test(
    `FUZZ_SEED=${seed}: ${requests} requests to every operation: a documented answer, and other drivers’ data stays unchanged`,
    { timeout: 300_000 },
    async () => {
      const deps = {
        driver,
        signedOut,
        opsToken,
        samples: samplesFor('R100'),
        words: {
          ...words,
          segments,
          asset_id: [asset],
          parked_id: [parked],
          cause: [refusedCause],
          hold_id: [hold],
          legal_hold_id: [legalHold],
          invitation_id: [invitation],
          link_id: links.slice(0, 1).map(({ link_id }) => link_id),
          secret: links.slice(1).map(({ secret }) => secret),
          quarantine_id: [...kept],
          client_id: [device],
          incident_id: [incident],
          employee: [expendable],
        },
      };
      const everywhere = fuzzRequests(deps);
      const clumsyWords = { ...deps.words, parked_id: [incident] };
      const clumsyRequests = fuzzRequests({
        ...deps,
        driver: fuzzed,
        samples: samplesFor('R400'),
        words: clumsyWords,
      });
      const otherRows = await rowsOf('R200');
      const answered = new Set<OperationName>();
      for (let from = 0; from < requests + directed; from += burst) {
        const burstSeed = (seed + from) % 2 ** 31;
        const missing = from < requests ? [] : unreached(answered);
        if (from >= requests && missing.length === 0) break;
        const arbitrary = missing.length === 0 ? everywhere : fuzzRequests(deps, missing);
        const sample = fc.sample(arbitrary, { numRuns: burst, seed: burstSeed });
        const before = await rowsOf('R100');
        const answers = await Promise.all(sample.map((request) => answerTo(request, burstSeed)));
        for (const [i, { name }] of sample.entries()) if (answers[i]?.status === 200) answered.add(name);
        const taken = answers.some(({ status }, i) => status === 200 && changesRoutes(sample[i]));
        const after = taken ? before : await rowsOf('R100');
        expect(after, `FUZZ_SEED=${burstSeed}: a refused request has changed the route`).toEqual(before);
        const bytes = fc.sample(brokenBytes(clumsyRequests.map(bytesOf)), { numRuns: broken, seed: burstSeed });
        await Promise.all(bytes.map((text) => speak(text, burstSeed)));
        server.logged.length = 0;
      }
      expect(await rowsOf('R200')).toEqual(otherRows);
      // The server still serves, and some requests passed the first check; a request may have closed some routes.
      expect([200, 404]).toContain((await server.client.call(operations.readRoute, { as: driver })).status);
      expect(unreached(answered)).toEqual([]);
    },
  );
});

const changesRoutes = (request: FuzzRequest | undefined): boolean =>
  request?.method === 'PUT' || request?.name === 'repairParked';

const isSignIn = /^\/(?:auth\/|ops\/(?:sessions|password|oidc|oidc\/sessions)$)/;

/** The proof of a stop needs a host that has it, and this server has no worker. */
const needsHost: readonly OperationName[] = ['readStopProof'];

/** Operations that no request reached. Sign-ins have limits, and a replay of a few requests reaches fewer. */
function unreached(answered: ReadonlySet<OperationName>): OperationName[] {
  if (requests < 1_000) return [];
  const isExpected = (name: OperationName): boolean =>
    !isSignIn.test(operations[name].path) && !needsHost.includes(name);
  return fuzzedOperations.filter((name) => isExpected(name) && !answered.has(name));
}

/** All stored data of a route, as text. */
async function rowsOf(id: string): Promise<unknown> {
  const { rows } = await server.database.pool.query(
    `select (select string_agg(r::text, ' ') from route r where id = $1) as route,
            (select string_agg(p::text, ' ' order by stop_id) from stop_plan p where route_id = $1) as plans,
            (select string_agg(s::text, ' ' order by stop_id) from stop_result s where route_id = $1) as results,
            (select string_agg(d::text, ' ') from route_driver d where route_id = $1) as drivers`,
    [id],
  );
  return rows[0];
}

async function answerTo(request: FuzzRequest, burstSeed: number): Promise<WireAnswer> {
  let answer: WireAnswer | undefined;
  try {
    answer = await wire.send(request);
    check(request, answer);
    return answer;
  } catch (cause) {
    const { body, ...head } = request;
    const sent = `${JSON.stringify(head)} ${JSON.stringify(body?.toString('latin1').slice(0, 2_000))}`;
    const got = answer ? `${answer.status} ${answer.body.toString().slice(0, 1_000)}` : 'no answer';
    throw new Error(`FUZZ_SEED=${burstSeed}\nsent ${sent}\ngot ${got}\n${server.logged.slice(-3).join('')}`, { cause });
  }
}

function check({ name, method, paths }: FuzzRequest, { status, headers, body }: WireAnswer): void {
  const operation = operations[name];
  expect(status).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^[\w.-]{8,64}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (method === 'HEAD' || status === 304) return expect(body.length).toBe(0);
  const isMeant = method === operation.method && operation.sets.some((set) => set === paths);
  if (status < 300 && isMeant && 'answers' in operation) return;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const json: unknown = JSON.parse(body.toString());
  if (status < 300) {
    const { data } = success.parse(json);
    if (isMeant) operation.data.parse(data);
    return;
  }
  const { error } = failure.parse(json);
  expect(error.request_id).toBe(headers['x-request-id']);
  expect(status).toBe(statusOf(error.code));
}

/** Malformed HTTP may get no answer, but must not fail on the server's side. */
async function speak(bytes: Buffer, burstSeed: number): Promise<void> {
  const said = (await wire.speak(bytes)).toString('latin1');
  expect(said, `FUZZ_SEED=${burstSeed}\nsaid ${JSON.stringify(bytes.toString('latin1'))}`).not.toMatch(
    /^HTTP\/1\.1 5/m,
  );
}
