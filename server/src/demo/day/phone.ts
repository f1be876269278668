import { createHash } from 'node:crypto';
import { contentText, linkText, type Mutation } from '@tailgate/sync-protocol';
import { committedAssetId, ResumableUploads, type ResumableDeps } from '../../assets/resumable.ts';
import { signUp } from '../../auth/sign-up.ts';
import type { AuthDeps } from '../../auth/deps.ts';
import { hashToken } from '../../auth/tokens.ts';
import type { Pipeline } from '../../mutations/change.ts';
import { idOf } from '../../stops/mutation-id.ts';
import { openClients } from '../../sync/clients.ts';
import { bootOf, clockOf } from '../../sync/device-clock.ts';

export interface PhoneDeps {
  readonly auth: AuthDeps;
  readonly pipeline: Pipeline;
  readonly uploads: ResumableDeps;
  readonly now: () => Date;
}

/** The person and the device. */
export interface PhoneOwner {
  readonly employee: string;
  readonly password: string;
  readonly device: string;
  readonly app: string;
  /** Names the start of the demo: the same start makes the same ids, so that a repetition doubles nothing. */
  readonly start: Date;
}

const sdk = 'demo';

/** A driver's phone: a queue that it seals, and the files that it uploads, by the functions behind the sync channel. */
export class DemoPhone {
  readonly clientId: string;
  readonly #deps: PhoneDeps;
  readonly #owner: PhoneOwner;
  readonly #bootId: string;
  readonly #bootAt: number;
  readonly #session = {};
  #waiting: Mutation[] = [];
  #seq = 0;
  #link: string | null = null;

  private constructor(deps: PhoneDeps, owner: PhoneOwner) {
    this.#deps = deps;
    this.#owner = owner;
    this.clientId = this.#idOf('queue');
    this.#bootId = this.#idOf('boot');
    this.#bootAt = deps.now().getTime() - 3_600_000;
  }

  /** Registers the driver and opens the queue. A driver of an interrupted demo is registered already. */
  static async open(deps: PhoneDeps, owner: PhoneOwner): Promise<DemoPhone> {
    const { employee, password, device, app } = owner;
    const signedUp = await signUp(deps.auth, { employee, password, device });
    const session = signedUp.kind === 'signed_up' ? hashToken(signedUp.token) : null;
    const phone = new DemoPhone(deps, owner);
    const request = { client_id: phone.clientId, employee_id: employee, device, sdk, app };
    const boot = bootOf(phone.#clock());
    const [answer] = await openClients(deps.auth.db, [{ ...request, session, boot }], deps.now());
    if (answer?.kind !== 'open') throw new Error(`the server refuses the queue of the demo driver ${employee}`);
    return phone;
  }

  /** Seals a change, as an app records it. It leaves the phone with `send`. */
  record(name: string, args: object, at: Date): void {
    const content = {
      id: this.#idOf(`item ${this.#seq + 1}`),
      name,
      version: 1,
      args,
      captured_at: at.toISOString(),
      boot_id: this.#bootId,
      monotonic_ms: at.getTime() - this.#bootAt,
    };
    const item = { ...content, seq: ++this.#seq, prev_hash: this.#link };
    this.#link = digestOf(linkText(digestOf(contentText(item)), item.prev_hash, item.seq));
    this.#waiting.push(item);
  }

  /** Pushes what waits. */
  async send(): Promise<void> {
    const { employee } = this.#owner;
    const items = this.#waiting;
    this.#waiting = [];
    const queue = { session: this.#session, clientId: this.clientId, employee, clock: this.#clock() };
    const { results } = await this.#deps.pipeline.push(queue, items);
    if (results.length !== items.length) throw new Error(`the queue of the demo driver ${employee} is out of step`);
  }

  /** The id that the phone gives to a file, by its bytes. */
  idOfFile(bytes: Buffer): string {
    return committedAssetId(this.#commitment(bytes));
  }

  /** Uploads a file, as a phone does after the change that names it. @returns its id */
  async upload(name: string, bytes: Buffer): Promise<string> {
    const uploads = new ResumableUploads(this.#deps.uploads);
    const { length, sha256: digest } = this.#commitment(bytes);
    const [id, owner] = [this.idOfFile(bytes), `driver ${this.#owner.employee}`];
    const state = await uploads.begin({ id, owner, length, name, sha256: Buffer.from(digest, 'hex') });
    if (state.activeAt !== undefined && state.received < length)
      await uploads.append(id, owner, state.received, piecesOf(bytes.subarray(state.received)));
    return id;
  }

  #commitment(bytes: Buffer) {
    const salt = digestOf(this.clientId).slice(0, 22);
    return { salt, length: bytes.length, sha256: sha256(bytes).toString('hex') };
  }

  /** The device's clocks agree with the server's. */
  #clock() {
    const now = this.#deps.now();
    const time = now.toISOString();
    const monotonic_ms = now.getTime() - this.#bootAt;
    return clockOf({ now: time, server_now: time, boot_id: this.#bootId, monotonic_ms }, now);
  }

  #idOf(what: string): string {
    const { start, employee } = this.#owner;
    return idOf(`demo day ${start.toISOString()} ${employee} ${what}`);
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const digestOf = (text: string): string => sha256(text).toString('base64url');
const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();
