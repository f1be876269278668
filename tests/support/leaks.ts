/** What keeps a process alive and was opened by somebody: sockets, servers, child processes, workers, timers. */
const WATCHED =
  /^(TCPSocketWrap|TCPServerWrap|PipeServerWrap|TLSWrap|UDPWrap|ProcessWrap|MessagePort|FSEventWrap|Timeout)$/;

/** Closing takes some turns of the event loop, and the runner's own timers come and go; nothing of ours takes longer. */
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

/** What is open now and was not at `before`, in words; empty once everything has closed. */
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

/** There is no event for "everything is closed", and a timer of ours would be seen as one that was left. */
async function pause(): Promise<void> {
  await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS).value;
}
