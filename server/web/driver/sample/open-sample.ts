import { createClient, openIndexedDb } from '@tailgate/client-sdk';
import {
  codeDocuments,
  deleteDatabase,
  driverPassword,
  routeDocuments,
  ScriptedServer,
} from '@tailgate/client-sdk/testing';
import { fetchStack, openIndexedDbFiles, openUploads } from '@tailgate/client-sdk/uploads';
import type { Place } from '../place.ts';
import { undoWindow } from '../phone-client.ts';
import { loadParts } from './load-parts.ts';
import { sampleParts } from './ribbon.tsx';
import { sampleCodes } from './sample-goods.ts';
import { playOthers } from './sample-office.ts';
import { sampleDriver, sampleHeader, sampleStops } from './sample-stops.ts';

/** Names of their own: a driver's data in the same browser stays untouched. */
const databases = { store: 'tailgate-sample', files: 'tailgate-sample-files' };
/** The back office writes a stop within about a minute; here a visitor waits for it. */
const hostDelayMs = 3_000;
const closeDelayMs = 600_000;

/** The app with a server in the page: a route that a visitor drives, and that needs no network. */
export async function openSample(): Promise<Place> {
  const stops = sampleStops(new Date());
  const server = new ScriptedServer({ documents: routeDocuments(sampleHeader, stops), hostDelayMs, closeDelayMs });
  server.codes = codeDocuments(sampleCodes);
  // After a reload the server is another one, as if restored from a backup: the phone sends what it recorded again.
  server.ledger.epoch = Date.now();
  const { url, fetch, WebSocket } = server;
  const [store, files] = await Promise.all([openIndexedDb(databases.store), openIndexedDbFiles(databases.files)]);
  const open: Place['open'] = async () => {
    const uploads = await openUploads({ store: files, httpStack: fetchStack(fetch) });
    const client = await createClient({ url, fetch, WebSocket, store, uploads, undoWindow, app: 'tailgate-sample' });
    const signIn = async (): Promise<void> => {
      await client.signIn({ employeeId: sampleDriver.id, password: driverPassword, confirmLogin: true });
    };
    const end = async (): Promise<void> => {
      await client.close();
      await server.stop();
      await Promise.all(Object.values(databases).map((name) => deleteDatabase(name)));
    };
    await signIn();
    return { client, uploads, server: { url, fetch }, sample: sampleParts({ client, server, signIn, end }) };
  };
  void playOthers(server, stops);
  void loadParts();
  return { store, open };
}
