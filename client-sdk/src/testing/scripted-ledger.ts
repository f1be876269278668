import type {
  AckFrame,
  FeedDocument,
  LoadConditionReport,
  Mutation,
  MutationResult,
  PatchFrame,
  RouteHeader,
  Scope,
  Stamp,
  StopObject,
} from '@tailgate/sync-protocol';
import {
  addToChecksum,
  applyOfficeUpdate,
  applyStopUpdate,
  contentText,
  headerDocument,
  linkText,
  loadReportArgs,
  mutation,
  officeSource,
  planDocument,
  resultDocument,
  routeHeader,
  routeScope,
  skipAsUpdate,
  skipRefuseArgs,
  stopResult,
  stopUpdateArgs,
  warehouseStop,
} from '@tailgate/sync-protocol';
import { base64url, newId, platform } from '../platform/environment.ts';
import { sha256Of, ScriptedFiles } from './scripted-files.ts';
import { read } from './read.ts';

interface QueueState {
  readonly employee: string;
  lastSeq: number;
  link: string | null;
}

/** A mutation that the scripted server could not apply. */
interface QuarantinedItem {
  readonly clientId: string;
  readonly queue: QueueState;
  readonly item: Mutation;
  review: { readonly state: string; readonly code: string; readonly reason: string; version?: number; note?: string };
}

const poisonError = { code: 'INTERNAL', reason: 'poison' };

/** A mutation that the scripted server accepted, and the route version that contains it. */
export interface Taken {
  readonly id: string;
  readonly employee: string;
  readonly stop: number;
  readonly mutation: Mutation;
  readonly version: number;
}

/**
 * A server's state in small: one route, its ledger and its queues, by the rules of protocol.md. It shares no code with
 * the real server, so the SDK is tested against the protocol.
 */
export class ScriptedLedger {
  /** Every accepted mutation, in order. */
  readonly taken: Taken[] = [];
  /** Every accepted load condition report, in order. */
  readonly reports: LoadConditionReport[] = [];
  /** Sequences that a client declared lost. */
  readonly gone: { readonly from: number; readonly to: number }[] = [];
  /** Links that did not follow their predecessor. */
  chainBreaks = 0;
  epoch = 1;
  version = 1;
  hostedThrough = 1;
  /** Changes up to this version were accepted in shadow: none of them goes to the host. */
  shadowThrough = 0;
  parked: { stop: number; reason: string }[] = [];
  /** Additional stops that await files. */
  awaited: number[] = [];
  readonly files = new ScriptedFiles();
  /** Stops whose mutations the server cannot apply. */
  readonly poisoned = new Set<number>();
  readonly queues = new Map<string, QueueState>();
  readonly documents = new Map<string, FeedDocument>();
  readonly #hashes = new Map<string, string>();
  /** Deleted documents, and the version of their deletion. */
  readonly #withdrawn = new Map<string, number>();
  readonly #quarantined = new Map<string, QuarantinedItem>();
  /** Later edits of other phones that the server receives first, by stop. */
  readonly #overtaking = new Map<number, { readonly update: StopObject; readonly by: string }>();
  readonly #closeDelayMs: number | undefined;
  /** The scope of the route in the feed. */
  readonly scope: Scope;

  /** @param closeDelayMs from the arrival at the warehouse until the office closes the route; undefined: it never does */
  constructor(documents: readonly FeedDocument[], closeDelayMs?: number) {
    for (const document of documents) this.documents.set(document.key, document);
    this.#closeDelayMs = closeDelayMs;
    this.scope = routeScope(this.header);
  }

  get header(): RouteHeader {
    return read(routeHeader, this.documents.get(headerDocument)?.value);
  }

  get routeEpoch(): string {
    return `${this.epoch}.1`;
  }

  queue(clientId: string, employee: string): QueueState {
    const queue = this.queues.get(clientId) ?? { employee, lastSeq: 0, link: null };
    this.queues.set(clientId, queue);
    return queue;
  }

  push(clientId: string, items: readonly unknown[]): Omit<AckFrame, 'type'> {
    const queue = this.queues.get(clientId);
    if (!queue) throw new Error(`no hello came for ${clientId}`);
    const results: MutationResult[] = [];
    for (const raw of items) {
      const item = read(mutation, raw);
      const hash = sha256(contentText(item));
      const known = this.#hashes.get(item.id);
      if (item.seq > queue.lastSeq + 1) return { last_seq: queue.lastSeq, results, wants: queue.lastSeq + 1 };
      const next = item.seq === queue.lastSeq + 1;
      if (!next && known === undefined) return { last_seq: queue.lastSeq, results, fork: item.seq };
      if (next) this.#advance(queue, item, hash);
      results.push(
        known === undefined ? this.#apply(clientId, queue, item, hash) : this.#repeatResult(item, known === hash),
      );
    }
    return { last_seq: queue.lastSeq, results };
  }

  /** An operator releases a quarantined mutation, which is applied now. */
  release(id: string): void {
    const quarantined = this.#quarantinedItem(id);
    this.poisoned.delete(updateOf(quarantined.item).id);
    const { version = this.version } = this.#apply(
      quarantined.clientId,
      quarantined.queue,
      quarantined.item,
      this.#hashes.get(id) ?? '',
    );
    quarantined.review = { ...quarantined.review, state: 'released', version };
  }

  dismiss(id: string, note: string): void {
    const quarantined = this.#quarantinedItem(id);
    quarantined.review = { ...quarantined.review, state: 'dismissed', note };
  }

  /** The review documents of a queue's quarantined mutations. */
  reviews(clientId: string): FeedDocument[] {
    const quarantined = [...this.#quarantined].filter(([, each]) => each.clientId === clientId);
    return quarantined.map(([id, { review }]) => ({ key: `quarantine/${id}`, version: 1, value: { ...review } }));
  }

  #quarantinedItem(id: string): QuarantinedItem {
    const quarantined = this.#quarantined.get(id);
    if (!quarantined) throw new Error(`nothing was kept of ${id}`);
    return quarantined;
  }

  skip(clientId: string, from: number, to: number): void {
    this.gone.push({ from, to });
    const queue = this.queues.get(clientId);
    if (queue) Object.assign(queue, { lastSeq: to });
  }

  /** A clerk changes a stop on the host. */
  amend(update: StopObject, at: number, by: string): void {
    const stamp = { at, client: officeSource, seq: this.version + 1, by };
    this.#setResult(update.id, applyOfficeUpdate(this.#result(update.id), update, stamp).result);
  }

  /** The host removes a stop from the route; the drivers' results stay. */
  withdraw(stop: number): void {
    const key = planDocument(stop);
    this.version++;
    if (this.documents.delete(key)) this.#withdrawn.set(key, this.version);
  }

  /** An edit from another phone. */
  edit(update: StopObject, stamp: Stamp): void {
    const before = this.#result(update.id);
    this.#setResult(update.id, applyStopUpdate(before, update, stamp).result);
  }

  /** The next change of these fields or lines arrives after a later edit from another phone. */
  overtake(update: StopObject, by: string): void {
    this.#overtaking.set(update.id, { update, by });
  }

  /** The route closes: by its driver (D), or by the timer of the office (A). */
  close(by: 'D' | 'A'): void {
    this.version++;
    this.#setHeader({ status: 'C', closed_at: isoAt(platform.clock.now()), closed_by: by, autoclose_at: null });
  }

  patch(from: number | null): PatchFrame {
    const live = [...this.documents.values()];
    return {
      type: 'patch',
      scope: this.scope,
      epoch: this.routeEpoch,
      from,
      to: this.version,
      docs: live.filter((document) => from === null || document.version > from),
      deletes: [...this.#withdrawn].flatMap(([key, version]) => (from !== null && version > from ? key : [])),
      hosted_through: this.hostedThrough,
      ...(this.shadowThrough > 0 && { shadow_through: this.shadowThrough }),
      parked: this.parked,
      awaited: [...new Set([...this.awaited, ...this.#incomplete()])],
      checksum: live.reduce((sum, { key, version }) => addToChecksum(sum, key, version), 0),
    };
  }

  /** A copy, as in a backup. */
  backup(): ScriptedLedger {
    const copy = new ScriptedLedger([...this.documents.values()], this.#closeDelayMs);
    const { epoch, version, hostedThrough, shadowThrough } = this;
    Object.assign(copy, { epoch, version, hostedThrough, shadowThrough });
    copy.taken.push(...this.taken);
    copy.reports.push(...this.reports);
    for (const [id, queue] of this.queues) copy.queues.set(id, { ...queue });
    for (const [id, hash] of this.#hashes) copy.#hashes.set(id, hash);
    for (const [id, file] of this.files.here) copy.files.here.set(id, file);
    return copy;
  }

  #advance(queue: QueueState, item: Mutation, hash: string): void {
    if (item.prev_hash !== queue.link) this.chainBreaks++;
    queue.lastSeq = item.seq;
    queue.link = sha256(linkText(hash, item.prev_hash, item.seq));
  }

  #apply(client: string, queue: QueueState, item: Mutation, hash: string): MutationResult {
    const { seq, id } = item;
    this.#hashes.set(id, hash);
    if (item.name === 'report.load_condition') {
      this.reports.push(read(loadReportArgs, item.args).report);
      return { seq, id, result: 'applied' };
    }
    const update = updateOf(item);
    if (this.poisoned.has(update.id)) {
      this.#quarantined.set(id, { clientId: client, queue, item, review: { state: 'open', ...poisonError } });
      return { seq, id, result: 'quarantined', ...poisonError };
    }
    const stamp = { at: Date.parse(item.captured_at), client, seq, by: queue.employee };
    this.#editFirst(update, stamp.at + 1);
    const applied = applyStopUpdate(this.#result(update.id), update, stamp);
    if (applied.touched) this.#setResult(update.id, applied.result);
    this.#followWarehouse(update);
    this.taken.push({ id, employee: queue.employee, stop: update.id, mutation: item, version: this.version });
    const warnings = applied.remarks.map((remark) => ({ ...remark, message: 'remarked by the scripted server' }));
    return { seq, id, result: 'applied', version: this.version, status: applied.result.status, warnings };
  }

  /** @param at later than the change that arrives now */
  #editFirst(arriving: StopObject, at: number): void {
    const overtaking = this.#overtaking.get(arriving.id);
    if (!overtaking || !haveCommonField(overtaking.update, arriving)) return;
    this.#overtaking.delete(arriving.id);
    this.edit(overtaking.update, { at, client: newId(platform), seq: 1, by: overtaking.by });
  }

  /** Arrival and close of the warehouse stop decide about the whole route. */
  #followWarehouse(update: StopObject): void {
    if (update.id !== warehouseStop || this.header.status === 'C') return;
    if (update.arrived === true && !this.header.arrived) {
      const autoclose_at = this.#closeDelayMs === undefined ? null : isoAt(platform.clock.now() + this.#closeDelayMs);
      this.#setHeader({ arrived: true, autoclose_at });
    }
    if (update.updates?.status === 'D') this.close('D');
  }

  /** Belongs to the present version. */
  #setHeader(changed: Partial<RouteHeader>): void {
    const value = { ...this.header, ...changed };
    this.documents.set(headerDocument, { key: headerDocument, version: this.version, value });
  }

  #repeatResult({ seq, id, name }: Mutation, same: boolean): MutationResult {
    if (!same) return { seq, id, result: 'quarantined', code: 'ID_REUSED', reason: 'another content' };
    if (name === 'report.load_condition') return { seq, id, result: 'duplicate' };
    const entry = this.taken.find((each) => each.id === id);
    if (!entry) return { seq, id, result: 'quarantined', ...poisonError };
    return { seq, id, result: 'duplicate', version: entry.version };
  }

  /** Stops that name missing files. */
  #incomplete(): number[] {
    return [...this.documents].flatMap(([key, { value }]) => {
      const stop = /^result\/(\d+)$/.exec(key)?.[1];
      return stop === undefined || this.files.has(value) ? [] : [Number(stop)];
    });
  }

  #result(stop: number) {
    return read(stopResult, this.documents.get(resultDocument(stop))?.value ?? { status: 'P' });
  }

  #setResult(stop: number, value: unknown): void {
    this.version++;
    const key = resultDocument(stop);
    // As parsed from a frame: no member is undefined.
    this.documents.set(key, { key, version: this.version, value: JSON.parse(JSON.stringify(value)) });
  }
}

function updateOf({ name, args }: Mutation): StopObject {
  if (name === 'stop.skip_refuse') return skipAsUpdate(read(skipRefuseArgs, args), () => undefined);
  return read(stopUpdateArgs, args).stop;
}

/** Whether two updates of one stop write a field or a line in common. */
const haveCommonField = (one: StopObject, other: StopObject): boolean =>
  Object.keys(one.updates ?? {}).some((field) => Object.hasOwn(other.updates ?? {}, field)) ||
  (one.products ?? []).some(({ id, invoice }) =>
    other.products?.some((line) => line.id === id && line.invoice === invoice),
  );

const isoAt = (ms: number): string => new Date(ms).toISOString();

const sha256 = (text: string): string => base64url(sha256Of(new TextEncoder().encode(text)));
