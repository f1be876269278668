import type { OperatorRole } from '@tailgate/sync-protocol';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import * as z from 'zod/mini';
import { atTestEnd } from '../support/file-end.ts';
import { operatorHeaders, operatorPassword, operatorToken } from '../support/operators.ts';
import { startBrowser } from '../support/browser.ts';
import type { Service, ServiceOptions } from '../system/service.ts';
import { openService } from '../system/service.ts';
import { buildApp } from './built-app.ts';
import { Finger } from './finger.ts';
import { takeShot } from './shots.ts';

export interface DeskOptions {
  /** CSS px; default: 1440 × 900. */
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly locale?: 'en-US' | 'es-MX';
  /** Of the computer; default: the machine's. */
  readonly timezone?: string;
}

/** A session as the page keeps it for a reload. */
const keptSession = z.looseObject({ token: z.string() });
type KeptSession = z.infer<typeof keptSession>;
const sessionKey = 'tailgate-operator';

/** A request of a button. */
interface SentAct {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
}

/** A clerk's computer: a browser's profile with the console in a page, and a mouse. */
export class Desk {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly hand: Finger;
  /** Violations of the content security policy, and errors of the page. */
  readonly faults: string[] = [];
  /** The requests of buttons, beside sign-ins and sign-outs. */
  readonly acts: SentAct[] = [];
  /** The addresses that lists were read from. */
  readonly lists: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    this.hand = new Finger(page, (x, y) => page.mouse.click(x, y));
    context.on('weberror', (error) => this.faults.push(error.error().message));
    page.on('request', (request) => {
      const [method, url] = [request.method(), request.url()];
      if (!url.includes('/api/ops/')) return;
      if (method === 'GET' || method === 'HEAD') this.lists.push(url);
      else if (!/\/ops\/(sessions|password)/.test(url)) this.acts.push({ method, url, body: request.postData() });
    });
    page.on('console', (line) => {
      if (/Content Security Policy|Permissions policy/i.test(line.text())) this.faults.push(line.text());
    });
  }

  /**
   * @param address of the console, with the part behind `#`
   * @param session that the tab has, as after a reload
   */
  static async open(
    browser: Browser,
    address: string,
    options: DeskOptions = {},
    session?: KeptSession,
  ): Promise<Desk> {
    const { width = 1440, height = 900, locale = 'en-US', scheme = 'light', timezone } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      locale,
      ...(timezone !== undefined && { timezoneId: timezone }),
      colorScheme: scheme,
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    // A page that stays open goes on drawing what later tests do.
    atTestEnd(() => context.close());
    const desk = new Desk(context, await context.newPage());
    if (session) await desk.page.addInitScript(keepOnce, [sessionKey, JSON.stringify(session)] as const);
    await desk.page.goto(address);
    return desk;
  }

  async signIn(operator: string): Promise<void> {
    await this.hand.type('Name', operator);
    await this.hand.type('Password', operatorPassword);
    await this.hand.tap('Sign in');
    await this.hand.sees('Sign out');
  }

  /** Follows a deep link within the console. */
  async go(hash: string): Promise<void> {
    await this.page.evaluate((to) => void (location.hash = to), hash);
  }

  /** The page's session, as it keeps it for a reload. */
  async session(): Promise<KeptSession> {
    const kept = await this.page.evaluate((key) => sessionStorage.getItem(key) ?? '', sessionKey);
    return keptSession.parse(JSON.parse(kept));
  }

  /** Writes a picture of the page. */
  readonly shot = (name: string): Promise<void> => takeShot(this.page, name);
}

/** Runs in the page before its scripts, and stores a value in a new tab. A reload finds what the page has stored since. */
function keepOnce([key, value]: readonly [string, string]): void {
  const mark = 'test-tab-is-known';
  if (sessionStorage.getItem(mark) === null) sessionStorage.setItem(key, value);
  sessionStorage.setItem(mark, '');
}

/** The real server with its database and host, and the built console. */
export interface OfficeWorld {
  readonly service: Service;
  readonly address: string;
  readonly browser: Browser;
  /** A new computer that shows the door. */
  stranger(hash?: string, options?: DeskOptions): Promise<Desk>;
  /**
   * A new computer, with an operator of this role signed in: LOOK, REPAIR or ADMIN. The first one uses the form; each
   * further one has a session of its own, as a tab after a reload.
   */
  desk(role: OperatorRole, hash?: string, options?: DeskOptions): Promise<Desk>;
  /** The headers of an own session of the operator. */
  readonly headers: Readonly<Record<OperatorRole, { readonly authorization: string }>>;
  /** Of all desks. */
  acts(): SentAct[];
  faults(): string[];
}

export async function openOfficeWorld(options: ServiceOptions = {}): Promise<OfficeWorld> {
  await buildApp();
  const service = await openService(options);
  const node = { database: service.database, client: service.rest, clock: { now: new Date() } };
  const headers = {
    look: await operatorHeaders(node, 'look'),
    repair: await operatorHeaders(node, 'repair'),
    admin: await operatorHeaders(node, 'admin'),
  };
  const browser = await startBrowser();
  const address = `${service.server.url}/office/`;
  const desks: Desk[] = [];
  const open = async (hash = '', deskOptions: DeskOptions = {}, session?: KeptSession): Promise<Desk> => {
    const desk = await Desk.open(browser, `${address}${hash}`, deskOptions, session);
    desks.push(desk);
    return desk;
  };
  const signedIn = new Map<OperatorRole, KeptSession>();
  const desk = async (role: OperatorRole, hash?: string, deskOptions?: DeskOptions): Promise<Desk> => {
    const operator = role.toUpperCase();
    const earlier = signedIn.get(role);
    if (earlier) {
      const next = await open(hash, deskOptions, { ...earlier, token: await operatorToken(service.rest, operator) });
      await next.hand.sees('Sign out');
      return next;
    }
    const first = await open(hash, deskOptions);
    await first.signIn(operator);
    signedIn.set(role, await first.session());
    return first;
  };
  return {
    service,
    address,
    browser,
    headers,
    stranger: (hash, deskOptions) => open(hash, deskOptions),
    desk,
    acts: () => desks.flatMap(({ acts }) => acts),
    faults: () => desks.flatMap(({ faults }) => faults),
  };
}
