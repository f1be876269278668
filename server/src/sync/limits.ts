import type { Limits } from '@tailgate/sync-protocol';

/** Limits of a connection on this node, and time limits for it. */
export interface SyncLimits extends Limits {
  /** For the first frame. */
  readonly hello_ms: number;
  /** Of a frame before welcome. */
  readonly hello_bytes: number;
  /** Of all incomplete frames together, from sockets before their hello. */
  readonly unauthenticated_bytes: number;
  /** Fragments of one frame. */
  readonly fragments: number;
  /** Bytes buffered for one socket before the feed stops sending patches and reads them again later. */
  readonly congested_bytes: number;
  /** A reader that has not caught up after this time is closed. */
  readonly slow_reader_ms: number;
  /** Bad frames on one connection before it is closed. */
  readonly bad_frames: number;
  /**
   * Between two sweeps over all sockets. Every fifth compares the versions of followed scopes, every sixtieth saves
   * reports.
   */
  readonly sweep_ms: number;
  /** Bodies of pushes over plain HTTP in progress. The server refuses further ones with a time for the next attempt. */
  readonly push_bytes: number;
  /** Hellos in progress at once. The server refuses further ones with a time for the next attempt. */
  readonly hellos_at_once: number;
  /** Between the reconnect times of two refused phones. */
  readonly slot_ms: number;
  /** The latest reconnect time, from now. */
  readonly slots_ms: number;
  /** Items beyond the last received one that a phone can have sealed, and may declare lost. */
  readonly lost_items: number;
  /** The same where a restore may have lost received items. */
  readonly forgotten_items: number;
  /** Scopes that one connection may follow: its routes, the code lists, its own answers. */
  readonly scopes: number;
}

export const syncLimits: SyncLimits = {
  frame_bytes: 1024 * 1024,
  // Two batches of the pipeline. A larger push would only delay its first answer.
  mutations_per_push: 256,
  // One being applied, one waiting, and two on the way over a slow link.
  pushes_in_flight: 4,
  // Three missed pings close a socket: a half-open one is found within 15 s.
  ping_ms: 5_000,
  hello_ms: 5_000,
  // A hello with 50 scopes of the longest names has some 10 kB.
  hello_bytes: 64 * 1024,
  // A phone's hello has some kB, mostly in one piece, so thousands fit.
  unauthenticated_bytes: 16 * 1024 * 1024,
  // Each fragment costs an object of some 150 B, also an empty one. Browsers cut a frame into pieces of 64 KiB and
  // more.
  fragments: 1_024,
  congested_bytes: 256 * 1024,
  slow_reader_ms: 30_000,
  bad_frames: 3,
  sweep_ms: 1_000,
  // A parsed body takes a few times its length.
  push_bytes: 64 * 1024 * 1024,
  // Further hellos would only queue for the database, until their phones time out and connect again.
  hellos_at_once: 1_000,
  // 200 phones a second; 6,000 before two share a moment.
  slot_ms: 5,
  slots_ms: 30_000,
  // Clients seal as they send, at most `pushes_in_flight` pushes ahead: a thousand items. Some may seal as they record:
  // a month of items.
  lost_items: 10_000,
  // Years of a phone, and still far from the largest sequence number.
  forgotten_items: 1_000_000,
  scopes: 50,
};

/** Features beside the frames of a protocol version; `welcome` lists their names. */
export const features = ['snapshot', 'http'] as const;

/** The limits that a client needs. */
export const clientLimits = ({ frame_bytes, mutations_per_push, pushes_in_flight, ping_ms }: SyncLimits): Limits => ({
  frame_bytes,
  mutations_per_push,
  pushes_in_flight,
  ping_ms,
});
