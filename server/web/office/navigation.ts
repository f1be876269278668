import type { IconName } from '../ui/icons.tsx';
import { links } from './links.ts';
import type { OfficeWords } from './words/words.ts';

/** A page of the first level. */
interface Place {
  readonly href: string;
  /** Begins the addresses of the page. */
  readonly step: string;
  readonly icon: IconName;
  readonly word: Extract<keyof OfficeWords, `nav.${string}`>;
}

/** The first step of the page at the bare address. */
export const frontStep = 'inbox';

/** The pages of the first level, in their order. */
export const places: readonly Place[] = [
  { href: links.inbox, step: 'inbox', icon: 'warn', word: 'nav.inbox' },
  { href: links.routes, step: 'routes', icon: 'route', word: 'nav.routes' },
  { href: links.search(''), step: 'search', icon: 'search', word: 'nav.search' },
  { href: links.parked, step: 'parked', icon: 'x', word: 'nav.parked' },
  { href: links.quarantine, step: 'quarantine', icon: 'file', word: 'nav.quarantine' },
  { href: links.incidents, step: 'incidents', icon: 'inbox', word: 'nav.incidents' },
  { href: links.flags, step: 'flags', icon: 'pen', word: 'nav.flags' },
  { href: links.host, step: 'host', icon: 'office', word: 'nav.host' },
  { href: links.phones, step: 'phones', icon: 'phone', word: 'nav.phones' },
  { href: links.evidence, step: 'evidence', icon: 'file', word: 'nav.evidence' },
  { href: links.rescue, step: 'rescue', icon: 'life', word: 'nav.rescue' },
];

/** The page of the first level that the pages with this first step belong to. */
export const placeOf = (first: string): string => (first === 'route' || first === 'stop' ? 'routes' : first);

/** The pages that show a choice in place: another choice is the same page. */
const choosing = ['routes', 'search', 'incidents', 'phones'];

/** Names a page: with another name the page starts anew, with its title in focus. */
export function pageKey(steps: readonly string[]): string {
  const [first = frontStep] = steps;
  if (choosing.includes(first)) return first;
  // The entry that is shown below the history of a stop is no page of its own.
  return (first === 'stop' ? steps.slice(0, 6) : steps).join('/');
}
