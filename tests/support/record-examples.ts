import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OperationName } from '../../server/src/http/operations.ts';
import { pathSets, routePayload, uploadedAssets } from '@tailgate/sync-protocol';
import { operations } from '../../server/src/http/operations.ts';
import * as z from 'zod/mini';
import written from '../../server/src/http/openapi/examples.json' with { type: 'json' };
import { choosePort } from '../../server/src/embedded-postgres/cluster.ts';
import type { Example } from '../../server/src/http/openapi/example.ts';
import { dataOf, signedIn } from './example-answers.ts';
import { packOf, uploadOf, type Form } from './example-forms.ts';
import { recordFlags } from './record-flags.ts';
import { recordLegalHold } from './record-legal-hold.ts';
import { ServerProcess } from './server-process.ts';
import { untilHosted } from './until-hosted.ts';

// `npm run openapi:record`: a driver's day with the demo data on a real server, every operation once. The requests and
// answers become the examples of docs/openapi.json.

/** The examples of a sign-in by an identity provider are written by hand: no provider runs here. */
const withProvider = ['beginOidcSignIn', 'finishOidcSignIn'] as const;

const opsToken = 'operators-only';
/** Generated secrets, and the words that the examples show in their place. */
const secrets = new Map<string, string>();

const folder = await mkdtemp(join(tmpdir(), 'tailgate-'));
await chmod(folder, 0o711);
const server = new ServerProcess({
  PORT: String(await choosePort()),
  DATA_DIR: folder,
  LOG_LEVEL: 'warn',
  OPS_TOKEN: opsToken,
});
const examples: Record<string, Example> = {};
try {
  await server.start();
  await driveADay();
  for (const name of withProvider) {
    const kept: Example | undefined = written[name];
    if (kept) examples[name] = kept;
  }
  const missing = Object.keys(operations).filter((name) => !examples[name]);
  if (missing.length > 0) throw new Error(`no example of ${missing.join(', ')}`);
  const file = fileURLToPath(new URL('../../server/src/http/openapi/examples.json', import.meta.url));
  await writeFile(file, `${JSON.stringify(examples, null, 2)}\n`);
  console.log(`wrote ${file}; now npm run openapi`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function driveADay(): Promise<void> {
  const other = signedIn(await record('signUp', { body: { employee_id: '1006', password: 'on the road' } }));
  const driver = signedIn(
    await record('signUp', { body: { employee_id: '1005', password: 'on the road', device: 'phone of Dana' } }),
  );
  await record('listEmployees', {});
  await record('listRouteDrivers', {});

  const listed = await record('readRoute', { headers: driver });
  const route = routePayload.parse(listed);
  const named = { facility: route.facility, week_end: route.week_end };
  const [stop] = route.stops;
  const [product, short] = stop?.products ?? [];
  if (!stop || !product || !short) throw new Error('the demo route has no stop with two products');

  const { id: photo } = uploadedAssets.parse(
    await record('uploadAssets', {
      form: uploadOf({ files: ['signature.png', 'pallet.jpg'], mimetypes: '{"signature.png":"image/png"}' }),
    }),
  );
  await record('downloadAsset', { params: { asset_id: photo } });
  await record('readAssetUrls', { params: { asset_id: photo } });
  await record('listAssetIds', { params: { asset_id: photo } });

  const minute = (n: number) => `${new Date().toISOString().slice(0, 10)}T14:${n}:00.000Z`;
  await record('syncStops', {
    headers: driver,
    body: {
      id: route.id,
      ...named,
      stops: [
        {
          id: stop.id,
          updates: {
            status: 'D',
            start_delivery_time: minute(10),
            end_delivery_time: minute(25),
            delivery_latitude: '41.920413',
            delivery_longitude: '-87.653698',
            store_emp_id: 'E77',
            store_emp_name: 'Ana Ruiz',
            driver_comments: 'Left at the dock.',
            signature_id: photo,
            overage_items: [
              { barcode: '0400000000017', osd_code: 85, quantity: 2, comment: 'Not ordered', images_id: '' },
            ],
          },
          products: [
            {
              id: product.id,
              invoice: product.invoice,
              updates: { delivered: product.quantity, accounting_complete: true },
            },
            {
              id: short.id,
              invoice: short.invoice,
              updates: {
                delivered: short.quantity - 1,
                accounting_complete: true,
                osd_data: [
                  {
                    osd_id: 'a1b2c3',
                    osd_code: 20,
                    data: [
                      {
                        osd_parent: null,
                        comment: 'Crushed',
                        quantity: 1,
                        images_id: photo,
                        barcodes: short.item_upc,
                        quantity_type: 'units',
                      },
                    ],
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  });
  await record('skipStop', {
    headers: driver,
    body: {
      route_id: route.id,
      stop_id: route.stops[1]?.id,
      ...named,
      skip_refuse_reason_code: '01',
      skip_refuse_timestamp: minute(40),
      skip_refuse_driver_comment: 'Closed for the day.',
    },
  });
  await record('readRoute', { headers: driver });
  await record('readRouteV20', { headers: driver });
  const delivered = { ...named, route_id: route.id, stop_id: String(stop.id) };
  await record('previewEmail', { query: delivered });
  await untilHosted(server.url, driver, { ...named, id: route.id });
  await record('readStopProof', { headers: driver, query: delivered });

  for (const list of ['listStopExceptions', 'listCreditReasons', 'listInvoiceExceptions'] as const)
    await record(list, {});
  for (const list of ['listContainerTypes', 'listSections', 'listTrailerAreas'] as const) await record(list, {});

  await record('submitLoadReport', {
    body: {
      reportId: 'f3b9a6de-6a37-4b2e-8a53-0d6f8b6f9d10',
      loadId: 'T4474',
      stopId: '1',
      driverId: '1005',
      capturedAt: minute(12),
      sections: [
        { key: 'stacking', rating: 2, reason: 'Leaning', comment: 'Two pallets lean to the left.', photos_id: photo },
        { key: 'trailer_cleanliness', rating: 5, reason: '', comment: '', photos_id: '' },
      ],
    },
  });
  await record('listLoadReports', { query: { driverId: '1005', maxRating: '3' } });

  await record('findCell', { query: { facility: 'F01' } });
  await record('health', {});
  await record('readiness', {});
  await record('readHostJob', {});
  await record('readTableCcsids', { params: { table_name: 'RTSTUP' } });

  await send('syncStops', {
    headers: driver,
    body: { id: route.id, ...named, stops: [{ id: 77, updates: { status: 'D' } }] },
  });
  await recordQuarantined(stop.id, driver);
  const over = { id: product.id, invoice: product.invoice, updates: { delivered: product.quantity + 1 } };
  await send('syncStops', {
    headers: driver,
    body: { id: route.id, ...named, stops: [{ id: stop.id, products: [over] }] },
  });
  await recordFlags(record, server.url, { authorization: `Bearer ${opsToken}` });

  await recordParked(route.id, named, stop.id, driver);

  const ops = { authorization: `Bearer ${opsToken}` };
  const from = '2026-12-24T20:00:00Z';
  const planned = { by: 'MILLER', reason: 'Backup of the host', from, until: '2026-12-25T04:00:00Z' };
  const hold = operations.beginHold.data.parse(await record('beginHold', { headers: ops, body: planned }));
  await record('listHolds', { headers: ops });
  await record('endHold', { headers: ops, params: { hold_id: hold.hold_id }, body: { reason: 'The backup is done.' } });
  const ofStop = { ...named, route_id: route.id, stop_id: String(stop.id) };
  await recordLegalHold(record, ops, { ...named, route_id: route.id, stop_id: stop.id });
  await record('listRoutes', { headers: ops, query: { facility: route.facility } });
  await record('readOpsRoute', { headers: ops, params: { ...named, route_id: route.id } });
  await record('previewProof', { headers: ops, params: ofStop });
  const proof = { by: 'MILLER', mail_id: '0197b2c4-6e1f-7a02-9c3d-1f2e3d4c5b6a', to: 'receiving@example.com' };
  await record('sendProof', { headers: ops, params: ofStop, body: proof });
  await record('readOpsStop', { headers: ops, params: ofStop });
  await record('previewEvidence', { headers: ops, query: ofStop });
  const making = { headers: ops, query: { ...ofStop, by: 'ARCHIVE' } };
  await record('makeEvidence', making);
  await record('verifyEvidence', { headers: ops, form: await packOf(await send('makeEvidence', making)) });
  const linked = { headers: ops, query: ofStop, body: { by: 'MILLER', note: 'The insurer, claim 4711', days: 7 } };
  const link = operations.makeEvidenceLink.data.parse(await record('makeEvidenceLink', linked));
  await record('takeEvidence', { body: { secret: link.secret } });
  const unused = operations.makeEvidenceLink.data.parse(await answerOf('makeEvidenceLink', linked));
  await record('revokeEvidenceLink', { headers: ops, params: { link_id: unused.link_id }, body: { by: 'MILLER' } });
  await record('listEvidenceLinks', { headers: ops });
  await record('compareStop', { headers: ops, params: ofStop, query: { host: 'live' } });
  await record('search', { headers: ops, query: { q: stop.customer.name, limit: '2' } });
  await record('followFeed', { headers: ops });
  await record('readOpsAsset', { headers: ops, params: { asset_id: photo } });
  await record('readStopHistory', { headers: ops, query: ofStop });
  await record('verifyStopHistory', { headers: ops, query: ofStop });
  await recordLostPhone(other);
  await recordOperator();
  await record('listActs', { headers: ops, query: { subject_kind: 'quarantine' } });
  for (const list of ['readReplication', 'listHostLag', 'readDoctor', 'askDoctor'] as const)
    await record(list, { headers: ops });
  for (const list of ['readFirstLoad', 'listDrills'] as const) await record(list, { headers: ops });
  await record('readShadow', { headers: ops, query: { facility: 'F01' } });
  await record('listReconciliation', { headers: ops, query: { limit: '20' } });
  await record('listRouteBacklog', { headers: ops, query: { limit: '20' } });

  await record('signIn', { body: { employee_id: '1005', password: 'on the road', confirm_login: true } });
  await record('updatePassword', {
    body: { employee_id: '1005', current_password: 'on the road', new_password: 'the long way home' },
  });
  const { api_token } = signedIn(
    await answerOf('signIn', { body: { employee_id: '1005', password: 'the long way home', confirm_login: true } }),
  );
  await record('signOut', { body: { employee_id: '1005', api_token } });
  await record('resetPassword', { body: { employee_id: '1005' } });
}

/** A change of a stop that the office had forgotten; dismissed first, then the host gets the stop. */
async function recordQuarantined(stop: number, driver: Readonly<Record<string, string>>): Promise<void> {
  const headers = { authorization: `Bearer ${opsToken}` };
  const listed = await record('listQuarantine', { headers, query: { state: 'open' } });
  const [entry] = operations.listQuarantine.data.parse(listed);
  if (!entry) throw new Error('nothing was kept');
  const params = { quarantine_id: entry.quarantine_id };
  await record('readQuarantined', { headers, params });
  await record('dismissQuarantined', { headers, params, body: { by: 'MILLER', reason: 'Not a stop of this route.' } });

  const columns = 'RSFAC, RSRTE, RSWKE, RSTYP, RSCUS, RSETA';
  const forgotten = `insert into PODDTA.RTSTPP (${columns}, RSSTP, RSSEQ) select ${columns}, ${entry.stop_id}, ${entry.stop_id}
    from PODDTA.RTSTPP where RSRTE = '${entry.route_id}' and RSSTP = ${stop}`;
  const host = fileURLToPath(new URL('../../server/bin/host.ts', import.meta.url));
  const env = { ...process.env, DATA_DIR: folder };
  await promisify(execFile)(process.execPath, ['--conditions=source', host, 'sql', forgotten], { env });
  const stopsNow = async () => routePayload.parse(await answerOf('readRoute', { headers: driver })).stops;
  const until = Date.now() + 30_000;
  while (!(await stopsNow()).some(({ id }) => id === entry.stop_id))
    if (Date.now() > until) throw new Error('the stop did not come');
  await record('releaseQuarantined', { headers, params, body: { by: 'MILLER', note: 'The stop is there now.' } });
}

/** A phone that has lost its recorded items, and is given up. */
async function recordLostPhone(driver: Readonly<Record<string, string>>): Promise<void> {
  const headers = { authorization: `Bearer ${opsToken}` };
  const params = { client_id: '0197b2c4-5d6e-4f70-8a91-b2c3d4e5f607' };
  const gone = { from: 1, to: 3, reason: 'storage was cleared' };
  const pushed = { protocol: 1, ...params, device: 'Tab 5', app: 'pod/4.2', pending: 2, gone, mutations: [] };
  const response = await fetch(`${server.url}/api/sync/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...driver },
    body: JSON.stringify(pushed),
  });
  if (response.status !== 200) throw new Error(`push: ${response.status} ${await response.text()}`);
  const [incident] = operations.listIncidents.data.parse(
    await record('listIncidents', { headers, query: { kind: 'items_gone' } }),
  );
  const seen = { by: 'MILLER', note: 'The phone was reset; the driver recorded the stops anew.' };
  await record('acknowledgeIncident', {
    headers,
    params: { incident_id: incident?.incident_id ?? '' },
    body: seen,
  });
  await record('listDevices', { headers, query: { employee: '1006' } });
  const lost = { by: 'MILLER', reason: 'Left in a taxi.' };
  await record('revokeDevice', { headers, params, body: lost });
  const queue = { employee: '1006', mutations: [] };
  await record('rescueQueue', { headers, params, body: { by: 'MILLER', ...queue } });
  const invited = await record('invite', { headers, body: { by: 'MILLER', employee: '1006' } });
  const { invitation_id } = operations.invite.data.parse(invited);
  await record('listInvitations', { headers });
  await record('withdrawInvitation', { headers, params: { invitation_id }, body: { by: 'MILLER' } });
  await record('unregisterDriver', { headers, params: { employee: '1006' }, body: lost });
}

/** An item number outside the host's code page is refused there, and only there. */
async function recordParked(id: string, named: object, stop: number, driver: Readonly<Record<string, string>>) {
  const headers = { authorization: `Bearer ${opsToken}` };
  const unmappable = { id: 'ŁÓDŹ', updates: { delivered: 1 } };
  await send('syncStops', { headers: driver, body: { id, ...named, stops: [{ id: stop, products: [unmappable] }] } });
  const until = Date.now() + 30_000;
  const list = async () => operations.listParked.data.parse(await answerOf('listParked', { headers }));
  let parked = await list();
  while (parked.length === 0 && Date.now() < until) parked = await list();
  const [first] = parked;
  if (!first) throw new Error('the host has refused nothing');
  await record('listParked', { headers, query: { state: 'open' } });
  const params = { parked_id: first.parked_id };
  await record('readAttention', { headers });
  const all = { by: 'MILLER', cause: first.cause };
  await record('skipParkedCause', { headers, body: { ...all, reason: 'Booked by hand.' } });
  await record('retryParkedCause', {
    headers,
    body: { ...all, state: 'skipped', reason: 'The host is corrected.' },
  });
  await record('skipParked', { headers, params, body: { by: 'MILLER', reason: 'Booked by hand.' } });
  await record('readParked', { headers, params });
  await record('retryParked', { headers, params, body: { reason: 'The host is corrected.' } });
  const body = { by: 'MILLER', stop: { id: stop, updates: { driver_comments: 'Item was mistyped.' } } };
  await record('repairParked', { headers, params, body });
}

/** The operator of the demo signs in, changes the password, and signs out. */
async function recordOperator(): Promise<void> {
  const password = (await readFile(join(folder, 'demo-operator'), 'utf8')).trim();
  secrets.set(password, 'nine green parcels');
  const session = async (data: Promise<unknown>) => {
    const { token } = z.object({ token: z.string() }).parse(await data);
    return { authorization: `Bearer ${token}` };
  };
  const first = await session(record('signInOperator', { body: { operator: 'DEMO', password } }));
  await record('readSignInWays', {});
  await record('readCaller', { headers: first });
  const body = { current_password: password, new_password: 'seven grey lorries' };
  const second = await session(record('changeOperatorPassword', { headers: first, body }));
  await record('signOutOperator', { headers: second });
}

interface Sent extends Pick<Example, 'params' | 'query' | 'body'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Form;
}

/** Calls an operation, records request and answer, and returns the answer's data. */
async function record(name: OperationName, sent: Sent): Promise<unknown> {
  const { params, query, body = sent.form?.fields } = sent;
  const response = await send(name, sent);
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  const kind = operations[name].answers ?? 'json';
  const answer: unknown = kind === 'json' ? await response.json() : undefined;
  if (kind === 'html') await response.text();
  if (kind === 'file') await response.arrayBuffer();
  if (kind === 'lines') await response.body?.cancel();
  examples[name] = {
    ...(params && { params }),
    ...(query && { query }),
    ...(body !== undefined && { body: shown(body) }),
    ...(answer !== undefined && { answer: shown(answer) }),
  };
  return dataOf(answer);
}

async function answerOf(name: OperationName, sent: Sent): Promise<unknown> {
  return dataOf(await (await send(name, sent)).json());
}

async function send(name: OperationName, { params = {}, query, body, form, headers }: Sent): Promise<Response> {
  const { method, path, sets } = operations[name];
  const [set = 'v20'] = [...sets].sort();
  const filled = path.replaceAll(/:(\w+)/g, (_, param: string) => params[param] ?? '');
  const search = query ? `?${new URLSearchParams(query)}` : '';
  return fetch(`${server.url}${pathSets[set]}${filled}${search}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: form ? form.data : body === undefined ? null : JSON.stringify(body),
  });
}

/** In the form of the examples: lists are cut after the second object, and tokens are replaced. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, typeof value[0] === 'object' ? 2 : undefined).map(shown);
  if (typeof value === 'string') return secrets.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([name, each]: [string, unknown]) => [
    name,
    name === 'api_token' || name === 'token' ? 'mZ1q0uXvB6o2dJt8yR4kLw7eNc9aHs5gPfTiUjVbQxE' : shown(each),
  ]);
  return Object.fromEntries(pairs);
}
