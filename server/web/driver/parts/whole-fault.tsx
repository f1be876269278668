import { Banner } from '../../ui/parts/chip.tsx';
import type { Faults } from '../words/sign-in-faults.ts';

/** The fault of a whole form, above its fields. */
export function WholeFault({ faults: { whole } }: { readonly faults: Faults }) {
  if (whole === undefined) return null;
  return (
    <Banner icon="warn" tone="bad" role="alert">
      <p>{whole}</p>
    </Banner>
  );
}
