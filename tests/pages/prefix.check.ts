import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { download } from '../support/uploads.ts';
import { cameraPhoto, filesOnPhone } from './stored-files.ts';
import type { PageWorld } from './world.ts';
import { openPageWorld, routes } from './world.ts';

const { driver, key } = routes.short;
const manifest = z.object({ start_url: z.string(), scope: z.string(), icons: z.array(z.object({ src: z.string() })) });

let world: PageWorld;
beforeAll(async () => {
  world = await openPageWorld({ proxy: { prefix: '/tailgate' } });
  await world.register(driver);
});

test('behind a proxy that serves it under a prefix, the app installs, opens offline, and sends changes and files', async () => {
  const phone = await world.phone();
  const requests = new Set<string>();
  phone.context.on('request', (request) => requests.add(request.url()));
  let finger = await phone.start();
  phone.page.on('websocket', (socket) => requests.add(socket.url()));
  await phone.signIn(driver);
  await phone.untilInstalled();
  await phone.untilStored(3);
  const scope = await phone.page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
  expect(scope).toBe(world.address);
  const { start_url, scope: installed, icons } = await manifestOf();
  for (const place of [start_url, installed]) expect(new URL(place, world.address).href).toBe(world.address);
  for (const { src } of icons) expect((await fetch(new URL(src, world.address))).status).toBe(200);

  const photo = await cameraPhoto(phone.page, 31);
  await phone.goOffline();
  finger = await phone.restart();
  phone.page.on('websocket', (socket) => requests.add(socket.url()));
  await finger.tap('Open stop 1');
  await finger.tap('Cola 24 ct');
  await finger.tap('One less');
  await finger.tap('Damaged');
  await finger.photograph('Take a photo', photo);
  await finger.sees('Another photo');
  await finger.tap('Save');
  await finger.tap('Deliver');
  await finger.sees('On this phone');
  const [file = ''] = await filesOnPhone(phone.page);
  await phone.goOnline();
  await world.untilOnHost(key, (stops) => stops.some(({ stop, status }) => stop === 1 && status === 'D'));
  await expect.poll(async () => (await download(world.service.rest, file)).status).toBe(200);
  await finger.sees('At the back office');

  const paths = [...requests].map((url) => new URL(url)).filter(({ protocol }) => protocol !== 'blob:');
  expect(paths.filter(({ pathname }) => !pathname.startsWith('/tailgate/')).map(({ href }) => href)).toEqual([]);
  expect(paths.map(({ protocol, pathname }) => `${protocol}//${pathname}`)).toContain('ws:///tailgate/api/sync');
});

async function manifestOf() {
  const html = await (await fetch(world.address)).text();
  const [, href = ''] = /<link rel="manifest" href="([^"]+)"/.exec(html) ?? [];
  return manifest.parse(await (await fetch(new URL(href, world.address))).json());
}
