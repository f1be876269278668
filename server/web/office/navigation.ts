import type { IconName } from '../ui/icons.tsx';
import { links } from './links.ts';
import type { OfficeWords } from './words/words.ts';

/** A page of the first level; `steps` begins the addresses below it. */
interface Place {
  readonly href: string;
  readonly step: string;
  readonly icon: IconName;
  readonly word: Extract<keyof OfficeWords, `nav.${string}`>;
}

/** The first step of the page at the bare address. */
export const frontStep = 'parked';

/** The pages of the first level, in their order. */
export const places: readonly Place[] = [
  { href: links.parked, step: 'parked', icon: 'x', word: 'nav.parked' },
  { href: links.quarantine, step: 'quarantine', icon: 'file', word: 'nav.quarantine' },
  { href: links.host, step: 'host', icon: 'office', word: 'nav.host' },
  { href: links.phones, step: 'phones', icon: 'phone', word: 'nav.phones' },
];
