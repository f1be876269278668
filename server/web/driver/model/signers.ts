import type { LocalRoute } from '@tailgate/client-sdk';

/** More do not fit beside the field. */
const max = 3;

/** Names of people who have signed for this customer, on the routes of this phone; the latest first. */
export function earlierSigners(routes: readonly (Pick<LocalRoute, 'stops'> | undefined)[], customer: string): string[] {
  const signed = routes
    .flatMap((route) => route?.stops ?? [])
    .filter((stop) => stop.customer.id === customer)
    .flatMap(({ updates: { store_emp_name: name, end_delivery_time: at } }) =>
      name === null || name.trim() === '' ? [] : [{ name: name.trim(), at: Date.parse(at ?? '') || 0 }],
    )
    .sort((a, b) => b.at - a.at);
  return [...new Set(signed.map(({ name }) => name))].slice(0, max);
}
