import type { ReactNode } from 'react';
import { lazy } from '../ui/lazy.tsx';
import type { Address } from '../ui/router.ts';
import { links } from './links.ts';
import type { ReportKind } from './model/load-report.ts';
import { sectionNamed } from './model/load-report.ts';
import { CommentSheet } from './screens/comment.tsx';
import { DayScreen } from './screens/day.tsx';
import { DisplaySheet } from './screens/display.tsx';
import { ExceptionSheet, MoreSheet } from './screens/exception.tsx';
import { HistorySheet } from './screens/history.tsx';
import { InboxScreen } from './screens/inbox.tsx';
import { LineSheet } from './screens/line.tsx';
import { ReturnSheet } from './screens/return.tsx';
import { RouteScreen } from './screens/route.tsx';
import { StopScreen } from './screens/stop.tsx';
import { SupportSheet } from './screens/support.tsx';
import { WhereSheet } from './screens/where.tsx';

const SignatureScreen = lazy(() => import('./screens/signature.tsx').then((part) => part.SignatureScreen));
const ScanScreen = lazy(() => import('./screens/scan.tsx').then((part) => part.ScanScreen));
const OverageSheet = lazy(() => import('./screens/overage.tsx').then((part) => part.OverageSheet));
const CloseScreen = lazy(() => import('./screens/close.tsx').then((part) => part.CloseScreen));
const CountsSheet = lazy(() => import('./screens/counts.tsx').then((part) => part.CountsSheet));
const LoadScreen = lazy(() => import('./screens/load.tsx').then((part) => part.LoadScreen));
const LoadSectionSheet = lazy(() => import('./screens/load-section.tsx').then((part) => part.LoadSectionSheet));

/** A screen, and a sheet over it. The same key keeps the screen as it is, scrolled and all. */
export interface Page {
  readonly key: string;
  readonly screen: ReactNode;
  readonly sheet?: ReactNode;
}

type Read = (...steps: string[]) => Page | undefined;

const route = (sheet?: ReactNode): Page => ({ key: 'route', screen: <RouteScreen />, sheet });

/** The warehouse, and the note of a section of its load condition report. */
function close(section = ''): Page {
  return { key: 'close', screen: <CloseScreen />, sheet: loadSection('return', section) };
}

function loadSection(kind: ReportKind, name: string): ReactNode {
  const section = sectionNamed(name);
  return section && <LoadSectionSheet kind={kind} section={section} />;
}

/** Every page by the first step of its address; an unknown address shows the route. */
const pages: Readonly<Record<string, Read>> = {
  where: (id) => route(<WhereSheet stop={Number(id)} />),
  done: (id) => route(<WhereSheet stop={Number(id)} isFresh />),
  day: (what) => ({
    key: 'day',
    screen: <DayScreen />,
    sheet: what === 'support' ? <SupportSheet /> : undefined,
  }),
  inbox: () => ({ key: 'inbox', screen: <InboxScreen /> }),
  display: () => route(<DisplaySheet />),
  scan: () => ({ key: 'scan', screen: <ScanScreen key="tab" /> }),
  load: (section = '') => ({ key: 'load', screen: <LoadScreen />, sheet: loadSection('leave', section) }),
  close,
  stop: (id, what = '', key = '') => {
    const stop = Number(id);
    const whole = stopPages[what];
    if (whole) return whole(stop, key);
    return { key: `stop/${stop}`, screen: <StopScreen id={stop} />, sheet: stopSheets[what]?.(stop, key) };
  },
};

/** Screens of a stop that take its place, by the second step: `stop/6/sign`. */
const stopPages: Readonly<Record<string, (stop: number, key: string) => Page>> = {
  sign: (stop) => ({ key: `stop/${stop}/sign`, screen: <SignatureScreen stop={stop} /> }),
  scan: (stop) => ({ key: `stop/${stop}/scan`, screen: <ScanScreen stop={stop} /> }),
};

/** Sheets over a stop, by the second step: `stop/6/line/KEY`. */
const stopSheets: Readonly<Record<string, (stop: number, key: string) => ReactNode>> = {
  line: (stop, key) => <LineSheet stop={stop} line={key} />,
  return: (stop, key) => <ReturnSheet stop={stop} line={key} />,
  overage: (stop, place) => <OverageSheet stop={stop} place={Number(place)} />,
  counts: (stop) => <CountsSheet stop={stop} />,
  more: (stop) => <MoreSheet stop={stop} />,
  skip: (stop) => <ExceptionSheet key="S" stop={stop} type="S" />,
  refuse: (stop) => <ExceptionSheet key="R" stop={stop} type="R" />,
  comment: (stop) => <CommentSheet stop={stop} />,
  where: (stop) => <WhereSheet stop={stop} parent={links.stop(stop)} />,
  history: (stop) => <HistorySheet stop={stop} />,
};

export const pageAt = ({ steps: [first = '', ...rest] }: Address): Page =>
  (Object.hasOwn(pages, first) ? pages[first]?.(...rest) : undefined) ?? route();
