interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

interface Recorder {
  readonly send: (name: 'readStopProof', sent: Sent) => Promise<Response>;
  readonly record: (name: 'readStopProof', sent: Sent) => Promise<unknown>;
}

/** The proof of a delivered stop. The host has the stop a moment after the delivery. */
export async function recordProof({ send, record }: Recorder, sent: Sent): Promise<void> {
  for (const until = Date.now() + 30_000; (await send('readStopProof', sent)).status === 404;)
    if (Date.now() > until) throw new Error('the host does not have the stop');
  await record('readStopProof', sent);
}
