import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { byTimer, crashPage, freezePage, openPage, servePage, startBrowser } from '../support/browser.ts';
import { sampleKey } from '@tailgate/client-sdk/testing';
import type { ScriptedServer } from '@tailgate/client-sdk/testing';
import { startScriptedServer } from '../support/scripted-server.ts';

const script = `
import { createClient, driverMemo, openIndexedDb } from '@tailgate/client-sdk';

const key = ${JSON.stringify(sampleKey)};
const timing = { retryBaseMs: 20, retryCapMs: 200 };
const client = await createClient({ url: location.origin, store: await openIndexedDb(), timing });
const until = (watch, isSo) => new Promise((resolve) => {
  const check = () => { if (isSo(watch.current)) resolve(watch.current); };
  watch.subscribe(check);
  check();
});
const update = (stop, text) => client.updateStop(key, { id: stop, updates: { driver_comments: text } });
let fired = 0;
const reviews = [];
client.route().subscribe(() => fired++);
const amended = new Promise((resolve) => client.on('amendment', ({ stop, after, by }) => resolve({ stop, after, by })));

globalThis.tab = {
  signIn: async () => {
    const result = await client.signIn({ employeeId: '1001', password: 'secret-of-driver' });
    await until(client.route(), (route) => route !== undefined);
    return result.kind;
  },
  signOut: () => client.signOut(),
  driver: (name) => until(client.driver, (driver) => driver?.name === name).then(() => true),
  record: async (stop, text) => {
    const receipt = update(stop, text);
    await receipt.saved;
    return receipt.id;
  },
  recordAndLeave: (stop, text) => { globalThis.last = update(stop, text); return globalThis.last.id; },
  accepted: (id) => client.receipt(id).accepted,
  withdraw: (id) => client.withdraw(id),
  receiptOf: (id) => client.receipt(id)?.current.at,
  sees: (stop, text) => until(client.stop(stop), (is) => is?.updates.driver_comments === text).then(() => true),
  refusal: (stop) => { try { client.updateStop(key, { id: stop, updates: { status: 'ZZ' } }); } catch (error) { return error.name; } },
  unknownStop: (stop) => { try { client.updateStop(key, { id: stop }); } catch ({ details }) { return details[0].path; } },
  draft: (stop, value) => client.stop(stop).draft.set(value),
  draftAndLeave: (stop, value) => { void client.stop(stop).draft.set(value); },
  draftRefusal: (stop) => client.stop(stop).draft.set('x'.repeat(70_000)).catch(({ name }) => name),
  drafted: (stop, value) => until(client.stop(stop).draft, (draft) => draft === value).then(() => true),
  form: (value) => client.routeDraft().set(value),
  filledIn: (value) => until(client.routeDraft(), (draft) => draft === value).then(() => true),
  remember: (value) => driverMemo(client).set(value),
  remembered: (value) => until(driverMemo(client), (memo) => memo === value).then(() => true),
  deliver: (stop) => client.stop(stop).deliver({ asPlanned: true }).saved,
  deliverByKey: (stop) => client.stop(stop, key).deliver({ asPlanned: true }).id,
  exported: async () => (await client.exportQueues()).flatMap(({ mutations }) => mutations.map(({ id }) => id)),
  seen: (stop) => client.stop(stop).seen(),
  unseen: (stop, count) => until(client.stop(stop), (is) => is?.unseen.length === count).then(() => true),
  now: () => client.now(),
  fired: () => fired,
  amended: () => amended,
  support: async () => { const { queues } = await client.diagnostics(); return queues.map((queue) => queue.connection); },
  async review() {
    const [{ id, stop, receipt }] = await until(client.review, (review) => review.length === 1);
    // A page receives the state of a receipt apart from the list.
    return { id, stop, at: (await until(receipt, ({ at }) => at === 'quarantined')).at };
  },
  reviewed: () => until(client.review, (review) => review.length === 0).then(() => true),
  listen: () => client.on('quarantined', ({ id, dismissed }) => reviews.push(dismissed ?? id)),
  reviews: () => reviews,
  acknowledge: (id) => client.acknowledge(id),
  online: () => until(client.status, (status) => status.connection === 'online').then(() => true),
  offline: () => until(client.status, (status) => status.connection !== 'online').then(() => true),
  close: () => client.close(),
};
globalThis.ready = true;
`;

interface Tab {
  signIn(): Promise<string>;
  signOut(): Promise<boolean>;
  driver(name: string | undefined): Promise<boolean>;
  record(stop: number, text: string): Promise<string>;
  recordAndLeave(stop: number, text: string): string;
  accepted(id: string): Promise<number>;
  withdraw(id: string): Promise<string>;
  receiptOf(id: string): string | undefined;
  sees(stop: number, text: string): Promise<boolean>;
  refusal(stop: number): string | undefined;
  unknownStop(stop: number): string | undefined;
  draft(stop: number, value: string): Promise<void>;
  draftAndLeave(stop: number, value: string): void;
  draftRefusal(stop: number): Promise<string | undefined>;
  drafted(stop: number, value: string | undefined): Promise<boolean>;
  form(value: string): Promise<void>;
  filledIn(value: string): Promise<boolean>;
  remember(value: string): Promise<void>;
  remembered(value: string): Promise<boolean>;
  deliver(stop: number): Promise<void>;
  deliverByKey(stop: number): string;
  exported(): Promise<string[]>;
  seen(stop: number): Promise<void>;
  unseen(stop: number, count: number): Promise<boolean>;
  now(): number;
  fired(): number;
  amended(): Promise<object>;
  support(): Promise<string[]>;
  review(): Promise<{ id: string; stop: number; at: string }>;
  reviewed(): Promise<boolean>;
  listen(): void;
  reviews(): string[];
  acknowledge(id: string): Promise<boolean>;
  online(): Promise<boolean>;
  offline(): Promise<boolean>;
  close(): Promise<void>;
}
/** The fields of messages between pages that the tests check. */
interface PageMessage {
  readonly type: string;
  readonly id?: string;
  readonly shown?: { readonly of: string; readonly value: unknown };
}
declare global {
  var tab: Tab;
  var messages: PageMessage[];
}

describe('two pages of one origin, in a real Chromium', () => {
  let server: ScriptedServer;
  let context: BrowserContext;
  let address: string;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  beforeEach(async () => {
    server = await startScriptedServer();
    address = await servePage(script, server.url);
    context = await browser.newContext();
  });
  afterEach(() => context.close());

  const signedIn = async (): Promise<Page> => {
    const page = await openPage(context, address);
    await page.evaluate(() => globalThis.tab.signIn());
    return page;
  };
  /** Resolves when the leader has noticed: until then, its transport still takes changes. */
  const goOffline = async (leader: Page): Promise<void> => {
    server.refuse = true;
    server.cut();
    await leader.evaluate(() => globalThis.tab.offline());
  };
  const taken = (): string[] => server.ledger.taken.map((entry) => entry.id);

  test('one of them is connected; both see the route, record into one queue and see the receipts', async () => {
    const leader = await signedIn();
    const follower = await openPage(context, address);
    expect(server.heard.filter((frame) => frame.type === 'hello').length).toBe(1);
    expect(await follower.evaluate(() => globalThis.tab.driver('Driver 1001'))).toBe(true);
    const first = await follower.evaluate(() => globalThis.tab.record(1, 'of the second page'));
    expect(await leader.evaluate(() => globalThis.tab.sees(1, 'of the second page'))).toBe(true);
    expect(await follower.evaluate(() => globalThis.tab.sees(1, 'of the second page'))).toBe(true);
    const second = await leader.evaluate(() => globalThis.tab.record(2, 'of the first page'));
    expect(await follower.evaluate(() => globalThis.tab.sees(2, 'of the first page'))).toBe(true);
    await follower.evaluate((id) => globalThis.tab.accepted(id), first);
    await follower.evaluate((id) => globalThis.tab.accepted(id), second);
    await leader.evaluate((id) => globalThis.tab.accepted(id), first);
    expect(taken()).toEqual([first, second]);
    expect(await follower.evaluate(() => globalThis.tab.support())).toEqual(['live']);
    expect(await follower.evaluate(() => globalThis.tab.refusal(1))).toBe('InvalidChange');
    for (const page of [leader, follower]) expect(await page.evaluate(() => globalThis.tab.unknownStop(77))).toBe('id');
    for (const page of [leader, follower])
      expect(Math.abs((await page.evaluate(() => globalThis.tab.now())) - Date.now())).toBeLessThan(60_000);
    expect(await follower.evaluate(() => globalThis.tab.online())).toBe(true);
    // Both pages receive the events of the client.
    server.amend({ id: 3, updates: { driver_comments: 'of the office' } }, Date.now());
    for (const page of [leader, follower])
      expect(await page.evaluate(() => globalThis.tab.amended())).toEqual({
        stop: 3,
        after: 'of the office',
        by: 'CLERK1',
      });
    for (const page of [leader, follower]) expect(await page.evaluate(() => globalThis.tab.unseen(3, 1))).toBe(true);
    await follower.evaluate(() => globalThis.tab.seen(3));
    for (const page of [leader, follower]) expect(await page.evaluate(() => globalThis.tab.unseen(3, 0))).toBe(true);
  });

  test('a page without the client delivers as planned at the first tap, also by the key of the driver’s route', async () => {
    await signedIn();
    const follower = await openPage(context, address);
    const id = await follower.evaluate(() => globalThis.tab.deliverByKey(1));
    await follower.evaluate((of) => globalThis.tab.accepted(of), id);
    expect(taken()).toEqual([id]);
  });

  test('a draft and a memo are the same in both pages, and survives the crash of either', async () => {
    const leader = await signedIn();
    const follower = await openPage(context, address);
    await follower.evaluate(() => globalThis.tab.draft(1, 'of the second page'));
    for (const page of [leader, follower])
      expect(await page.evaluate(() => globalThis.tab.drafted(1, 'of the second page'))).toBe(true);
    expect(await follower.evaluate(() => globalThis.tab.draftRefusal(1))).toBe('InvalidChange');
    await leader.evaluate(() => globalThis.tab.draft(2, 'of the first page'));
    await follower.evaluate(() => globalThis.tab.drafted(2, 'of the first page'));
    await follower.evaluate(() => globalThis.tab.form('of the route'));
    expect(await leader.evaluate(() => globalThis.tab.filledIn('of the route'))).toBe(true);
    await follower.evaluate(() => globalThis.tab.remember('of the driver'));
    for (const page of [leader, follower])
      expect(await page.evaluate(() => globalThis.tab.remembered('of the driver'))).toBe(true);

    // A leader that does not answer: the value reaches the next one.
    await freezePage(leader);
    await follower.evaluate(() => globalThis.tab.draftAndLeave(1, 'while no page leads'));
    await crashPage(leader);
    expect(await follower.evaluate(() => globalThis.tab.drafted(1, 'while no page leads'))).toBe(true);
    expect(await follower.evaluate(() => globalThis.tab.drafted(2, 'of the first page'))).toBe(true);
    const third = await openPage(context, address);
    expect(await third.evaluate(() => globalThis.tab.drafted(1, 'while no page leads'))).toBe(true);
    expect(await third.evaluate(() => globalThis.tab.remembered('of the driver'))).toBe(true);
    await third.evaluate(() => globalThis.tab.deliver(1));
    expect(await third.evaluate(() => globalThis.tab.filledIn('of the route'))).toBe(true);
    for (const page of [follower, third])
      expect(await page.evaluate(() => globalThis.tab.drafted(1, undefined))).toBe(true);
  });

  test('a tap copies its stop to the other pages, and nothing when there are none', async () => {
    const leader = await signedIn();
    const observer = await listen(context, address);
    const alone = await leader.evaluate(() => globalThis.tab.record(1, 'alone'));
    await observer.waitForFunction((id) => globalThis.messages.some((message) => message.id === id), alone, byTimer);
    expect(await observer.evaluate(() => globalThis.messages.map(({ type }) => type))).toEqual(['recorded']);

    await openPage(context, address);
    await observer.evaluate(() => globalThis.messages.splice(0));
    await leader.evaluate(() => globalThis.tab.record(2, 'beside another page'));
    const isNews = () => globalThis.messages.find(({ shown }) => shown?.of === 'route news');
    const news = await observer.waitForFunction(isNews, undefined, byTimer);
    expect(await news.evaluate((message) => message?.shown?.value)).toMatchObject({ stops: [1, { id: 2 }, 3] });
  });

  test('a review waits for a page with a listener, leader or not; either page may acknowledge it', async () => {
    server.ledger.poisoned.add(2);
    const leader = await signedIn();
    const id = await leader.evaluate(() => globalThis.tab.record(2, 'a poison'));
    await leader.evaluate(() => globalThis.tab.review());
    const follower = await openPage(context, address);
    expect(await follower.evaluate(() => globalThis.tab.review())).toEqual({ id, stop: 2, at: 'quarantined' });
    await follower.evaluate(() => globalThis.tab.listen());
    await follower.waitForFunction(() => globalThis.tab.reviews().length === 1, undefined, byTimer);
    server.review(id, 'no such thing');
    await follower.waitForFunction(() => globalThis.tab.reviews().length === 2, undefined, byTimer);
    expect(await follower.evaluate(() => globalThis.tab.reviews())).toEqual([id, 'no such thing']);
    // The event was delivered once: a page that listens later does not receive it again.
    await leader.evaluate(() => globalThis.tab.listen());
    expect(await follower.evaluate((change) => globalThis.tab.acknowledge(change), id)).toBe(true);
    for (const page of [leader, follower]) expect(await page.evaluate(() => globalThis.tab.reviewed())).toBe(true);
    expect(await leader.evaluate(() => globalThis.tab.reviews())).toEqual([]);
  });

  test('a page receives a change before the status that counts it, so that it always finds the receipt', async () => {
    const leader = await signedIn();
    const guest = await openPage(context, address);
    const observer = await listen(context, address);
    await goOffline(leader);
    const id = await leader.evaluate(() => globalThis.tab.record(2, 'offline'));
    await guest.evaluate(() => globalThis.tab.sees(2, 'offline'));
    const order = (): Promise<number[]> =>
      observer.evaluate((name) => {
        const isCounted = ({ shown }: PageMessage): boolean =>
          shown?.of === 'status' && JSON.stringify(shown.value).includes('"pending":{"1001":1}');
        const recorded = globalThis.messages.findIndex(({ type, id: of }) => type === 'recorded' && of === name);
        return [recorded, globalThis.messages.findIndex(isCounted)];
      }, id);
    await expect.poll(async () => Math.min(...(await order()))).toBeGreaterThan(-1);
    const [recorded = -1, counted = -1] = await order();
    expect(recorded).toBeLessThan(counted);
    for (const page of [leader, guest]) expect(await page.evaluate(() => globalThis.tab.exported())).toEqual([id]);
  });

  test('a sign-out or sign-in on either page applies to both', async () => {
    const leader = await signedIn();
    const follower = await openPage(context, address);
    await follower.evaluate(() => globalThis.tab.signOut());
    await leader.evaluate(() => globalThis.tab.driver(undefined));
    await follower.evaluate(() => globalThis.tab.signIn());
    expect(await leader.evaluate(() => globalThis.tab.driver('Driver 1001'))).toBe(true);
  });

  test('field case 11: two tabs are open and the leader is killed: the other tab leads within 2 s and loses nothing', async () => {
    const leader = await signedIn();
    const follower = await openPage(context, address);
    await goOffline(leader);
    const saved = await follower.evaluate(() => globalThis.tab.record(1, 'saved before the kill'));
    const fired = await follower.evaluate(() => globalThis.tab.fired());
    const unsaved = await follower.evaluate(() => globalThis.tab.recordAndLeave(2, 'recorded in the same moment'));
    await crashPage(leader);
    server.refuse = false;
    const killedAt = performance.now();
    await follower.evaluate((id) => globalThis.tab.accepted(id), unsaved);
    expect(performance.now() - killedAt).toBeLessThan(2_000);
    await follower.evaluate((id) => globalThis.tab.accepted(id), saved);
    expect(taken()).toEqual([saved, unsaved]);
    expect(server.ledger.chainBreaks).toBe(0);
    // Its receipts and views continue: the same objects, without superfluous change events.
    expect(await follower.evaluate(() => globalThis.tab.sees(2, 'recorded in the same moment'))).toBe(true);
    expect((await follower.evaluate(() => globalThis.tab.fired())) - fired).toBeLessThan(6);

    const third = await openPage(context, address);
    const last = await third.evaluate(() => globalThis.tab.record(3, 'through the new leader'));
    await third.evaluate((id) => globalThis.tab.accepted(id), last);
    expect(taken()).toEqual([saved, unsaved, last]);
  });

  test('a page records a tap that its frozen leader never received as soon as the page leads', async () => {
    const leader = await signedIn();
    const follower = await openPage(context, address);
    await freezePage(leader);
    const id = await follower.evaluate(() => globalThis.tab.recordAndLeave(1, 'recorded beside a frozen page'));
    await crashPage(leader);
    await follower.evaluate((of) => globalThis.tab.accepted(of), id);
    expect(taken()).toEqual([id]);
  });

  test('a page sends a tap that the frozen leader never received to the next leader', async () => {
    const leader = await signedIn();
    const [next, follower] = [await openPage(context, address), await openPage(context, address)];
    await freezePage(leader);
    const id = await follower.evaluate(() => globalThis.tab.recordAndLeave(1, 'recorded beside a frozen page'));
    await crashPage(leader);
    await follower.evaluate((of) => globalThis.tab.accepted(of), id);
    expect(taken()).toEqual([id]);
    expect(await next.evaluate(() => globalThis.tab.sees(1, 'recorded beside a frozen page'))).toBe(true);
  });

  test('a page withdraws its change through the leader, also when that leader ends before its answer', async () => {
    const leader = await signedIn();
    const [next, follower] = [await openPage(context, address), await openPage(context, address)];
    await goOffline(leader);
    const first = await follower.evaluate(() => globalThis.tab.record(1, 'by mistake'));
    expect(await follower.evaluate((id) => globalThis.tab.withdraw(id), first)).toBe('withdrawn');
    expect(await follower.evaluate((id) => globalThis.tab.receiptOf(id), first)).toBe('withdrawn');
    await freezePage(leader);
    const second = await follower.evaluate(() => globalThis.tab.recordAndLeave(2, 'recorded beside a frozen page'));
    const withdrawal = follower.evaluate((id) => globalThis.tab.withdraw(id), second);
    await crashPage(leader);
    expect(await withdrawal).toBe('withdrawn');
    server.refuse = false;
    const last = await next.evaluate(() => globalThis.tab.record(3, 'stays'));
    await next.evaluate((id) => globalThis.tab.accepted(id), last);
    expect(taken()).toEqual([last]);
  });

  test('a page signs out through the leader, also when that leader ends before its answer', async () => {
    const leader = await signedIn();
    const [next, follower] = [await openPage(context, address), await openPage(context, address)];
    await freezePage(leader);
    const signedOut = follower.evaluate(() => globalThis.tab.signOut());
    await crashPage(leader);
    expect(await signedOut).toBe(true);
    expect(await next.evaluate(() => globalThis.tab.driver(undefined))).toBe(true);
  });

  test('a change that is recorded without a leader goes to the next leader', async () => {
    const leader = await signedIn();
    const [follower, next] = [await openPage(context, address), await openPage(context, address)];
    // The page that waits longest leads next: `follower`. It closes, too, and `next` still has its change.
    await Promise.all([crashPage(leader), next.evaluate(() => globalThis.tab.recordAndLeave(1, 'into the gap'))]);
    await follower.evaluate(() => globalThis.tab.close());
    const id = await next.evaluate(() => globalThis.tab.record(2, 'after the gap'));
    await next.evaluate((of) => globalThis.tab.accepted(of), id);
    expect(taken()).toHaveLength(2);
    expect(taken()[1]).toBe(id);
  });
});

/** A page without a client that records the messages of the others. */
async function listen(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(new URL('/worker.js', address).href);
  await page.evaluate(() => {
    globalThis.messages = [];
    const channel = new BroadcastChannel('tailgate:tailgate');
    channel.addEventListener('message', ({ data }: MessageEvent<PageMessage>) => globalThis.messages.push(data));
  });
  return page;
}
