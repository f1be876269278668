import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { isAlive } from '../../server/src/embedded-postgres/cluster.ts';

// The resources of a command-line program (a PostgreSQL, a child, a folder) must not outlive it: they would disturb the
// next test or measurement. Its own `finally`s do not run where a signal or a fault ends it.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ENDS_WITHIN_MS = 5_000;
const POLL_MS = 20;

/** In the order of their start. */
const cleanups = new Set<() => void>();
let openings = 0;
let pendingSignal: NodeJS.Signals | undefined;

/**
 * Runs `end` where this process ends by a signal or by a fault, the latest first. It must be done when it returns.
 * @returns a function to call after the regular end
 */
export function atProcessExit(end: () => void): () => void {
  cleanups.add(end);
  listen();
  return () => {
    cleanups.delete(end);
    unlistenIfIdle();
  };
}

/** Signals wait until `open` is done: half-way there is no complete list to end. */
export async function deferSignals<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  openings++;
  listen();
  try {
    return await open();
  } finally {
    openings--;
    if (pendingSignal !== undefined) exitBySignal(pendingSignal);
    unlistenIfIdle();
  }
}

/** A throw-away PostgreSQL, and its folder. */
export function stopPostgresAtExit(pid: number, folder: string): () => void {
  return atProcessExit(() => {
    // "Immediate" shutdown: nothing has to be retained.
    if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
    // While it ends it still writes there. An exiting process can wait for nothing else.
    for (let waited = 0; waited < ENDS_WITHIN_MS && isAlive(pid); waited += POLL_MS)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    rmSync(folder, { recursive: true, force: true });
  });
}

function listen(): void {
  unlisten();
  process.once('exit', runCleanups);
  for (const signal of SIGNALS) process.on(signal, exitBySignal);
}

function unlisten(): void {
  process.off('exit', runCleanups);
  for (const signal of SIGNALS) process.off(signal, exitBySignal);
}

function unlistenIfIdle(): void {
  if (cleanups.size === 0 && openings === 0) unlisten();
}

function exitBySignal(signal: NodeJS.Signals): void {
  pendingSignal = signal;
  if (openings === 0) process.exit(128 + constants.signals[signal]);
}

function runCleanups(): void {
  for (const end of [...cleanups].toReversed()) {
    try {
      end();
    } catch (err) {
      console.error('something that was begun could not be ended', err);
    }
  }
}
