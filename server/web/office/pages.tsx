import type { ReactNode } from 'react';
import { lazyWith } from '../ui/lazy.tsx';
import type { RouteKey } from './links.ts';
import { frontStep } from './navigation.ts';
import { MissingPart } from './parts/missing-part.tsx';
import { ColumnsScreen } from './screens/columns.tsx';
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
import { RouteScreen } from './screens/route.tsx';
import { RoutesScreen } from './screens/routes.tsx';
import { SearchScreen } from './screens/search.tsx';
import { StopScreen } from './screens/stop.tsx';

/** Opened after a broken phone: it loads when it is shown. */
const RescueScreen = lazyWith(MissingPart)(() => import('./screens/rescue.tsx').then((part) => part.RescueScreen));

/** Packs come from outside, seldom. */
const EvidenceScreen = lazyWith(MissingPart)(() =>
  import('./screens/evidence.tsx').then((part) => part.EvidenceScreen),
);

/** The page of each first step of an address. A new screen is one more row here, and one in `links.ts`. */
const pages: Readonly<Record<string, (...steps: readonly string[]) => ReactNode>> = {
  inbox: () => <InboxScreen />,
  incidents: (id) => <IncidentsScreen chosen={id} />,
  flags: () => <FlagsScreen />,
  parked: (id) => (id === undefined ? <ParkedScreen /> : <RepairScreen id={id} />),
  quarantine: (id) => (id === undefined ? <QuarantineScreen /> : <KeptScreen id={id} />),
  phones: (id) => <PhonesScreen chosen={id} />,
  evidence: () => <EvidenceScreen />,
  rescue: () => <RescueScreen />,
  host: () => <HostScreen />,
  routes: (...steps) => <RoutesScreen chosen={routeOf(steps)} />,
  route: (...steps) => routePage(steps),
  search: (text = '') => <SearchScreen text={text} />,
  stop: (...steps) => stopPage(steps),
};

function routeOf([facility, route_id, week_end]: readonly string[]): RouteKey | undefined {
  if (facility === undefined || route_id === undefined || week_end === undefined) return undefined;
  return { facility, route_id, week_end };
}

/** `route/F01/R100/20261128`, and as it was: `route/F01/R100/20261128/214`. */
function routePage(steps: readonly string[]): ReactNode {
  const route = routeOf(steps);
  const version = steps[3] === undefined ? undefined : Number(steps[3]);
  if (!route || Number.isNaN(version)) return undefined;
  return <RouteScreen route={route} version={version} />;
}

/** `stop/F01/R100/20261128/6/history`: the key of the stop, then its page. */
function stopPage(steps: readonly string[]): ReactNode {
  const route = routeOf(steps);
  const [, , , stop, page = 'plan', moment] = steps;
  const stop_id = Number(stop);
  if (!route || !Number.isInteger(stop_id)) return undefined;
  const key = { ...route, stop_id };
  if (page === 'plan') return <StopScreen stop={key} />;
  if (page === 'columns') return <ColumnsScreen stop={key} />;
  return page === 'history' ? <HistoryScreen stop={key} moment={moment} /> : undefined;
}

/** The page at an address. */
export function pageAt([first = frontStep, ...rest]: readonly string[]): ReactNode {
  const page = Object.hasOwn(pages, first) ? pages[first] : undefined;
  return page?.(...rest) ?? <MissingScreen />;
}
