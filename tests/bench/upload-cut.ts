import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeptFile } from '../../client-sdk/src/uploads/file-store.ts';
import { computeAssetId, newSalt } from '../../client-sdk/src/uploads/asset-id.ts';
import { sendFile } from '../../client-sdk/src/uploads/send-file.ts';
import { platform } from '../../client-sdk/src/platform/environment.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { startTailgate } from './child.ts';
import type { CutLink } from './cut-link.ts';
import { openCutLink } from './cut-link.ts';
import { makeFleet } from './fleet.ts';
import { openDeps, quietLog } from './fixture.ts';
import type { Figure, Report } from './report.ts';

const PHOTOS = 5;
const PHOTO_BYTES = 300_000;
const LINK_BYTES = 200_000;
const CUT_MS = 1_000;
/** The whole-file client gives up a photo after this many attempts. */
const MAX_TRIES = 6;

/**
 * upload-cut: photos of 300 kB over a link of 200 kB/s with a cut every second. One client is the SDK, the other sends
 * each file as a whole until it has arrived. Target: at most 105 % of the useful bytes.
 */
export async function uploadCut(): Promise<Report> {
  const deps = await openDeps();
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-cut-'));
  const seed = await deps.database('cut');
  await migrate(seed.url, quietLog);
  const [driver] = await makeFleet(seed.pool, { phones: 1, mutations: 0, stops: 1, lines: 1 });
  if (!driver) throw new Error('no driver');
  const credentials = { employee_id: driver.employee, api_token: driver.token };
  const server = await startTailgate(seed.url, folder);
  try {
    const photos = Array.from({ length: PHOTOS }, () => new Uint8Array(randomBytes(PHOTO_BYTES)));
    const resumed = await measure(server.url, photos, resumably(credentials));
    const whole = await measure(server.url, photos, sendWhole);
    const useful = PHOTOS * PHOTO_BYTES;
    return {
      title: `upload-cut: ${PHOTOS} photos of ${PHOTO_BYTES / 1000} kB, ${LINK_BYTES / 1000} kB/s, cut every ${CUT_MS / 1000} s (target: ≤ 105 % of the useful bytes)`,
      figures: [figure('tailgate’s SDK', resumed), figure('each file as a whole', whole)],
      ratios: { 'bytes sent of the useful ones, SDK': resumed.bytes / useful },
    };
  } finally {
    await server.stop();
    await deps.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly arrived: number;
  readonly bytes: number;
  readonly tries: number;
  readonly ms: number;
}

type Send = (url: string, bytes: Uint8Array<ArrayBuffer>, isFirst: boolean) => Promise<boolean>;

async function measure(target: string, photos: readonly Uint8Array<ArrayBuffer>[], send: Send): Promise<Measured> {
  const link: CutLink = await openCutLink(target, LINK_BYTES, CUT_MS);
  const start = performance.now();
  let [arrived, tries] = [0, 0];
  for (const photo of photos) {
    let isHere = false;
    for (let n = 0; n < MAX_TRIES && !isHere; n++, tries++) isHere = await send(link.url, photo, n === 0);
    if (isHere) arrived++;
  }
  const measured = { arrived, tries, bytes: link.bytes(), ms: performance.now() - start };
  await link.close();
  return measured;
}

const salt = newSalt(platform.random);

const resumably =
  (headers: Record<string, string>): Send =>
  async (url, bytes, isNew) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const id = await computeAssetId({ salt, length: bytes.length, sha256 }, platform.sha256);
    const facts = { id, sha256, salt, name: '', employee: '', size: bytes.length, pieces: 1, added: 0 };
    const file: KeptFile = { ...facts, kind: 'photo', begun: !isNew, state: { at: 'saved' } };
    const outcome = await sendFile({
      file,
      bytes,
      endpoint: `${url}/api/sync/uploads`,
      headers,
      isNew,
      chunkBytes: 1024 * 1024,
      signal: new AbortController().signal,
      progress: () => {},
      begun: () => {},
      taken: () => {},
    });
    return outcome.is === 'here';
  };

async function sendWhole(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const form = new FormData();
  form.append('files', new File([bytes], 'photo.jpg'));
  const headers = { connection: 'close' };
  const answer = await fetch(`${url}/api/v20/assets`, { method: 'POST', body: form, headers }).catch(() => undefined);
  return answer?.ok ?? false;
}

const figure = (what: string, { arrived, tries, bytes, ms }: Measured): Figure => ({
  what,
  'photos that arrived': `${arrived} of ${PHOTOS}`,
  tries,
  'bytes sent, of the useful ones': `${((bytes / (PHOTOS * PHOTO_BYTES)) * 100).toFixed(1)} %`,
  seconds: (ms / 1_000).toFixed(1),
});
