/** Resources that keep a process alive: sockets, servers, child processes, workers, timers. */
const WATCHED =
  /^(TCPSocketWrap|TCPServerWrap|PipeServerWrap|TLSWrap|UDPWrap|ProcessWrap|MessagePort|FSEventWrap|Timeout)$/;

/**
 * Closing takes some turns of the event loop, and the runner's own timers come and go; no resource of the tests takes
 * longer.
 */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 5;

type Counts = Map<string, number>;

export function activeResources(): Counts {
  const counts: Counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** The resources that are open now and were not at `before`, in words; empty once everything has closed. */
export async function leakedSince(before: Counts, patienceMs = PATIENCE_MS): Promise<string[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const now = activeResources();
    const leaked = [...now].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (leaked.length === 0 || performance.now() > deadline) {
      return leaked.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} × ${kind}`);
    }
    await pause();
  }
}

/** No event reports that everything is closed, and a timer here would itself be a finding. */
async function pause(): Promise<void> {
  await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS).value;
}
