import type { ReactNode } from 'react';
import { frontStep } from './navigation.ts';
import { FlagsScreen } from './screens/flags.tsx';
import { HistoryScreen } from './screens/history.tsx';
import { HostScreen } from './screens/host.tsx';
import { InboxScreen } from './screens/inbox.tsx';
import { IncidentsScreen } from './screens/incidents.tsx';
import { KeptScreen } from './screens/kept.tsx';
import { MissingScreen } from './screens/missing.tsx';
import { ParkedScreen } from './screens/parked.tsx';
import { PhonesScreen } from './screens/phones.tsx';
import { QuarantineScreen } from './screens/quarantine.tsx';
import { RepairScreen } from './screens/repair.tsx';

/** The page of each first step of an address. A new screen is one more row here, and one in `links.ts`. */
const pages: Readonly<Record<string, (...steps: readonly string[]) => ReactNode>> = {
  inbox: () => <InboxScreen />,
  incidents: (id) => <IncidentsScreen chosen={id} />,
  flags: () => <FlagsScreen />,
  parked: (id) => (id === undefined ? <ParkedScreen /> : <RepairScreen id={id} />),
  quarantine: (id) => (id === undefined ? <QuarantineScreen /> : <KeptScreen id={id} />),
  phones: (id) => <PhonesScreen chosen={id} />,
  host: () => <HostScreen />,
  stop: (...steps) => stopPage(steps),
};

/** `stop/F01/R100/20261128/6/history`: the key of the stop, then its page. */
function stopPage([facility, route_id, week_end, stop, page, moment]: readonly string[]): ReactNode {
  const stop_id = Number(stop);
  if (facility === undefined || route_id === undefined || week_end === undefined) return undefined;
  if (!Number.isInteger(stop_id) || (page ?? 'history') !== 'history') return undefined;
  return <HistoryScreen stop={{ facility, route_id, week_end, stop_id }} moment={moment} />;
}

/** The page at an address. */
export function pageAt([first = frontStep, ...rest]: readonly string[]): ReactNode {
  const page = Object.hasOwn(pages, first) ? pages[first] : undefined;
  return page?.(...rest) ?? <MissingScreen />;
}
