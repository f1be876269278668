import type { Row, StoreChange, Table } from '@tailgate/client-sdk';
import type { FileStore } from '@tailgate/client-sdk/uploads';
import { isKeptFile } from '../../client-sdk/src/uploads/file-store.ts';
import type { FieldApp } from './field-app.ts';

/** The app's doors, wherever it runs. */
export type AppDoors = Pick<FieldApp, Exclude<keyof FieldApp, 'close'>>;

/** A driver's phone: a storage that stays, and the app on it. The same calls, whatever the platform. */
export interface FieldPhone {
  /** The app that runs. */
  readonly app: AppDoors;
  /** Starts the app. @param elapsedMs how far the phone's clock has gone since the story began */
  start(elapsedMs?: number): Promise<void>;
  stop(): Promise<void>;
  /** The system kills the app: nothing of it runs any more. Where the network has to break, break it. */
  kill(): Promise<void>;
  /** The app a second time on the same storage, as another tab or process; where the platform lets it in. */
  twin(): FieldPhone;
  /** Rows of the storage, while no app runs. */
  rows(table: Table): Promise<Row[]>;
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Leaves the storage as an app of tomorrow would that needs more of it than this one. */
  growStorage(): Promise<void>;
  /** The platform closes the app's connections to its storage, while it runs. */
  closeStorage(): Promise<void>;
  /** The disk of a phone with little room has some again. */
  makeRoom(): Promise<void>;
  /** The bytes of a file go from the storage, what is known of it stays; while no app runs. */
  loseBytes(id: string): Promise<void>;
  /** How large the records are in which a file's bytes lie. */
  recordSizes(id: string): Promise<number[]>;
}

/** What a phone is like. */
export interface PhoneOptions {
  /** How many bytes its disk takes until there is room; as many as there are where nothing is said. */
  readonly roomBytes?: number;
}

/** Uses a storage that nobody else has open, and closes it. */
export async function during<Opened extends { close(): Promise<void> }, Value>(
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

/** What the doors do with a store of files: one way for all platforms. */
export const fileDoors = {
  loseBytes: async (files: FileStore, id: string): Promise<void> => {
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
