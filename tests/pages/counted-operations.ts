import type { Page } from 'playwright-core';
import * as z from 'zod/mini';

/** Counts the operations of the page on storage and network, from `begin` on. */
interface Operations {
  readonly names: string[];
  begin(killAt: number): void;
  /** The page stops in it, before its last operation. */
  end(): void;
}

declare global {
  var operations: Operations;
}

/**
 * Runs in the page before the app's scripts. An operation is a transaction that writes, a row that is put or deleted, the news
 * that a transaction is committed, a request, its answer, a frame sent, or a frame received.
 */
export function countOperations(): void {
  const names: string[] = [];
  let last = 0;
  globalThis.operations = {
    names,
    begin: (killAt) => {
      names.length = 0;
      last = killAt;
    },
    end: () => undefined,
  };
  const step = (name: string): void => {
    if (last === 0 || names.length === last) return;
    names.push(name);
    if (names.length === last) globalThis.operations.end();
  };

  const { transaction: begun } = Object.getOwnPropertyDescriptors(IDBDatabase.prototype);
  const { put: placed, delete: removed } = Object.getOwnPropertyDescriptors(IDBObjectStore.prototype);
  if (!begun.value || !placed.value || !removed.value) throw new Error('the page has no IndexedDB');
  IDBDatabase.prototype.transaction = new Proxy(begun.value, {
    apply: (begin, database: IDBDatabase, args: Parameters<IDBDatabase['transaction']>) => {
      if (args[1] !== 'readwrite') return begin.apply(database, args);
      step('write');
      const transaction = begin.apply(database, args);
      transaction.addEventListener('complete', () => step('committed'));
      return transaction;
    },
  });
  IDBObjectStore.prototype.put = new Proxy(placed.value, {
    apply: (put, store: IDBObjectStore, [value, key]: [unknown, IDBValidKey?]) => {
      step(`put ${store.name}`);
      return put.call(store, value, key);
    },
  });
  IDBObjectStore.prototype.delete = new Proxy(removed.value, {
    apply: (remove, store: IDBObjectStore, [key]: [IDBValidKey | IDBKeyRange]) => {
      step(`delete ${store.name}`);
      return remove.call(store, key);
    },
  });

  const request = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    step('request');
    const answer = await request(...args);
    step('answer');
    return answer;
  };
  globalThis.XMLHttpRequest = class extends XMLHttpRequest {
    constructor() {
      super();
      this.addEventListener('load', () => step('answer'));
    }
    override send(body?: Document | XMLHttpRequestBodyInit | null): void {
      step('request');
      super.send(body);
    }
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', () => step('received'));
    }
    override send(data: string | Blob | BufferSource): void {
      step('sent');
      super.send(data);
    }
  };
}

/** The page before the operation at which it ends, and the text that a driver reads. */
const stoppedPage = z.object({ operation: z.string(), shown: z.string() });

export type Stopped = z.infer<typeof stoppedPage>;

/** Stops the page before its n-th operation from now on: no later statement runs. */
export async function stopAtOperation(page: Page, n: number): Promise<{ readonly stopped: Promise<Stopped> }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Debugger.enable');
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'operations.end' });
  if (result.objectId === undefined) throw new Error('the page counts no operations');
  await devtools.send('Debugger.setBreakpointOnFunctionCall', { objectId: result.objectId });
  const paused = new Promise<string>((resolve) => {
    devtools.once('Debugger.paused', ({ callFrames: [frame] }) => resolve(frame?.callFrameId ?? ''));
  });
  const look = async (): Promise<Stopped> => {
    const expression = `JSON.stringify({ operation: operations.names.at(-1), shown: document.body.innerText })`;
    const { result: seen } = await devtools.send('Debugger.evaluateOnCallFrame', {
      callFrameId: await paused,
      expression,
    });
    return stoppedPage.parse(JSON.parse(String(seen.value)));
  };
  const stopped = look();
  await page.evaluate((last) => globalThis.operations.begin(last), n);
  return { stopped };
}
