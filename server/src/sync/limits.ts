import type { Limits } from '@tailgate/sync-protocol';

/** What a connection may ask of this node, and how long we wait for it. */
export interface SyncLimits extends Limits {
  /** For the first frame. */
  readonly hello_ms: number;
  /** Of a frame before welcome. */
  readonly hello_bytes: number;
  /** Of all half frames together, from sockets whose hello was not taken yet. */
  readonly strangers_bytes: number;
  /** Fragments of one frame. */
  readonly fragments: number;
  /** Bytes waiting for one socket before patches are held back and read again later. */
  readonly congested_bytes: number;
  /** A reader that has not caught up after so long is cut off. */
  readonly slow_reader_ms: number;
  /** Bad frames on one connection before it is closed. */
  readonly bad_frames: number;
  /** Between two looks at all sockets. Every fifth compares the versions of what is followed, every sixtieth reports. */
  readonly sweep_ms: number;
  /** Hellos that are being looked up; whoever comes on top of them is told when to come again. */
  readonly hellos_at_once: number;
  /** Between the moments at which phones that were sent away are to come back. */
  readonly slot_ms: number;
  /** The last of these moments, from now. */
  readonly slots_ms: number;
  /** Items beyond the last one that came which a phone can have sealed, and may declare lost. */
  readonly lost_items: number;
  /** The same where a restore may have made this server forget what came. */
  readonly forgotten_items: number;
  /** Scopes that one connection may follow: its routes, the code lists, its own answers. */
  readonly scopes: number;
}

export const syncLimits: SyncLimits = {
  frame_bytes: 1024 * 1024,
  // Two of the pipeline's batches; more in one frame only delays the answer to the first.
  mutations_per_push: 256,
  // One being applied, one waiting, and two on the way over a slow link.
  pushes_in_flight: 4,
  // Three missed pings close a socket: a half-open one is found within 15 s.
  ping_ms: 5_000,
  hello_ms: 5_000,
  // One that follows 50 scopes by the longest names has some 10 kB.
  hello_bytes: 64 * 1024,
  // A phone's hello has some kB, mostly in one piece: thousands of them may be half-way.
  strangers_bytes: 16 * 1024 * 1024,
  // Each costs an object of some 150 B, an empty one as well. Browsers cut a frame into pieces of 64 KiB and more.
  fragments: 1_024,
  congested_bytes: 256 * 1024,
  slow_reader_ms: 30_000,
  bad_frames: 3,
  sweep_ms: 1_000,
  // More would only wait behind each other for the database, until their phones give up and come again.
  hellos_at_once: 1_000,
  // 200 phones a second; 6,000 before two share a moment.
  slot_ms: 5,
  slots_ms: 30_000,
  // Clients seal as they send, at most `pushes_in_flight` pushes ahead: a thousand. Some may seal as they record: a month.
  lost_items: 10_000,
  // Years of a phone, and no number that a sequence could not go on from.
  forgotten_items: 1_000_000,
  scopes: 50,
};

/** What a client may build on beside the frames of its protocol version; `welcome` tells them by name. */
export const features = ['snapshot', 'http'] as const;

/** What of the limits concerns the other side. */
export const toldLimits = ({ frame_bytes, mutations_per_push, pushes_in_flight, ping_ms }: SyncLimits): Limits => ({
  frame_bytes,
  mutations_per_push,
  pushes_in_flight,
  ping_ms,
});
