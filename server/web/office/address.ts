import { go, stepsOf, useAddress } from '../ui/router.ts';

/** The address of a page, and the filters of its list: `#/routes/F01/R100/20261128?facility=F01&state=all`. */
export interface PageAddress {
  readonly steps: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
  readonly place: string;
}

export function usePageAddress(): PageAddress {
  const { path } = useAddress();
  const [place = '', fields = ''] = path.split('?');
  return { steps: stepsOf(place), filters: Object.fromEntries(new URLSearchParams(fields)), place };
}

/** An address with filters; blank ones are left out. */
export function withFilters(address: string, filters: Readonly<Record<string, string>>): string {
  const fields = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  const text = fields.toString();
  return text === '' ? address : `${address}?${text}`;
}

/** The filters of the present page, and a change of one: a deep link and the back button keep them. */
export function useFilters(): readonly [
  filters: Readonly<Record<string, string>>,
  change: (name: string, value: string) => void,
] {
  const { place, filters } = usePageAddress();
  const change = (name: string, value: string): void =>
    go(withFilters(`#/${place}`, { ...filters, [name]: value }), { replace: true });
  return [filters, change];
}
