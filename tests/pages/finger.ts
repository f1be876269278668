import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { listed } from '../support/open-waits.ts';
import type { Found, Wanted } from './visible.ts';
import { findInPage, focusedField, hasHit, readPage, watchTouch } from './visible.ts';

/** CSS px. WCAG 2.2 asks for 24; a driver wears gloves. */
const minTarget = 48;
const fieldTags = ['INPUT', 'TEXTAREA'];
/**
 * Longer than any wait of a test, also on a machine with ten times the work: a missing text fails with what the page shows
 * instead.
 */
export const patienceMs = 60_000;
const scannerKeySeconds = 0.005;
const enterKey = { key: 'Enter', text: '\r', windowsVirtualKeyCode: 13 };
/** The first signs of a text are keys of their own. The rest comes at once, as from a dictation: a page draws each key. */
const typedKeys = 3;
/** A person reads what a touch has changed before the next touch of the same place; a faster one is half a double tap. ms */
const readingMs = 400;
/** Touches of one place; CSS px. */
const samePlace = 40;
/** More than enough for a route of 150 stops. */
const maxScrolls = 80;

/** A touch, or the click of a mouse. */
type Press = (x: number, y: number) => Promise<void>;

/** The number among several equal texts, from the top. */
interface TapOptions {
  readonly nth?: number;
}

/**
 * A driver's finger and eyes: it uses visible texts and coordinates, and nothing of the page's structure. It scrolls
 * until its target is on the screen with nothing over it, checks the target's size, and touches its middle. It counts taps,
 * and typed fields; a scroll is no tap.
 */
export class Finger {
  taps = 0;
  fields = 0;
  readonly #page: Page;
  readonly #press: Press;
  /** Touches of the last moments. */
  #touches: readonly { readonly x: number; readonly y: number; readonly at: number }[] = [];
  /** Errors of the page since this finger is there: the reason of many a missing text. */
  readonly #errors: string[] = [];

  constructor(page: Page, press: Press = (x, y) => page.touchscreen.tap(x, y)) {
    this.#page = page;
    this.#press = press;
    page.on('pageerror', ({ message }) => this.#errors.push(message));
    page.on('console', (line) => line.type() === 'error' && this.#errors.push(line.text()));
  }

  /** Taps and fields since the last call: the figure that a row of the table limits. */
  count(): { readonly taps: number; readonly fields: number } {
    const { taps, fields } = this;
    this.taps = 0;
    this.fields = 0;
    return { taps, fields };
  }

  /** Touches what has this text or this accessible name. */
  async tap(text: string, { nth = 0 }: TapOptions = {}): Promise<void> {
    await this.#touch({ text, nth, kind: 'act' });
    this.taps++;
  }

  /** Touches a target twice, faster than a person can read, as a glove does by mistake. One tap: the second one is none. */
  async tapTwice(text: string): Promise<void> {
    const { x, y } = await this.#reach({ text, nth: 0, kind: 'act' });
    await this.#untilRead(x, y);
    await Promise.all([this.#press(x, y), this.#press(x, y)]);
    this.#noteTouch(x, y);
    this.taps++;
  }

  /** Touches a target; once more where it has moved away since it was seen, because the page changed meanwhile: as a person does. */
  async #touch(wanted: Wanted): Promise<void> {
    if (!(await this.#hits(await this.#reach(wanted)))) await this.#hits(await this.#reach(wanted));
  }

  /** Waits as long as a person reads before a second touch of one place. */
  async #untilRead(x: number, y: number): Promise<void> {
    const hasRead = (): boolean =>
      this.#recentTouches().every((touch) => Math.hypot(x - touch.x, y - touch.y) >= samePlace);
    await expect.poll(hasRead, { interval: 20 }).toBe(true);
  }

  #recentTouches() {
    return this.#touches.filter(({ at }) => performance.now() - at < readingMs);
  }

  #noteTouch(x: number, y: number): void {
    this.#touches = [...this.#recentTouches(), { x, y, at: performance.now() }];
  }

  /** Touches a place: false where the target is there no longer. */
  async #hits({ x, y }: { readonly x: number; readonly y: number }): Promise<boolean> {
    await this.#untilRead(x, y);
    await this.#page.evaluate(watchTouch);
    await this.#press(x, y);
    this.#noteTouch(x, y);
    // The touch may have ended the page.
    return this.#page.evaluate(hasHit).catch(() => true);
  }

  /** Types into the field with this label, in place of its text. The touch that focuses it belongs to the typing. */
  async type(label: string, value: string, { nth = 0 }: TapOptions = {}): Promise<void> {
    await this.#touch({ text: label, nth, kind: 'field' });
    const { tag, value: before } = await this.#page.evaluate(focusedField);
    if (!fieldTags.includes(tag)) throw new Error(`a touch on “${label}” focuses <${tag.toLowerCase()}>, no field`);
    if (before !== '') await this.#page.keyboard.press('ControlOrMeta+a');
    const { keyboard } = this.#page;
    const signs = Array.from(value);
    await keyboard.type(signs.slice(0, typedKeys).join(''));
    if (signs.length > typedKeys) await keyboard.insertText(signs.slice(typedKeys).join(''));
    this.fields++;
  }

  /** As a hardware scanner does: keys in a burst, and Enter. */
  async scan(barcode: string): Promise<void> {
    const devtools = await this.#page.context().newCDPSession(this.#page);
    // The times are those of a scanner, however busy this machine is; in s since 1970.
    const at = Date.now() / 1_000;
    const keys = [...Array.from(barcode, (key) => ({ key, text: key })), enterKey];
    await Promise.all(
      keys.flatMap((key, place) => {
        const timestamp = at + place * scannerKeySeconds;
        return [
          devtools.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, timestamp }),
          devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', key: key.key, timestamp }),
        ];
      }),
    );
    await devtools.detach();
    this.taps++;
  }

  /** A photo with the phone's camera app: the tap on the button, and the shutter. */
  async photograph(text: string, photo: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const [chooser] = await Promise.all([this.#page.waitForEvent('filechooser'), this.tap(text)]);
    await chooser.setFiles(photo);
    this.taps++;
  }

  /** Draws two strokes on the surface of this name, such as a signature. No tap. */
  async draw(name: string): Promise<void> {
    const { x, y, width, height } = await this.#reach({ text: name, nth: 0, kind: 'surface' });
    const at = (right: number, down: number) => ({ x: x + width * right, y: y + height * down });
    const strokes = [
      [at(-0.3, -0.2), at(-0.1, 0.1), at(0.2, -0.1)],
      [at(-0.2, 0.2), at(0.1, 0.15), at(0.3, 0.2)],
    ];
    const devtools = await this.#page.context().newCDPSession(this.#page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints });
    for (const [first, ...rest] of strokes) {
      if (first) await touch('touchStart', first);
      for (const point of rest) await touch('touchMove', point);
      await touch('touchEnd');
    }
    await devtools.detach();
  }

  /** The text that a person can read now. */
  read(): Promise<string> {
    return this.#page.evaluate(readPage);
  }

  /** Waits until the screen has this text. */
  async sees(text: string | RegExp): Promise<void> {
    await this.#until(String(text), (shown) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)));
  }

  /** Waits until the screen has this text no longer. */
  async seesNo(text: string): Promise<void> {
    await this.#until(`no ${text}`, (shown) => !shown.includes(text));
  }

  async #until(wanted: string, isSo: (shown: string) => boolean): Promise<void> {
    let shown = '';
    const untilSo = async (): Promise<void> => {
      // A closed page shows nothing more: the next touch fails.
      const look = async () => this.#page.isClosed() || isSo((shown = await this.read()));
      await expect.poll(look, { timeout: patienceMs }).toBe(true);
    };
    await listed(untilSo(), () => shown).catch((cause: unknown) => {
      const errors = this.#errors.map((error) => `\n  the page's error: ${error}`).join('');
      throw new Error(`the screen does not have “${wanted}”, but: ${shown}${errors}`, { cause });
    });
  }

  /** Waits until the target is there, and scrolls until it can be touched. */
  async #reach(wanted: Wanted): Promise<Extract<Found, { at: 'ready' }>> {
    let found = await this.#find(wanted);
    for (let scrolls = 0; found.at === 'away'; scrolls++) {
      if (scrolls === maxScrolls) throw new Error(`“${wanted.text}” cannot be touched: ${found.over} lies over it`);
      await this.#page.mouse.move(found.x, found.y);
      await this.#page.mouse.wheel(0, found.dy);
      found = await this.#find(wanted);
    }
    if (found.at === 'missing') throw new Error(`“${wanted.text}” is not there, but: ${found.seen.join(' | ')}`);
    const { width, height, name } = found;
    const size = Math.round(Math.min(width, height));
    if (size < minTarget) throw new Error(`the target “${name}” has ${size} px, less than ${minTarget}`);
    return found;
  }

  /** The target at rest: its place is the same in two frames. */
  async #find(wanted: Wanted): Promise<Found> {
    let found: Found = { at: 'missing', seen: [] };
    const isAtRest = async (): Promise<boolean> => {
      if (this.#page.isClosed()) return true;
      const before = found;
      await this.#page.evaluate(nextFrames);
      found = await this.#page.evaluate(findInPage, wanted);
      return found.at !== 'missing' && JSON.stringify(before) === JSON.stringify(found);
    };
    const untilAtRest = async (): Promise<void> => {
      await expect.poll(isAtRest, { interval: 20, timeout: patienceMs }).toBe(true);
    };
    await listed(untilAtRest(), () => found).catch(() => undefined);
    return found;
  }
}

/** Resolves after two frames: a frame draws what the one before has computed. */
const nextFrames = (): Promise<unknown> =>
  new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
