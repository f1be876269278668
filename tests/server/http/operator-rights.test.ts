import type { OperatorRole } from '@tailgate/sync-protocol';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { bearer, operatorHeaders, signInOperator } from '../../support/operators.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';

/**
 * Who may call which operation of the operators. Written by hand, independent of the operations: a new one without a
 * line here fails. `self`: each operator. `open`: each caller.
 */
const rights: Readonly<Record<string, OperatorRole | 'self' | 'open'>> = {
  'POST /ops/sessions': 'open',
  'GET /ops/sign-in': 'open',
  'POST /ops/oidc': 'open',
  'POST /ops/oidc/sessions': 'open',
  'DELETE /ops/sessions/current': 'self',
  'GET /ops/me': 'self',
  'POST /ops/password': 'self',

  'GET /ops/acts': 'look',

  'GET /ops/attention': 'look',

  'GET /ops/parked': 'look',
  'POST /ops/parked/retry': 'repair',
  'POST /ops/parked/skip': 'repair',
  'GET /ops/parked/{parked_id}': 'look',
  'POST /ops/parked/{parked_id}/retry': 'repair',
  'POST /ops/parked/{parked_id}/skip': 'repair',
  'POST /ops/parked/{parked_id}/repair': 'repair',

  'GET /ops/quarantine': 'look',
  'GET /ops/quarantine/{quarantine_id}': 'look',
  'POST /ops/quarantine/{quarantine_id}/release': 'repair',
  'POST /ops/quarantine/{quarantine_id}/dismiss': 'repair',

  'GET /ops/incidents': 'look',
  'POST /ops/incidents/{incident_id}/acknowledge': 'repair',

  'GET /ops/legal-hold': 'look',
  'POST /ops/legal-hold': 'repair',
  'POST /ops/legal-hold/{legal_hold_id}/release': 'admin',

  'GET /ops/hold': 'look',
  'POST /ops/hold': 'admin',
  'POST /ops/hold/{hold_id}/end': 'admin',

  'GET /ops/devices': 'look',
  'POST /ops/devices/{client_id}/revoke': 'admin',
  'POST /ops/devices/{client_id}/rescue': 'repair',
  'POST /ops/drivers/{employee}/unregister': 'admin',

  'GET /ops/invitations': 'look',
  'POST /ops/invitations': 'admin',
  'POST /ops/invitations/{invitation_id}/withdraw': 'admin',

  'GET /ops/reconciliation': 'look',
  'GET /ops/shadow': 'look',
  'GET /ops/doctor': 'look',
  'POST /ops/doctor': 'admin',
  'GET /ops/first-load': 'look',
  'GET /ops/restore-drills': 'look',
  'GET /ops/replication': 'look',
  'GET /ops/replication/lag': 'look',
  'GET /ops/replication/routes': 'look',
  'GET /ops/stop-history': 'look',
  'GET /ops/stop-history/verify': 'look',
  'GET /ops/flags': 'look',
  'POST /ops/flags/review': 'repair',
  'GET /ops/search': 'look',
  'GET /ops/feed': 'look',
  'GET /ops/routes': 'look',
  'GET /ops/routes/{facility}/{route_id}/{week_end}': 'look',
  'GET /ops/routes/{facility}/{route_id}/{week_end}/stops/{stop_id}': 'look',
  'GET /ops/routes/{facility}/{route_id}/{week_end}/stops/{stop_id}/comparison': 'look',
  'GET /ops/evidence/preview': 'look',
  'GET /ops/evidence': 'repair',
  'POST /ops/evidence/verify': 'look',
  'HEAD /ops/evidence': 'repair',
  'GET /ops/evidence/links': 'look',
  'POST /ops/evidence/links': 'repair',
  'POST /ops/evidence/links/{link_id}/revoke': 'repair',
  'GET /ops/routes/{facility}/{route_id}/{week_end}/stops/{stop_id}/proof': 'look',
  'POST /ops/routes/{facility}/{route_id}/{week_end}/stops/{stop_id}/proof': 'repair',
  'GET /ops/assets/{asset_id}': 'look',
  'HEAD /ops/assets/{asset_id}': 'look',
};

const document = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')));
const documented = Object.entries(document.paths).flatMap(([path, item]) =>
  path.startsWith('/api/ops') ? Object.keys(item).map((method) => `${method.toUpperCase()} ${path.slice(4)}`) : [],
);

const callers = ['stranger', 'driver', 'look', 'repair', 'admin', 'OPS_TOKEN'] as const;
type Caller = (typeof callers)[number];

let node: RestServer;
let headers: Record<Caller, Record<string, string>>;

beforeAll(async () => {
  node = await startRestServer();
  await insertEmployees(node.database.pool, ['1001']);
  const driver = await signUp(node.client, '1001');
  headers = {
    stranger: {},
    driver: { ...driver, ...bearer(driver.api_token) },
    look: await operatorHeaders(node, 'look'),
    repair: await operatorHeaders(node, 'repair'),
    admin: await operatorHeaders(node, 'admin'),
    OPS_TOKEN: bearer(opsToken),
  };
});

/** The status of a refusal; undefined where the caller may go on to the operation itself. */
function refusalOf(caller: Caller, needed: OperatorRole | 'self' | 'open'): number | undefined {
  if (needed === 'open' || caller === 'OPS_TOKEN') return undefined;
  if (caller === 'stranger' || caller === 'driver') return 401;
  const order = ['look', 'repair', 'admin'];
  return needed === 'self' || order.indexOf(caller) >= order.indexOf(needed) ? undefined : 403;
}

describe('the right to call each operation under /api/ops', () => {
  test('the table has each documented operation, and no other', () => {
    expect(Object.keys(rights).toSorted()).toEqual(documented.toSorted());
  });

  test.each(Object.entries(rights))('%s: %s', async (operation, needed) => {
    const [method = '', path = ''] = operation.split(' ');
    // The parameters are no ids: a caller with the right gets 400 or 404, or a list.
    const url = `/api${path.replaceAll(/\{\w+\}/g, 'x')}`;
    const ask = async (caller: Caller) => {
      // A sign-out ends its session, so each gets one of its own.
      const own = method === 'DELETE' && refusalOf(caller, needed) === undefined && caller !== 'OPS_TOKEN';
      const sent: Record<string, string> = own
        ? await signInOperator(node.client, caller.toUpperCase())
        : headers[caller];
      const { status, body } = await fetch(node.client.url + url, {
        method,
        headers: { ...sent, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        body: method === 'POST' ? '{}' : null,
      });
      // The feed does not end by itself.
      await body?.cancel();
      return [caller, status === 401 || status === 403 ? status : undefined];
    };
    const asked: unknown[] = [];
    for (const caller of callers) asked.push(await ask(caller));
    expect(asked).toEqual(callers.map((caller) => [caller, refusalOf(caller, needed)]));
  });
});
