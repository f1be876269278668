import type { ReactNode } from 'react';
import { lazyWith } from '../ui/lazy.tsx';
import type { Address } from '../ui/router.ts';
import { links } from './links.ts';
import type { ReportKind } from './model/load-report.ts';
import { sectionNamed } from './model/load-report.ts';
import { warehouse } from './model/order.ts';
import { MissingPart } from './parts/missing-part.tsx';
import { RouteScreen } from './screens/route.tsx';
import { StopScreen } from './screens/stop.tsx';

const lazy = lazyWith(MissingPart);

// Screens that the list of stops does not need load later, in few files: a phone fetches all of them when it installs a version.
const stopParts = () => import('./screens/stop-parts.ts');
const dayParts = () => import('./screens/day-parts.ts');
const codeParts = () => import('./screens/code-parts.ts');
// The first of them: a delivery shows it.
const WhereSheet = lazy(() => stopParts().then((part) => part.WhereSheet));
const CommentSheet = lazy(() => stopParts().then((part) => part.CommentSheet));
const DayScreen = lazy(() => dayParts().then((part) => part.DayScreen));
const DisplaySheet = lazy(() => stopParts().then((part) => part.DisplaySheet));
const ExceptionSheet = lazy(() => stopParts().then((part) => part.ExceptionSheet));
const MoreSheet = lazy(() => stopParts().then((part) => part.MoreSheet));
const HandOverScreen = lazy(() => codeParts().then((part) => part.HandOverScreen));
const HistorySheet = lazy(() => stopParts().then((part) => part.HistorySheet));
const InboxScreen = lazy(() => dayParts().then((part) => part.InboxScreen));
const LineSheet = lazy(() => stopParts().then((part) => part.LineSheet));
const ReturnSheet = lazy(() => stopParts().then((part) => part.ReturnSheet));
const SupportSheet = lazy(() => dayParts().then((part) => part.SupportSheet));
const SignatureScreen = lazy(() => stopParts().then((part) => part.SignatureScreen));
const StopPhotosSheet = lazy(() => stopParts().then((part) => part.StopPhotosSheet));
const ScanScreen = lazy(() => codeParts().then((part) => part.ScanScreen));
const OverageSheet = lazy(() => stopParts().then((part) => part.OverageSheet));
const TakeOverScreen = lazy(() => codeParts().then((part) => part.TakeOverScreen));
const CloseScreen = lazy(() => dayParts().then((part) => part.CloseScreen));
const CountsSheet = lazy(() => stopParts().then((part) => part.CountsSheet));
const LoadScreen = lazy(() => dayParts().then((part) => part.LoadScreen));
const LoadSectionSheet = lazy(() => dayParts().then((part) => part.LoadSectionSheet));

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

/** Stays while the client is closed for it. */
export const takeOver = (): Page => ({ key: 'take-over', screen: <TakeOverScreen /> });

/** Every page by the first step of its address; an unknown address shows the route. */
const pages: Readonly<Record<string, Read>> = {
  where: (id) => route(<WhereSheet stop={Number(id)} />),
  // Over the stop, which is drawn already: the answer to the tap need not draw the list.
  done: (id) => ({ ...pageOf(Number(id)), sheet: <WhereSheet stop={Number(id)} isFresh /> }),
  day: (what) => ({
    key: 'day',
    screen: <DayScreen />,
    sheet: what === 'support' ? <SupportSheet /> : undefined,
  }),
  'hand-over': () => ({ key: 'hand-over', screen: <HandOverScreen /> }),
  'take-over': takeOver,
  inbox: () => ({ key: 'inbox', screen: <InboxScreen /> }),
  display: () => route(<DisplaySheet />),
  scan: () => ({ key: 'scan', screen: <ScanScreen key="tab" /> }),
  load: (section = '') => ({ key: 'load', screen: <LoadScreen />, sheet: loadSection('leave', section) }),
  close,
  stop: (id, what = '', key = '') => {
    const stop = Number(id);
    const whole = stopPages[what];
    if (whole) return whole(stop, key);
    return { ...pageOf(stop), sheet: stopSheets[what]?.(stop, key) };
  },
};

/** The warehouse has a screen of its own. */
const pageOf = (stop: number): Page =>
  stop === warehouse ? close() : { key: `stop/${stop}`, screen: <StopScreen id={stop} /> };

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
  photos: (stop) => <StopPhotosSheet stop={stop} />,
  comment: (stop) => <CommentSheet stop={stop} />,
  where: (stop) => <WhereSheet stop={stop} parent={links.stop(stop)} />,
  history: (stop) => <HistorySheet stop={stop} />,
};

export const pageAt = ({ steps: [first = '', ...rest] }: Address): Page =>
  (Object.hasOwn(pages, first) ? pages[first]?.(...rest) : undefined) ?? route();
