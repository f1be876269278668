import type { RouteKey } from '@tailgate/sync-protocol';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { signUp } from '../support/people.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { WebProxy } from '../support/web-proxy.ts';
import type { Service, ServiceOptions } from '../system/service.ts';
import { demoRoute, openService } from '../system/service.ts';
import { buildApp } from './built-app.ts';
import type { PhoneOptions } from './page-phone.ts';
import { PagePhone } from './page-phone.ts';

/** Routes of the demo data and their drivers. `long` has 150 stops with 20 lines each. */
export const routes = {
  day: { driver: '1001', helper: '1002', key: demoRoute('R100') },
  short: { driver: '1003', key: demoRoute('R200') },
  long: { driver: '1009', key: demoRoute('R900') },
} as const;

/** The real server with its database and host, the built driver app, and the network between phones and both. */
export interface PageWorld {
  readonly service: Service;
  /** `cut` and `refuse` are a dead zone for every phone. */
  readonly network: TcpProxy;
  /** The address that a driver opens. */
  readonly address: string;
  readonly browser: Browser;
  phone(options?: PhoneOptions): Promise<PagePhone>;
  /** Registers drivers, as they did on an earlier day. */
  register(...drivers: readonly string[]): Promise<void>;
  /** Waits until the host's stop results of a route satisfy the check. */
  untilOnHost(route: RouteKey, isSo: (rows: readonly HostStop[]) => boolean): Promise<void>;
}

/** A stop result in the host's tables. */
export interface HostStop {
  readonly stop: number;
  readonly status: string;
  readonly signer: string;
}

export interface WorldOptions extends ServiceOptions {
  /** A proxy before the server, which serves it under a prefix, or the app from elsewhere. */
  readonly proxy?: { readonly prefix?: string; readonly pages?: string };
}

/** @param browserArguments of Chromium, such as those of its fake camera */
export async function openPageWorld(
  { proxy, ...options }: WorldOptions = {},
  browserArguments: readonly string[] = [],
): Promise<PageWorld> {
  await buildApp();
  const service = await openService(options);
  const front = proxy && (await WebProxy.start(service.server.url, proxy));
  const network = await startTcpProxy(front ? Number(new URL(front.url).port) : service.server.port);
  const browser = await startBrowser(browserArguments);
  const address = `http://127.0.0.1:${network.port}${proxy?.prefix ?? ''}/app/`;
  const hostStops = async ({ facility, id, week_end }: RouteKey): Promise<HostStop[]> => {
    const rows = await service.show('RTSTUP', `RUFAC = '${facility}' and RURTE = '${id}' and RUWKE = '${week_end}'`);
    return rows.map(({ RUSTP, RUSTS, RUSNAM }) => ({
      stop: Number(RUSTP),
      status: String(RUSTS).trim(),
      signer: String(RUSNAM).trim(),
    }));
  };
  return {
    service,
    network,
    address,
    browser,
    phone: (wanted) => PagePhone.open(browser, address, network, wanted),
    register: async (...drivers) => {
      for (const driver of drivers) await signUp(service.rest, driver);
    },
    untilOnHost: async (route, isSo) => {
      await expect.poll(async () => isSo(await hostStops(route)), { timeout: 90_000 }).toBe(true);
    },
  };
}
