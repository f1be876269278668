import type { Row, StoreChange, Table } from '@tailgate/client-sdk';
import type { FileStore } from '@tailgate/client-sdk/uploads';
import { isKeptFile } from '../../client-sdk/src/uploads/file-store.ts';
import type { FieldApp } from './field-app.ts';

/** The app's functions, on every platform. */
export type AppApi = Pick<FieldApp, Exclude<keyof FieldApp, 'close'>>;

/** A driver's phone: a storage that stays, and the app on it. The same calls on every platform. */
export interface FieldPhone {
  /** The running app. */
  readonly app: AppApi;
  /** Starts the app. @param elapsedMs time on the phone's clock since the case began */
  start(elapsedMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** The system kills the app: nothing of it runs any more. The caller breaks the network where it has to break. */
  kill(): Promise<void>;
  /** The app a second time on the same storage, as another tab or process; where the platform allows it. */
  secondInstance(): FieldPhone;
  /** Rows of the storage, while no app runs. */
  rows(table: Table): Promise<Row[]>;
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Leaves the storage as a newer version of the app would. */
  upgradeStorage(): Promise<void>;
  /** The platform closes the app's connections to its storage, while it runs. */
  closeStorage(): Promise<void>;
  /** Frees space on a full disk. */
  makeRoom(): Promise<void>;
  /** Deletes the bytes of a file from the storage, and leaves its record; while no app runs. */
  deleteBytes(id: string): Promise<void>;
  /** The sizes of the records with a file's bytes. */
  recordSizes(id: string): Promise<number[]>;
}

/** Properties of a phone. */
export interface PhoneOptions {
  /** The number of bytes that fit on its disk; unlimited by default. */
  readonly diskBytes?: number;
}

/** Opens a storage that no app uses, and closes it afterwards. */
export async function withOpened<Opened extends { close(): Promise<void> }, Value>(
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<Value>,
): Promise<Value> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** The functions for a store of files, the same for all platforms. */
export const fileFunctions = {
  deleteBytes: async (files: FileStore, id: string): Promise<void> => {
    const facts = (await files.files()).find(({ key }) => key === id)?.value;
    await files.remove(id);
    await files.put(id, facts);
  },
  recordSizes: async (files: FileStore, id: string): Promise<number[]> => {
    const facts = (await files.files()).find(({ key }) => key === id)?.value;
    const count = isKeptFile(facts) ? facts.pieces : 0;
    const pieces = await Promise.all(Array.from({ length: count }, (_, index) => files.piece(id, index)));
    return pieces.map((piece) => piece?.length ?? 0);
  },
};
