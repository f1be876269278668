import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientFrame, routeScope, serverFrame, type ClientFrame, type ServerFrame } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { insertRoutes, plan } from '../support/mirror.ts';
import { signUp } from '../support/people.ts';
import { Phone } from '../support/phone.ts';
import { TestQueue } from '../support/sealing.ts';
import { startSyncNode } from '../support/sync-node.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/protocol.md'), 'utf8');
const messages = [...page.matchAll(/^([»«]) (\{.*\})$/gm)].map(([, speaker, text = '']): [string, unknown] => [
  speaker ?? '',
  JSON.parse(text),
]);
const serverFrames = messages.flatMap(([speaker, frame]) => (speaker === '«' ? [serverFrame.parse(frame)] : []));
const asked = messages.flatMap(([speaker, frame]) => (speaker === '»' ? [clientFrame.parse(frame)] : []));

/** Identifies frames of one kind: patches of a route and of the code lists differ. */
const kindOf = (frame: ServerFrame): string =>
  'scope' in frame ? `${frame.type} ${frame.scope.split(':')[0]}` : frame.type;
const members = z.record(z.string(), z.unknown());
/** Its members, and those of the documents in it. */
const membersOf = (frame: ServerFrame): string[] =>
  [
    ...Object.keys(frame),
    ...('docs' in frame ? frame.docs.flatMap(({ value }) => Object.keys(members.parse(value))) : []),
  ].toSorted((a, b) => (a < b ? -1 : 1));

const key = { facility: 'F01', id: 'R100', week_end: '20261121' };

/** The conversation of the page, repeated with a real server. */
async function converse(): Promise<ServerFrame[]> {
  const node = await startSyncNode({ limits: { sweep_ms: 20 } });
  const { pool } = node.database;
  await insertRoutes(pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops: [plan(4), plan(5)] }]);
  await pool.query(`insert into code (type, code, description, category, driver_visible, stop_type, requires_photo, requires_comment, sort, active)
     values ('section', 'GROCERY', 'Grocery', '', true, '', false, false, 1, true)`);
  await pool.query(`insert into scope_version (scope, version) values ('codes:all', 1)`);
  const driver = await signUp(node.client, '1001');
  const queue = new TestQueue();
  const deliver = (stop: number) =>
    queue.seal('stop.update', { route: key, stop: { id: stop, updates: { status: 'D' } } });

  const earlier = await Phone.connect(node.socketUrl, queue.clientId);
  await earlier.signOn(driver);
  earlier.push(deliver(4));
  await earlier.next('ack');
  earlier.terminate();

  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  const cursors = { [routeScope(key)]: { epoch: '1.1', version: 1 }, 'codes:all': null };
  const frames: ServerFrame[] = [
    await phone.signOn(driver, { wants_queue_key: true, cursors }),
    await phone.next('patch', ({ scope }) => scope === routeScope(key)),
    await phone.next('patch', ({ scope }) => scope === 'codes:all'),
  ];
  phone.push(deliver(5));
  frames.push(await phone.next('ack'), await phone.next('patch', ({ docs }) => docs.length > 0));
  await pool.query('update route set hosted_through = version');
  frames.push(await phone.next('patch', ({ docs }) => docs.length === 0));
  phone.send({ type: 'ping', pending: 0 });
  return [...frames, await phone.next('pong')];
}

describe('the conversation in docs/protocol.md', () => {
  test('equals that of a real server: the same frames, with the same members', async () => {
    const realFrames = new Map((await converse()).map((frame) => [kindOf(frame), membersOf(frame)]));
    expect(new Map(serverFrames.map((frame) => [kindOf(frame), membersOf(frame)]))).toEqual(realFrames);
  });

  test('begins with hello, and every request has its answer', () => {
    expect(asked.map(({ type }: ClientFrame) => type)).toEqual(['hello', 'push', 'ping']);
    expect(serverFrames.map(({ type }) => type).filter((type) => type !== 'patch')).toEqual(['welcome', 'ack', 'pong']);
  });
});
