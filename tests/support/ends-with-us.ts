import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { isAlive } from '../../server/src/embedded-postgres/cluster.ts';

// The resources of a command-line program (a PostgreSQL, a child, a folder) must not outlive it: they would disturb the
// next test or measurement. Its own `finally`s do not run where a signal or a fault ends it.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ENDS_WITHIN_MS = 5_000;
const LOOK_MS = 20;

/** In the order of their start. */
const endings = new Set<() => void>();
let openings = 0;
let askedBy: NodeJS.Signals | undefined;

/**
 * Runs `end` where this process ends by a signal or by a fault, the latest first. It must be done when it returns.
 * @returns a function to call after the regular end
 */
export function endsWithUs(end: () => void): () => void {
  endings.add(end);
  listen();
  return () => {
    endings.delete(end);
    unlessNeeded();
  };
}

/** Signals wait until `open` is done: half-way there is no complete list to end. */
export async function uninterrupted<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  openings++;
  listen();
  try {
    return await open();
  } finally {
    openings--;
    if (askedBy !== undefined) obey(askedBy);
    unlessNeeded();
  }
}

/** A throw-away PostgreSQL, and its folder. */
export function postgresEndsWithUs(pid: number, folder: string): () => void {
  return endsWithUs(() => {
    // "Immediate" shutdown: nothing has to be retained.
    if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
    // While it ends it still writes there. An exiting process can wait for nothing else.
    for (let waited = 0; waited < ENDS_WITHIN_MS && isAlive(pid); waited += LOOK_MS)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    rmSync(folder, { recursive: true, force: true });
  });
}

function listen(): void {
  unlisten();
  process.once('exit', endAll);
  for (const signal of SIGNALS) process.on(signal, obey);
}

function unlisten(): void {
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, obey);
}

function unlessNeeded(): void {
  if (endings.size === 0 && openings === 0) unlisten();
}

function obey(signal: NodeJS.Signals): void {
  askedBy = signal;
  if (openings === 0) process.exit(128 + constants.signals[signal]);
}

function endAll(): void {
  for (const end of [...endings].toReversed()) {
    try {
      end();
    } catch (err) {
      console.error('something that was begun could not be ended', err);
    }
  }
}
