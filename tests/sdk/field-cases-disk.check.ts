import { expect, test } from 'vitest';
import { pictureOf } from '../support/field-app.ts';
import { fieldCases, maxFileBytes } from '../support/field-fixture.ts';
import { download, keptOfUploads } from '../support/uploads.ts';

// Field cases about a phone's storage, and about the way of its photos to the server.
fieldCases((deps) => {
  const comment = (driver_comments: string) => ({ driver_comments });
  const photo = (picture: number, size: number) => ({ kind: 'photo' as const, picture, size });

  async function serverHas(id: string, picture: number, size: number): Promise<void> {
    const { bytes } = await download(deps().node.client, id);
    expect(bytes.equals(pictureOf(picture, size))).toBe(true);
  }

  test('field case 3: a photo without bytes is reported once, and the other files are sent', async () => {
    const { phone } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const lost = await phone.app.addFile({ ...photo(1, 40_000), name: 'lost.jpg' });
    const whole = await phone.app.addFile(photo(2, 40_000));
    await phone.stop();
    await phone.deleteBytes(lost);
    await phone.start();
    await deps().network.accept();
    expect(await phone.app.fileHere(whole)).toBe('here');
    await serverHas(whole, 2, 40_000);
    expect(await phone.app.fileHere(lost)).toContain('no longer on this device');
    // The server had not yet identified its database, so the client asks for these files once more.
    const settled = { waiting: 0, failed: [{ id: lost, name: 'lost.jpg' }] };
    await expect.poll(() => phone.app.uploads()).toMatchObject(settled);
    // A second copy is the same file, and arrives.
    expect(await phone.app.addFile({ ...photo(1, 40_000), name: 'lost.jpg' })).toBe(lost);
    expect(await phone.app.fileHere(lost)).toBe('here');
    await serverHas(lost, 1, 40_000);
  });

  test('field case 7: a file larger than any storage record is stored in pieces, and arrives whole', async () => {
    const { phone } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const id = await phone.app.addFile({ kind: 'document', name: 'manifest.pdf', picture: 7, size: maxFileBytes });
    await phone.stop();
    expect(await phone.recordSizes(id)).toEqual(Array(8).fill(256 * 1024));
    await phone.start();
    await deps().network.accept();
    expect(await phone.app.fileHere(id)).toBe('here');
    await serverHas(id, 7, maxFileBytes);
  });

  test('field case 8: a file that the server always refuses does not stop the files behind it', async () => {
    const { phone } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const refused = await phone.app.addFile({ ...photo(1, maxFileBytes + 1), name: 'too large.jpg' });
    const others: string[] = [];
    for (const picture of [2, 3, 4]) others.push(await phone.app.addFile(photo(picture, 10_000)));
    await deps().network.accept();
    expect(await Promise.all(others.map((id) => phone.app.fileHere(id)))).toEqual(['here', 'here', 'here']);
    expect(await phone.app.fileHere(refused)).toContain('exceed');
    const settled = { waiting: 0, failed: [{ id: refused, name: 'too large.jpg' }] };
    await expect.poll(() => phone.app.uploads()).toMatchObject(settled);
  });

  test('field case 11: two instances of the app share one storage; after a kill of the sender the other continues, without duplicates', async () => {
    const { phone, key, driver } = await deps().phoneWithRoute();
    // A platform lets the second instance record through the first one, or turns it away. Two never send at once.
    const secondInstance = phone.secondInstance();
    const isAccepted = await secondInstance.start().then(
      () => true,
      () => false,
    );
    const ids = [await phone.app.record(key, 1, comment('of the first'))];
    if (isAccepted) ids.push(await secondInstance.app.record(key, 2, comment('of the second, through the first')));
    for (const id of ids) await phone.app.settled(id);
    await deps().loseNetwork(phone);
    ids.push(await phone.app.record(key, 3, comment('unsent')));
    await deps().kill(phone);
    if (!isAccepted) await secondInstance.start();
    await secondInstance.app.untilShown(key, 3, 'comments', 'unsent');
    ids.push(await secondInstance.app.record(key, 1, comment('of the one that is left')));
    await deps().network.accept();
    for (const id of ids) expect(await secondInstance.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
    expect(await deps().incidentsOf(driver)).toEqual([]);
  });

  test('field case 18: on a full disk a change stays in memory, is reported as unsaved, and is written when there is room', async () => {
    const { phone, key } = await deps().phoneWithRoute({ diskBytes: 300_000 });
    const ids = await phone.app.fillDisk(key, [1, 2, 3]);
    const last = ids.at(-1) ?? '';
    expect((await phone.app.status()).storage).toBe('failing');
    expect((await phone.app.status()).lastError).toMatchObject({ code: 'STORAGE' });
    expect(await phone.app.receipt(last)).toEqual({ at: 'recorded' });
    // A change that is not on the disk is not sent.
    expect(await deps().ledgerIdsOf(key)).not.toContain(last);
    await phone.makeRoom();
    await phone.app.untilSaved(last);
    expect((await phone.app.status()).storage).toBe('ok');
    expect(await phone.app.onHost(last)).toMatchObject({ at: 'on_host' });
    expect(await deps().ledgerIdsOf(key)).toEqual(ids);
  });

  test('field case 18: changes on the disk are sent while the disk is full', async () => {
    const { phone, key } = await deps().phoneWithRoute({ diskBytes: 300_000 });
    await deps().loseNetwork(phone);
    const saved = await phone.app.record(key, 1, comment('before the disk was full'));
    await phone.app.fillDisk(key, [2, 3]);
    await deps().network.accept();
    expect(await phone.app.settled(saved)).toMatchObject({ at: 'accepted' });
    expect((await phone.app.status()).storage).toBe('failing');
    await phone.makeRoom();
    expect(await phone.app.onHost(saved)).toMatchObject({ at: 'on_host' });
  });

  test('field case 19: the app reopens storage connections that the platform has closed', async () => {
    const { phone, key } = await deps().phoneWithRoute();
    await deps().loseNetwork(phone);
    const ids = [await phone.app.record(key, 1, comment('before'))];
    await phone.closeStorage();
    ids.push(await phone.app.record(key, 2, comment('after')));
    const file = await phone.app.addFile(photo(19, 10_000));
    expect((await phone.app.status()).storage).toBe('ok');
    await deps().kill(phone);
    await phone.start();
    expect(await phone.app.shown(key)).toMatchObject([{ comments: 'before' }, { comments: 'after' }, {}, {}]);
    await deps().network.accept();
    for (const id of ids) expect(await phone.app.onHost(id)).toMatchObject({ at: 'on_host' });
    expect(await phone.app.fileHere(file)).toBe('here');
    await serverHas(file, 19, 10_000);
  });

  test('field case 22: ten photos arrive over a poor link with repeated cuts', async () => {
    const { phone } = await deps().phoneWithRoute();
    deps().network.throttle(600_000);
    // The cuts allow fewer bytes than the photos have: the last cut comes before the last photo.
    const cuts = deps().network.cutEvery(100_000, 8);
    const pictures = Array.from({ length: 10 }, (_, n) => n);
    const ids: string[] = [];
    for (const picture of pictures) ids.push(await phone.app.addFile(photo(picture, 120_000)));
    await cuts;
    deps().network.throttle(Infinity);
    expect(await Promise.all(ids.map((id) => phone.app.fileHere(id)))).toEqual(pictures.map(() => 'here'));
    for (const picture of pictures) await serverHas(ids[picture] ?? '', picture, 120_000);
    await expect.poll(() => phone.app.uploads()).toMatchObject({ waiting: 0, failed: [] });
  });

  test('field case 25: after a lost final answer of an upload, the client asks again and the file is there, once', async () => {
    const { phone } = await deps().phoneWithRoute();
    const { pool } = deps().depot.database;
    const before = await keptOfUploads(pool);
    deps().network.bufferDown();
    const id = await phone.app.addFile(photo(25, 30_000));
    await deps().network.untilBufferedDown((waiting) => waiting.includes('HTTP/1.1 201'));
    expect(await phone.app.uploads()).toMatchObject({ waiting: 1 });
    deps().network.cut();
    deps().network.releaseDown();
    expect(await phone.app.fileHere(id)).toBe('here');
    await serverHas(id, 25, 30_000);
    const { assets, contents } = before;
    expect(await keptOfUploads(pool)).toMatchObject({ assets: assets + 1, contents: contents + 1, intakes: 0 });
  });
});
